/** The exit codes of all our processes. */
export const exitCodes = {
  ok: 0,
  /** Something failed: the log says what. Starting again may help. */
  failure: 1,
  /** The configuration or the command line is wrong. Starting again does not help. */
  configuration: 2,
  /** The database's schema is missing, older or newer than this code accepts. */
  schema: 3,
} as const

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

/**
 * Ends the process with the given code. Its message is all that the operator needs: no stack is shown.
 */
export class ExitError extends Error {
  override readonly name: string = 'ExitError'
  readonly exitCode: ExitCode

  constructor(exitCode: ExitCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.exitCode = exitCode
  }
}
