import { useNowMs, useZone } from '../shell/live.ts'
import { formatInstant, formatRelative } from './format.ts'
import styles from './ui.module.css'

/** An instant: relative to read, exact on hover, by a screen reader and as text to copy. */
export function Time({ at, exact = false }: { readonly at: string; readonly exact?: boolean }) {
  const nowMs = useNowMs()
  const zone = useZone()
  const both = `${formatInstant(at, 'local')}\n${formatInstant(at, 'utc')}`
  return (
    <time dateTime={at} title={both} className={exact ? '' : styles['time']}>
      {exact ? formatInstant(at, zone) : formatRelative(nowMs - Date.parse(at))}
    </time>
  )
}
