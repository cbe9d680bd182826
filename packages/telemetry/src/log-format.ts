import winston from 'winston'
import { type Loggable, toLoggable } from './loggable.ts'

const { colorize, combine, printf, timestamp } = winston.format

export const logFormats = ['json', 'pretty'] as const
export type LogFormat = (typeof logFormats)[number]

/** A masked line: all its values are plain data, bounded and without secrets. */
interface LogLine {
  readonly timestamp: string
  /** With colour codes for a terminal. */
  readonly level: string
  readonly service: string
  readonly message: string
  readonly fields: Readonly<Record<string, Loggable>>
}

/** The format that turns an entry `{ level, service, message, fields }` into the text of a line, with this process's time. */
export function createLogFormat(format: LogFormat, output: 'terminal' | 'file'): winston.Logform.Format {
  if (format === 'json')
    return combine(
      masked(),
      timestamp(),
      printf((info) => asJson(lineOf(info))),
    )
  const textFormat = printf((info) => asText(lineOf(info), levelOf(info)))
  return output === 'terminal'
    ? combine(masked(), timestamp(), colorize(), textFormat)
    : combine(masked(), timestamp(), textFormat)
}

/** Masks and bounds message and fields. Never throws, whatever they are. */
const masked = winston.format((info) => {
  const message = toLoggable(info.message)
  info.message = typeof message === 'string' ? message : JSON.stringify(message)
  info['fields'] = namedFields(info['fields'])
  return info
})

function namedFields(value: unknown): Readonly<Record<string, Loggable>> {
  if (value === undefined) return {}
  const fields = toLoggable(value)
  // A caller that passes an error in place of the fields means `{ error }`.
  if (value instanceof Error) return { error: fields }
  return typeof fields === 'object' && fields !== null && !Array.isArray(fields) ? fields : { fields }
}

function lineOf(info: winston.Logform.TransformableInfo): LogLine {
  return info as unknown as LogLine
}

/** The level without its colour. */
function levelOf(info: winston.Logform.TransformableInfo): string {
  return String(info[Symbol.for('level')])
}

const reserved = new Set(['timestamp', 'level', 'service', 'message'])

/** One JSON object. A field with the name of one of the line's own members gets a prefix. */
function asJson({ timestamp: at, level, service, message, fields }: LogLine): string {
  const named = Object.entries(fields).map(([key, value]) => [
    reserved.has(key) ? `field_${key}` : key,
    value,
  ])
  // With fromEntries, a field named __proto__ remains data.
  return escapeControls(
    JSON.stringify({ timestamp: at, level, service, message, ...Object.fromEntries(named) }),
  )
}

/** A readable line: time, level, service, message, key=value, then the indented stacks of its errors. */
function asText(line: LogLine, level: string): string {
  const pairs = Object.entries(line.fields).map(
    ([key, value]) => `${escapeControls(key)}=${showValue(value)}`,
  )
  const padded = line.level + ' '.repeat(Math.max(0, 'error'.length - level.length))
  const head = [line.timestamp, padded, `${line.service}:`, escapeControls(line.message), ...pairs]
  return [head.join(' '), ...Object.values(line.fields).flatMap(stackLines)].join('\n')
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

// Such characters could forge a second line, control the reader's terminal, or change the order in which it shows a line.
// oxlint-disable-next-line no-control-regex -- the pattern must match control characters
const controlCharacters = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

function escapeControls(text: string): string {
  return text.replace(controlCharacters, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}
