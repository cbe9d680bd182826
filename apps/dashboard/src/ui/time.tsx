import { useClock } from '../shell/clock.ts'
import { useZone } from '../shell/live.ts'
import { formatInstant, formatRelative } from './format.ts'
import styles from './ui.module.css'

interface TimeProps {
  readonly at: string
  /** Shows the date and time instead of a relative time. */
  readonly exact?: boolean
  /** Not focusable: for use within a link or a dialog text. */
  readonly plain?: boolean
}

/** An instant. On hover, focus or tap, the card of the page (`time-card.tsx`) shows it in full. */
export function Time({ at, exact = false, plain = false }: TimeProps) {
  const zone = useZone()
  // Subscribes to the text, not to the time: of ten thousand rows only those whose text changes render again.
  const text = useClock((nowMs) => (exact ? formatInstant(at, zone) : formatRelative(nowMs - Date.parse(at))))
  return (
    <time
      dateTime={at}
      className={exact ? '' : styles['time']}
      {...(plain ? {} : { role: 'button', tabIndex: 0 })}
    >
      {text}
    </time>
  )
}
