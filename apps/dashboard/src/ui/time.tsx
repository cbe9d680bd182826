import { useClock } from '../shell/clock.ts'
import { useZone } from '../shell/live.ts'
import { formatInstant, formatRelative } from './format.ts'
import styles from './ui.module.css'

interface TimeProps {
  readonly at: string
  /** As a date and a time, and not by how long ago or ahead it is. */
  readonly exact?: boolean
  /** Within a link or a question, which it does not interrupt. */
  readonly plain?: boolean
}

/** An instant. The one card of the page (`time-card.tsx`) says it in full for the pointer, the focus and a tap. */
export function Time({ at, exact = false, plain = false }: TimeProps) {
  const zone = useZone()
  // The text and not the time: of ten thousand rows those are drawn again that read differently.
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
