/**
 * What can be known of a thrown value. It may be an error of another realm, as `fetch` has its own in a virtual
 * machine, so its name says more than `instanceof`.
 */
export interface Thrown {
  readonly name?: unknown
  readonly message?: unknown
  readonly code?: unknown
  readonly cause?: unknown
}

export function asThrown(value: unknown): Thrown {
  return typeof value === 'object' && value !== null ? value : { message: String(value) }
}

/** What `fetch` throws says "fetch failed"; why is in its cause. */
export function innermostMessage(value: unknown): string {
  const { message, code, cause } = asThrown(value)
  if (cause !== undefined) return innermostMessage(cause)
  return String(message === undefined || message === '' ? code : message)
}
