/** From the chattiest to the gravest. A logger writes its own level and every graver one. */
export const logLevels = ['debug', 'info', 'warn', 'error'] as const
export type LogLevel = (typeof logLevels)[number]

export const logFormats = ['json', 'pretty'] as const
export type LogFormat = (typeof logFormats)[number]

/** What belongs to one line beside its message. Never a payload: the fields of a line are read by many. */
export type LogFields = Readonly<Record<string, unknown>>

/**
 * The few methods that everything of ours asks of a logger. Packages that log declare this shape for
 * themselves, so that none of them depends on winston, and a user's own logger fits with an adapter of five
 * lines.
 */
export interface Logger {
  debug(message: string, fields?: LogFields): void
  info(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  error(message: string, fields?: LogFields): void
  /** A logger that writes the same lines with these fields added; a line's own fields win. */
  child(fields: LogFields): Logger
}
