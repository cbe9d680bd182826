/** The exit codes of all our processes. */
export const exitCodes = {
  ok: 0,
  /** Something failed, and the log says what. A restart may help. */
  failure: 1,
  /** The configuration or the command line is invalid. A restart does not help. */
  configuration: 2,
  /** The database's schema is missing, older or newer than this code accepts. */
  schema: 3,
} as const

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

/** Ends the process with the given code. Only its message is shown, without a stack, so it must tell the operator everything. */
export class ExitError extends Error {
  override readonly name: string = 'ExitError'
  readonly exitCode: ExitCode

  constructor(exitCode: ExitCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.exitCode = exitCode
  }
}

/**
 * The configuration or the command line is invalid. Each line names one variable or argument, its fault, and the accepted values.
 */
export class ConfigError extends ExitError {
  override readonly name = 'ConfigError'
  readonly lines: readonly string[]

  constructor(lines: readonly string[]) {
    super(exitCodes.configuration, lines.join('\n'))
    this.lines = lines
  }
}
