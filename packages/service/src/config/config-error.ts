import { ExitError, exitCodes } from '../exit-code.ts'

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
