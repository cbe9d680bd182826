import { type ReactNode, useEffect, useId, useRef } from 'react'
import styles from './ui.module.css'

interface DialogProps {
  readonly title: string
  readonly close: () => void
  readonly children: ReactNode
}

/** A modal dialog of the browser's own: it keeps the focus, closes on Escape, and gives the focus back. */
export function Dialog({ title, close, children }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    const opener = document.activeElement
    const dialog = ref.current
    dialog?.showModal()
    // The browser would take the first button that it finds.
    dialog?.querySelector<HTMLElement>('[data-first]')?.focus()
    return () => {
      dialog?.close()
      // What has opened it may be gone by what was done here.
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
