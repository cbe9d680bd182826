/**
 * The members that a thrown value may have. `instanceof Error` is not reliable here: inside a virtual machine, `fetch`
 * throws errors of another realm.
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

/** The message of the innermost cause. The message of `fetch` itself is only "fetch failed". */
export function innermostMessage(value: unknown): string {
  const { message, code, cause } = asThrown(value)
  if (cause !== undefined) return innermostMessage(cause)
  return String(message === undefined || message === '' ? code : message)
}
