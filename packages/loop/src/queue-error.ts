/**
 * A refused or failed operation. `code` is from a fixed list of the package that throws it. `message` describes the problem and
 * the remedy, and contains no SQL.
 */
export class QueueError<Code extends string = string> extends Error {
  override readonly name: string = 'QueueError'
  readonly code: Code

  constructor(code: Code, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
