import { describeError } from './describe-error.ts'

/** The fields of a log line. Never put a payload into them: many people read logs. */
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

/**
 * A logger that adds `fields` to every line; a line's own fields take precedence. Costs nothing until a line is written. A line whose
 * own fields cannot be read says so, and does not throw.
 */
export function withFields(logger: Logger, fields: LogFields): Logger {
  const write = (level: keyof Logger) => (message: string, more?: LogFields) =>
    logger[level](message, more === undefined ? fields : { ...fields, ...readable(more) })
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') }
}

/** A getter may throw, and a proxy may be revoked. */
function readable(fields: LogFields): LogFields {
  try {
    return { ...fields }
  } catch {
    return { fields: '[unreadable]' }
  }
}

/** Writes warnings and errors to stderr, one JSON document per line, and ignores lower levels. */
export const stderrLogger: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: (message, fields) => writeLine({ level: 'warn', message, ...fields }),
  error: (message, fields) => writeLine({ level: 'error', message, ...fields }),
}

function writeLine(fields: LogFields): void {
  const line = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, jsonValue(value)]))
  process.stderr.write(`${JSON.stringify(line)}\n`)
}

/**
 * `JSON.stringify` turns an error into `{}` and throws on a BigInt, so any value but texts, numbers and booleans is described.
 */
function jsonValue(value: unknown): unknown {
  return isPrimitive(value) || (Array.isArray(value) && value.every(isPrimitive))
    ? value
    : describeError(value)
}

function isPrimitive(value: unknown): boolean {
  return ['string', 'number', 'boolean', 'undefined'].includes(typeof value)
}
