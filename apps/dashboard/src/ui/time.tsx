import { useClock } from '../shell/clock.ts'
import { useZone } from '../shell/live.ts'
import { formatDay, formatRelative, formatSecond } from './format.ts'
import styles from './ui.module.css'

type Format = (time: { at: string; zone: 'local' | 'utc'; nowMs: number }) => string

const formats = {
  relative: ({ at, nowMs }) => formatRelative(nowMs - Date.parse(at)),
  instant: ({ at, zone }) => formatSecond(at, zone),
  day: ({ at, zone }) => formatDay(at, zone),
} satisfies Record<string, Format>

interface TimeProps {
  readonly at: string
  /** A relative time (the default), date and time, or date and time with the weekday and without the zone. */
  readonly format?: keyof typeof formats
  /** Not focusable: for use within a link or a dialog text. */
  readonly plain?: boolean
}

/** An instant. On hover, focus or tap, the card of the page (`time-card.tsx`) shows it in full. */
export function Time({ at, format = 'relative', plain = false }: TimeProps) {
  const zone = useZone()
  // Subscribes to the text, not to the time: of ten thousand rows only those whose text changes render again.
  const text = useClock((nowMs) => formats[format]({ at, zone, nowMs }))
  return (
    <time
      dateTime={at}
      className={format === 'instant' ? '' : styles['time']}
      {...(plain ? {} : { role: 'button', tabIndex: 0 })}
    >
      {text}
    </time>
  )
}
