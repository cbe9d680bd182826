import { type ReactNode, useEffect, useId, useRef } from 'react'
import styles from './ui.module.css'

interface DialogProps {
  readonly title: string
  readonly close: () => void
  readonly children: ReactNode
}

/** A native modal dialog: it traps the focus, closes on Escape, and then restores the focus. */
export function Dialog({ title, close, children }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    const opener = document.activeElement
    const dialog = ref.current
    dialog?.showModal()
    // By default, the browser focuses the first button.
    dialog?.querySelector<HTMLElement>('[data-first]')?.focus()
    return () => {
      dialog?.close()
      // The action may have removed the element that opened the dialog.
      const next = opener?.isConnected === true ? opener : document.querySelector('h1')
      if (next instanceof HTMLElement) next.focus()
    }
  }, [])
  return (
    <dialog ref={ref} className={styles['dialog']} aria-labelledby={id} onClose={close} onCancel={close}>
      <div className={styles['dialogBody']}>
        <h2 id={id}>{title}</h2>
        {children}
      </div>
    </dialog>
  )
}
