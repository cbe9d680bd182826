import { type LogLevel } from './logger.ts'
import { type Loggable } from './loggable.ts'
import { type LogRecord } from './log-record.ts'

const colourOfLevel = { debug: 90, info: 32, warn: 33, error: 31 } as const satisfies Record<LogLevel, number>
// Control characters in a message could forge a second line, or drive the reader's terminal.
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const controlCharacters = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g

/**
 * A line to be read by people: time, level, service, message, key=value, then the stacks of its errors,
 * indented.
 */
export function formatPretty(record: LogRecord): string {
  return layOut(record, record.level.padEnd(5))
}

/** The same in colour, for a terminal. */
export function formatPrettyInColour(record: LogRecord): string {
  return layOut(record, `\u001b[${colourOfLevel[record.level]}m${record.level.padEnd(5)}\u001b[0m`)
}

function layOut(record: LogRecord, level: string): string {
  const pairs = Object.entries(record.fields).map(
    ([key, value]) => `${escapeControls(key)}=${showValue(value)}`,
  )
  const head = [record.timestamp, level, `${record.service}:`, escapeControls(record.message), ...pairs].join(
    ' ',
  )
  return [head, ...Object.values(record.fields).flatMap(stackLines)].join('\n')
}

function showValue(value: Loggable): string {
  if (isStack(value)) return JSON.stringify(value.message ?? '')
  if (typeof value === 'string' && /^[\w.:/@*+-]+$/.test(value)) return value
  return escapeControls(JSON.stringify(value))
}

function stackLines(value: Loggable): string[] {
  if (!isStack(value)) return []
  const own = value.stack.split('\n').map((line) => `    ${escapeControls(line)}`)
  const cause = value.cause === undefined ? [] : stackLines(value.cause)
  return cause.length === 0 ? own : [...own, '  caused by', ...cause]
}

function isStack(value: Loggable): value is { stack: string; message?: Loggable; cause?: Loggable } {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && typeof value.stack === 'string'
  )
}

function escapeControls(text: string): string {
  return text.replace(controlCharacters, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}
