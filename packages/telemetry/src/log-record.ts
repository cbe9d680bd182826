import { type LogFields, type LogLevel } from './logger.ts'
import { type Loggable, toLoggable } from './loggable.ts'

/** One line, ready to be written: every value in it is plain, bounded and without secrets. */
export interface LogRecord {
  readonly timestamp: string
  readonly level: LogLevel
  readonly service: string
  readonly message: string
  readonly fields: { readonly [key: string]: Loggable }
}

export interface LogRecordOptions {
  readonly level: LogLevel
  readonly service: string
  readonly message: unknown
  /** From the outermost logger to the line itself; later ones win. */
  readonly fields: readonly LogFields[]
}

/** The line as data, stamped with this process's clock in UTC. Never throws. */
export function createLogRecord(options: LogRecordOptions): LogRecord {
  const { level, service, message } = options
  return {
    timestamp: new Date().toISOString(),
    level,
    service,
    message: asText(toLoggable(message)),
    fields: asFields(toLoggable(mergeFields(options.fields))),
  }
}

function mergeFields(layers: readonly LogFields[]): unknown {
  // An error given in the place of the fields is what a hurried caller means by "with this error".
  const named = layers.map((layer) => (layer instanceof Error ? { error: layer } : layer))
  try {
    return named.length === 1 ? named[0] : Object.assign({}, ...named)
  } catch {
    return { fields: '[unreadable]' }
  }
}

function asText(value: Loggable): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function asFields(value: Loggable): { readonly [key: string]: Loggable } {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  return value === '[undefined]' ? {} : { fields: value }
}
