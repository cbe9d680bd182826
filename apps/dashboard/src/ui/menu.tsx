import { type MouseEvent, type ReactNode, type ToggleEvent, useId, useRef } from 'react'
import { Button } from './controls.tsx'
import styles from './ui.module.css'

interface MenuProps {
  /** The content of the button. */
  readonly label: ReactNode
  /** The accessible name of the panel. */
  readonly name: string
  readonly children: ReactNode
}

/** A click on a button closes the panel. A click on a checkbox keeps it open. */
function closeAfterAct({ currentTarget, target }: MouseEvent<HTMLDivElement>): void {
  if (target instanceof Element && target.closest('button') !== null) currentTarget.hidePopover()
}

/** The maximum width of a panel in pixels, as in its CSS. */
const panelWidthMax = 320

/** A button with a popover panel, which the browser closes on Escape and on a click outside. */
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
