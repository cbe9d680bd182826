import { ExitError, exitCodes } from '../exit-code.ts'

/**
 * The configuration or the command line is wrong. Each line names one variable or argument, what is wrong with it, and what
 * is accepted.
 */
export class ConfigError extends ExitError {
  override readonly name = 'ConfigError'
  readonly lines: readonly string[]

  constructor(lines: readonly string[]) {
    super(exitCodes.configuration, lines.join('\n'))
    this.lines = lines
  }
}
