/** A receiver may ask for a day of rest; more is taken for a mistake. */
const retryAfterMsMax = 86_400_000

/**
 * The wait in milliseconds that a Retry-After field asks for, at most a day: seconds, or a date (RFC 9110, section 10.2.3).
 * Undefined when it asks for none that can be understood.
 */
export function retryAfterMs(field: string | string[] | undefined, nowMs: number): number | undefined {
  const text = (Array.isArray(field) ? field[0] : field)?.trim()
  if (text === undefined || text === '') return undefined
  const ms = /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - nowMs
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(0, ms), retryAfterMsMax)
}
