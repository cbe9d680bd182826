/**
 * A call cannot be sent as it was made: an option or an argument is wrong. Nothing was sent. It is also a TypeError, as the errors
 * of `fetch` about its own arguments are.
 */
export class InvalidCall extends TypeError {
  override readonly name = 'InvalidCall'
  readonly code = 'invalid_options'
}

/** Throws unless `value` is an array of objects, or of texts. */
export function assertList(name: string, value: unknown, of: 'object' | 'string'): void {
  const isList = Array.isArray(value) && value.every((item) => item !== null && typeof item === of)
  if (!isList) throw new InvalidCall(`${name} must be an array of ${of}s; it is ${describeValue(value)}`)
}

/** A getter may throw and a proxy may be revoked. Once a request is built of them, that would look like a lost connection. */
export function assertReadable(args: readonly unknown[]): void {
  try {
    for (const arg of args) {
      if (typeof arg === 'object' && arg !== null) Object.values(arg)
    }
  } catch (cause) {
    throw new InvalidCall('an argument cannot be read: pass plain objects', { cause })
  }
}

/** A value in an error message, without the content of a text, which may be a secret. */
export function describeValue(value: unknown): string {
  if (typeof value === 'string') return value === '' ? 'an empty text' : 'this text'
  if (typeof value === 'number' || value === null || value === undefined) return String(value)
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}
