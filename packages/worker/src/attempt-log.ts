import { limits } from '@queue/core'
import { findJsonFault, type Lease, logLevels, type LogWrite, type NewLogLine } from '@queue/core/internal'
import { describeError, type LogLevel, storableText } from '@queue/loop'
import type { UnwrittenBytes } from './unwritten-bytes.ts'

/** What a line takes in memory beside its texts, about. */
const lineBytes = 200
/** When this many lines wait, they are stored at once. Otherwise the next check of the running attempts stores them. */
const waitingLinesMax = 200

/** The attempt that logs the lines, and the function that stores them. */
export interface AttemptLogOptions {
  readonly lease: Lease
  readonly attempt: number
  /** A value without what must be hidden. */
  readonly shown: (value: unknown) => unknown
  /** Never rejects. */
  readonly write: (write: LogWrite) => Promise<void>
  readonly wallMs: () => number
  readonly unwritten: UnwrittenBytes
  /** Called with the number of lines that were dropped, when the log says so. */
  readonly onDropped: (lines: number) => void
}

/**
 * The log of one attempt: its lines that are not stored yet, and how much of its bounds is used. Once a line exceeds a bound of
 * the attempt, that line and all later ones are only counted. While too much waits in the whole process, lines are dropped too,
 * and the next line that is kept comes after one that says how many.
 */
export class AttemptLog {
  readonly #options: AttemptLogOptions
  #waiting: NewLogLine[] = []
  /** What the waiting lines take in memory. */
  #waitingBytes = 0
  #lines = 0
  #bytes = 0
  /** Lines that were dropped since the last one that was kept. */
  #dropped = 0
  /** Whether a bound of the attempt is exceeded. */
  #isOver = false
  #hasEnded = false
  #writing: Promise<void> = Promise.resolve()

  constructor(options: AttemptLogOptions) {
    this.#options = options
  }

  /** Adds a line. It accepts any values, does not wait, and never throws. */
  add(level: unknown, loggedMessage: unknown, loggedFields: unknown): void {
    if (this.#hasEnded) return
    if (this.#isOver || this.#options.unwritten.isFull) {
      this.#dropped += 1
      return
    }
    const { shown } = this.#options
    const message = shown(loggedMessage)
    const line = {
      level: isLevel(level) ? level : 'info',
      message: storableText(
        typeof message === 'string' ? message : describeError(message),
        limits.logMessageLengthMax,
      ),
      fieldsText: fieldsText(shown(loggedFields)),
    }
    const bytes = Buffer.byteLength(line.message) + Buffer.byteLength(line.fieldsText ?? '')
    const lines = this.#lines + (this.#dropped > 0 ? 1 : 0)
    if (lines >= limits.logLinesPerAttemptMax || this.#bytes + bytes > limits.logBytesPerAttemptMax) {
      this.#isOver = true
      this.#dropped += 1
      return
    }
    this.#sayDropped()
    this.#bytes += bytes
    this.#push(line, bytes)
    if (this.#waiting.length >= waitingLinesMax) void this.flush()
  }

  /** Resolves when every line added so far is stored, or was given up. */
  flush(): Promise<void> {
    if (this.#waiting.length > 0) {
      const lines = this.#waiting
      const bytes = this.#waitingBytes
      this.#waiting = []
      this.#waitingBytes = 0
      this.#writing = this.#write(lines, bytes)
    }
    return this.#writing
  }

  /** The last flush: later lines are ignored, and a final line says how many were dropped. */
  end(): Promise<void> {
    if (!this.#hasEnded) this.#sayDropped()
    this.#hasEnded = true
    return this.flush()
  }

  #sayDropped(): void {
    if (this.#dropped === 0) return
    const reason = this.#isOver
      ? `an attempt keeps ${limits.logLinesPerAttemptMax} lines and ${limits.logBytesPerAttemptMax} bytes`
      : `more than ${limits.unwrittenBytesMax} bytes were waiting in this process to be written`
    const message = `${this.#dropped} further lines were dropped: ${reason}`
    this.#push({ level: 'warn', message, fieldsText: null }, Buffer.byteLength(message))
    this.#options.onDropped(this.#dropped)
    this.#dropped = 0
  }

  #push(line: Omit<NewLogLine, 'line' | 'atMs'>, textBytes: number): void {
    this.#lines += 1
    this.#waiting.push({ ...line, line: this.#lines, atMs: this.#options.wallMs() })
    this.#waitingBytes += textBytes + lineBytes
    this.#options.unwritten.add(textBytes + lineBytes)
  }

  async #write(lines: readonly NewLogLine[], bytes: number): Promise<void> {
    const { lease, attempt, write, unwritten } = this.#options
    await write({ lease, attempt, lines })
    unwritten.add(-bytes)
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
