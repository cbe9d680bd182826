/** A duration in its largest unit, as `340 ms`, `42 s`, `4 min`, `3 h`, `12 d`. */
export function formatSpan(ms: number): string {
  const span = Math.abs(ms)
  if (span < 1_000) return `${Math.round(span)} ms`
  if (span < 10_000) return `${(Math.floor(span / 100) / 10).toString()} s`
  if (span < 120_000) return `${Math.floor(span / 1_000)} s`
  if (span < 120 * 60_000) return `${Math.floor(span / 60_000)} min`
  if (span < 48 * 3_600_000) return `${Math.floor(span / 3_600_000)} h`
  return `${Math.floor(span / 86_400_000)} d`
}

/** How long ago, or in how long, without fractions of seconds, which would flicker. */
export function formatRelative(ms: number): string {
  const whole = Math.floor(Math.abs(ms) / 1_000) * 1_000
  if (whole < 1_000) return 'now'
  return ms < 0 ? `in ${formatSpan(whole)}` : `${formatSpan(whole)} ago`
}

const digits = new Intl.NumberFormat('en', { useGrouping: true })

/** A number with thin spaces as thousands separators, in every locale. */
export function formatCount(count: number): string {
  return digits.format(count).replaceAll(',', '\u2009')
}

/** A fraction of 1 as a percentage: `0.4 %` or `37 %`. */
export function formatShare(share: number): string {
  const percent = 100 * share
  if (percent > 0 && percent < 0.1) return '< 0.1 %'
  return `${percent < 10 ? (Math.round(10 * percent) / 10).toString() : Math.round(percent)} %`
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`
}

/** `2026-01-15 09:30:00.120 UTC`, or the same in the local time zone. */
export function formatInstant(iso: string, zone: 'local' | 'utc'): string {
  const at = new Date(iso)
  if (zone === 'utc') return `${at.toISOString().replace('T', ' ').replace('Z', '')} UTC`
  const local = new Date(at.getTime() - at.getTimezoneOffset() * 60_000)
  return `${local.toISOString().replace('T', ' ').replace('Z', '')} ${localZone}`
}

/** `2026-01-15 09:30:00 UTC`: an instant to the second. */
export function formatSecond(iso: string, zone: 'local' | 'utc'): string {
  return formatInstant(iso, zone).replace(/\.\d+/, '')
}

const weekdays = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'] as const

/** `Thu 2026-01-15 09:30`, with its seconds where there are some. The zone stands elsewhere. */
export function formatDay(iso: string, zone: 'local' | 'utc'): string {
  const at = new Date(iso)
  const weekday = weekdays[zone === 'utc' ? at.getUTCDay() : at.getDay()]
  return `${weekday} ${formatInstant(iso, zone).slice(0, 19).replace(/:00$/, '')}`
}

export const localZone = new Intl.DateTimeFormat().resolvedOptions().timeZone

/** The end of an id, which differs between neighbouring ids. */
export function shortId(id: string): string {
  return id.slice(-8)
}

/** The first line of an error. */
export function firstLine(error: string): string {
  return error.split('\n', 1)[0] ?? ''
}

/** The first line without the error class, for use beside the class. */
export function errorMessage(error: string): string {
  return firstLine(error).replace(/^[\w$.]*(?:Error|Exception|Failure)?: /, '')
}
