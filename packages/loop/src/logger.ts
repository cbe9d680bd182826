import { describeError } from './describe-error.ts'

/** The fields of a log line. Never a payload: many people read logs. */
export type LogFields = Readonly<Record<string, unknown>>

/** The logger of the runtime and of handlers. Any logger with these four methods fits. */
export interface Logger {
  debug(message: string, fields?: LogFields): void
  info(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  error(message: string, fields?: LogFields): void
}

/** From the least to the most severe. */
export const logLevels = ['debug', 'info', 'warn', 'error'] as const satisfies (keyof Logger)[]
export type LogLevel = (typeof logLevels)[number]

/** A logger that adds `fields` to every line; a line's own fields win. Costs nothing until a line is written. */
export function withFields(logger: Logger, fields: LogFields): Logger {
  const write = (level: keyof Logger) => (message: string, more?: LogFields) =>
    logger[level](message, more === undefined ? fields : { ...fields, ...more })
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') }
}

/** Warnings and errors on stderr, one JSON document a line; nothing below. */
export const stderrLogger: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: (message, fields) => writeLine({ level: 'warn', message, ...fields }),
  error: (message, fields) => writeLine({ level: 'error', message, ...fields }),
}

function writeLine(fields: LogFields): void {
  const line = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, plain(value)]))
  process.stderr.write(`${JSON.stringify(line)}\n`)
}

/** JSON makes `{}` of an error and refuses a BigInt, so anything but texts, numbers and booleans is described. */
function plain(value: unknown): unknown {
  return isText(value) || (Array.isArray(value) && value.every(isText)) ? value : describeError(value)
}

function isText(value: unknown): boolean {
  return ['string', 'number', 'boolean', 'undefined'].includes(typeof value)
}
