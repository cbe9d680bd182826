import { useClock } from '../shell/clock.ts'
import { useZone } from '../shell/live.ts'
import { formatInstant, formatRelative } from './format.ts'
import styles from './ui.module.css'

/** An instant: relative to read, exact on hover, by a screen reader and as text to copy. */
export function Time({ at, exact = false }: { readonly at: string; readonly exact?: boolean }) {
  const zone = useZone()
  // The text and not the time: of ten thousand rows those are drawn again that read differently.
  const text = useClock((nowMs) => (exact ? formatInstant(at, zone) : formatRelative(nowMs - Date.parse(at))))
  const both = `${formatInstant(at, 'local')}\n${formatInstant(at, 'utc')}`
  return (
    <time dateTime={at} title={both} className={exact ? '' : styles['time']}>
      {text}
    </time>
  )
}
