/** A Retry-After header in milliseconds. It holds seconds or a date (RFC 9110); undefined if it is absent or invalid. */
export function parseRetryAfterMs(header: string | null, nowMs: number): number | undefined {
  if (header === null) return undefined
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1_000
  const instantMs = header.endsWith(' GMT') ? Date.parse(header) : Number.NaN
  return Number.isNaN(instantMs) ? undefined : Math.max(0, instantMs - nowMs)
}
