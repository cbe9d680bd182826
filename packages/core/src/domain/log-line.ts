import { QueueError } from './errors.ts'
import type { JsonValue } from './json.ts'

/** In order of severity, the least severe first. */
export const logLevels = ['debug', 'info', 'warn', 'error'] as const

export type LogLevel = (typeof logLevels)[number]

/** One line that a handler has logged by `ctx.log`. */
export interface LogLine {
  readonly jobId: string
  /** The number of the attempt, from 1. A requeue starts again at 1. */
  readonly attempt: number
  /** The lease token of the attempt. It grows with every claim of the job. */
  readonly leaseToken: number
  /** The number of the line within its attempt, from 1. */
  readonly line: number
  /** By the worker's clock. */
  readonly at: Date
  readonly level: LogLevel
  readonly message: string
  /** An object, or null where the handler gave no fields. */
  readonly fields: JsonValue
}

/** The position of a line among the lines of its job. */
export type LogPosition = Pick<LogLine, 'leaseToken' | 'line'>

/** The levels that are at least as severe as this one. */
export function levelsFrom(level: LogLevel): readonly LogLevel[] {
  return logLevels.slice(logLevels.indexOf(level))
}

/** The cursor of the page that begins after this line. */
export function encodeLogCursor({ leaseToken, line }: LogPosition): string {
  return Buffer.from(`log ${leaseToken} ${line}`).toString('base64url')
}

const cursorPattern = /^log (\d{1,15}) (\d{1,9})$/

/** Whether a list of log lines has returned this cursor. */
export function isLogCursor(cursor: string): boolean {
  return cursorPattern.test(Buffer.from(cursor, 'base64url').toString())
}

/** The position that a cursor stands for. Throws `invalid_cursor`. */
export function decodeLogCursor(cursor: string): LogPosition {
  const [, leaseToken, line] = cursorPattern.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  if (leaseToken !== undefined && line !== undefined) {
    return { leaseToken: Number(leaseToken), line: Number(line) }
  }
  throw new QueueError('invalid_cursor', 'the cursor is not one that a list has returned')
}
