import { type MouseEvent, type ReactNode, type ToggleEvent, useId, useRef } from 'react'
import { Button } from './controls.tsx'
import styles from './ui.module.css'

interface MenuProps {
  /** What stands on the button. */
  readonly label: ReactNode
  /** What the panel is called. */
  readonly name: string
  readonly children: ReactNode
}

/** What stands in a panel either acts, and then it is closed, or is chosen by boxes, and then it stays. */
function closeAfterAct({ currentTarget, target }: MouseEvent<HTMLDivElement>): void {
  if (target instanceof Element && target.closest('button') !== null) currentTarget.hidePopover()
}

/** The room that a panel may take, in pixels, as its style says it. */
const panelWidthMax = 320

/** A button with a panel below it, which the browser closes on Escape and on a press elsewhere. */
export function Menu({ label, name, children }: MenuProps) {
  const id = useId()
  const opener = useRef<HTMLSpanElement>(null)
  const place = ({ currentTarget: panel }: ToggleEvent<HTMLDivElement>): void => {
    const button = opener.current?.getBoundingClientRect()
    if (button === undefined) return
    const isWithin = button.right > panelWidthMax
    panel.style.top = `${button.bottom + 4}px`
    panel.style.right = isWithin ? `${document.documentElement.clientWidth - button.right}px` : 'auto'
    panel.style.left = isWithin ? 'auto' : '8px'
  }
  return (
    <span ref={opener} className={styles['menu']}>
      <Button popoverTarget={id}>{label}</Button>
      <div
        id={id}
        popover="auto"
        role="group"
        aria-label={name}
        className={styles['panel']}
        onBeforeToggle={place}
        onClick={closeAfterAct}
      >
        {children}
      </div>
    </span>
  )
}
