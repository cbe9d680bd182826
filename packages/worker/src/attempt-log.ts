import { limits } from '@queue/core'
import { findJsonFault, logLevels } from '@queue/core/fields'
import type { Lease, LogWrite, NewLogLine } from '@queue/core/runtime'
import { describeError, type LogLevel, storableText } from '@queue/loop'

/** When this many lines wait, they are stored at once. Otherwise the next check of the running attempts stores them. */
const waitingLinesMax = 200

/** The attempt that logs the lines, and the function that stores them. */
export interface AttemptLogOptions {
  readonly lease: Lease
  readonly attempt: number
  /** Never rejects. */
  readonly write: (write: LogWrite) => Promise<void>
  readonly wallMs: () => number
  /** Called once at the end, with the number of lines beyond the bounds. */
  readonly onDropped: (lines: number) => void
}

/**
 * The log of one attempt: its lines that are not stored yet, and how much of its bounds is used. Once a line exceeds a bound,
 * that line and all later ones are only counted.
 */
export class AttemptLog {
  readonly #options: AttemptLogOptions
  #waiting: NewLogLine[] = []
  #lines = 0
  #bytes = 0
  #dropped = 0
  #hasEnded = false
  #writing: Promise<void> = Promise.resolve()

  constructor(options: AttemptLogOptions) {
    this.#options = options
  }

  /** Adds a line. It accepts any values, does not wait, and never throws. */
  add(level: unknown, message: unknown, fields: unknown): void {
    if (this.#hasEnded) return
    if (this.#dropped > 0) {
      this.#dropped += 1
      return
    }
    const line = {
      level: isLevel(level) ? level : 'info',
      message: storableText(
        typeof message === 'string' ? message : describeError(message),
        limits.logMessageLengthMax,
      ),
      fieldsText: fieldsText(fields),
    }
    const bytes = Buffer.byteLength(line.message) + Buffer.byteLength(line.fieldsText ?? '')
    if (this.#lines >= limits.logLinesPerAttemptMax || this.#bytes + bytes > limits.logBytesPerAttemptMax) {
      this.#dropped = 1
      return
    }
    this.#bytes += bytes
    this.#push(line)
    if (this.#waiting.length >= waitingLinesMax) void this.flush()
  }

  /** Resolves when every line added so far is stored, or was given up. */
  flush(): Promise<void> {
    if (this.#waiting.length > 0) {
      const { lease, attempt, write } = this.#options
      const lines = this.#waiting
      this.#waiting = []
      this.#writing = write({ lease, attempt, lines })
    }
    return this.#writing
  }

  /** The last flush: later lines are ignored, and a final line says how many were dropped. */
  end(): Promise<void> {
    if (!this.#hasEnded && this.#dropped > 0) {
      const message = `${this.#dropped} further lines were dropped: an attempt keeps ${limits.logLinesPerAttemptMax} lines and ${limits.logBytesPerAttemptMax} bytes`
      this.#push({ level: 'warn', message, fieldsText: null })
      this.#options.onDropped(this.#dropped)
    }
    this.#hasEnded = true
    return this.flush()
  }

  #push(line: Omit<NewLogLine, 'line' | 'atMs'>): void {
    this.#lines += 1
    this.#waiting.push({ ...line, line: this.#lines, atMs: this.#options.wallMs() })
  }
}

function isLevel(level: unknown): level is LogLevel {
  return logLevels.some((known) => known === level)
}

/** The fields as a JSON object that PostgreSQL can store. Fields that are no such object are stored as a text. */
function fieldsText(fields: unknown): string | null {
  if (fields === undefined || fields === null) return null
  const text = jsonText(fields)
  if (text.length > limits.logFieldsLengthMax) return asText(text.slice(0, limits.logFieldsLengthMax / 2))
  const value: unknown = JSON.parse(text)
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  const fault = findJsonFault(value, { depthMax: limits.payloadDepthMax })
  return isObject && fault === undefined ? text : asText(text)
}

function asText(text: string): string {
  return JSON.stringify({ fields: storableText(text, limits.logFieldsLengthMax) })
}

function jsonText(fields: unknown): string {
  try {
    return JSON.stringify(fields, jsonValue) ?? JSON.stringify(describeError(fields))
  } catch {
    return JSON.stringify(describeError(fields))
  }
}

/** `JSON.stringify` turns an error into `{}` and throws on a BigInt, so both become texts. */
function jsonValue(_name: string, value: unknown): unknown {
  return value instanceof Error || typeof value === 'bigint' ? describeError(value) : value
}
