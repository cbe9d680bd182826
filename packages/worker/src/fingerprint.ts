import { createHash } from 'node:crypto'
import { storableText } from '@queue/loop'

/** The class and fingerprint of a failure. */
export interface FailureCause {
  /** The name of the error, with its code if it has one: `DatabaseError 23505`. */
  readonly errorClass: string
  /** 16 hexadecimal digits, equal for failures with the same cause. */
  readonly fingerprint: string
}

const messageLengthMax = 1_000
const stackLengthMax = 16_384
const classLengthMax = 100
const framesMax = 3
const causesMax = 5
const issuesMax = 20

/**
 * The cause of a failure of this kind. The fingerprint covers the error and its causes: of each its class, its message without
 * the variable parts, and the three innermost stack frames of the application. Never throws, whatever was thrown.
 */
export function causeOf(kind: string, thrown: unknown): FailureCause {
  try {
    const chain = chainOf(thrown)
    const [first] = chain
    const parts = chain.map((error) => [classOf(error), messageOf(error), framesOf(error)])
    return { errorClass: classOf(first), fingerprint: digestOf([kind, ...parts]) }
  } catch {
    // The thrown value is a proxy or has a getter that throws.
    return { errorClass: typeof thrown, fingerprint: digestOf([kind, typeof thrown]) }
  }
}

function digestOf(parts: unknown): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16)
}

type Thrown = Readonly<Record<string, unknown>>

function isObject(value: unknown): value is Thrown {
  return typeof value === 'object' && value !== null
}

/** The thrown value and its causes, because `fetch failed` says nothing without them. Of an AggregateError, its first error. */
function chainOf(thrown: unknown): unknown[] {
  const chain: unknown[] = []
  for (let error = thrown; chain.length <= causesMax && !chain.includes(error); ) {
    chain.push(error)
    if (!isObject(error)) break
    const next: unknown = error['cause'] ?? (Array.isArray(error['errors']) ? error['errors'][0] : undefined)
    if (next === undefined || next === null) break
    error = next
  }
  return chain
}

function classOf(thrown: unknown): string {
  if (!isObject(thrown)) return typeof thrown
  const { name, code } = thrown
  const constructor = thrown['constructor']
  // Libraries that set no name inherit `Error`; node-postgres calls its errors `error`.
  const hasOwnName = typeof name === 'string' && name !== '' && name.toLowerCase() !== 'error'
  const className = typeof constructor === 'function' && constructor.name !== '' ? constructor.name : 'Error'
  const errorName = hasOwnName ? name : className
  // Numeric codes are ignored: many are exit codes of processes and name no cause.
  const isCode = typeof code === 'string' && /^[\w.-]{1,40}$/.test(code)
  return storableText(isCode ? `${errorName} ${code}` : errorName, classLengthMax)
}

/** The message without its variable parts. For a validation error, the paths and codes of its issues: the message has values. */
function messageOf(thrown: unknown): string {
  if (!isObject(thrown)) return typeof thrown === 'symbol' ? 'symbol' : plainMessage(String(thrown))
  const { issues, message, code } = thrown
  if (Array.isArray(issues) && issues.length > 0) return issuesText(issues)
  const text = typeof message === 'string' ? message : Object.keys(thrown).slice(0, issuesMax).join(' ')
  // In errors of these classes PostgreSQL quotes names of tables, columns and constraints, which identify the cause.
  return plainMessage(
    text,
    typeof code === 'string' && /^(?:23|42)[0-9A-Z]{3}$/.test(code) ? 'keepQuoted' : 'plain',
  )
}

function issuesText(issues: readonly unknown[]): string {
  const texts = issues.slice(0, issuesMax).map((issue) => {
    if (!isObject(issue)) return plainMessage(String(issue))
    const { path, code, message } = issue
    const places = Array.isArray(path)
      ? path.map((part) => (typeof part === 'string' ? plainMessage(part) : '#'))
      : []
    return `${places.join('.')} ${typeof code === 'string' ? code : plainMessage(String(message))}`
  })
  return [...new Set(texts)].toSorted().join('; ')
}

const quoted = /"[^"\n]*"|`[^`\n]*`|“[^”\n]*”|(?<![\w)\]])'[^'\n]*'(?!\w)/g

/** Patterns of the parts that differ between failures with one cause. Each runs in time linear in the text. */
const variableParts: readonly (readonly [RegExp, string])[] = [
  // V8 and fetch put the value into these messages without quotes.
  [/\b(Cannot convert|Failed to parse URL from) \S+/g, '$1 ?'],
  [/\b(https?:\/\/[^\s/?#]+)[^\s]*/g, '$1'],
  [/[\w.+-]+@[\w.-]+/g, '#'],
  // Addresses, instants, uuids, versions and numbers, and ids with digits in them.
  [/(?<![\w:])[0-9a-f]{0,4}:(?::?[0-9a-f]{1,4})+/gi, '#'],
  [/\b(?=[\w-]{0,63}\d)[\w-]{12,}/g, '#'],
  [/\b(?:0x)?[0-9a-f]*\d[0-9a-f]*\b/gi, '#'],
  [/\d+(?:[.,:]\d+)*/g, '#'],
  [/#(?:[.,:/#-]+#)*/g, '#'],
  [/\s+/g, ' '],
]

function plainMessage(message: string, quotes: 'keepQuoted' | 'plain' = 'plain'): string {
  const cut = message.slice(0, messageLengthMax)
  // V8 quotes the name of the property in these messages. It is part of the program, so it stays.
  const unquoted = cut.replaceAll(quoted, (text, offset: number) =>
    quotes === 'keepQuoted' || /\((?:reading|setting) $/.test(cut.slice(Math.max(0, offset - 10), offset))
      ? text
      : '?',
  )
  return variableParts
    .reduce((text, [pattern, replacement]) => text.replaceAll(pattern, replacement), unquoted)
    .trim()
}

/** The innermost frames of the application: function and file, without line numbers, which change from release to release. */
function framesOf(thrown: unknown): string[] {
  if (!isObject(thrown)) return []
  const { stack } = thrown
  if (typeof stack !== 'string') return []
  const frames: string[] = []
  for (const line of stack.slice(0, stackLengthMax).split('\n')) {
    if (frames.length === framesMax) break
    const frame = frameOf(line)
    if (frame !== undefined) frames.push(frame)
  }
  return frames
}

function frameOf(line: string): string | undefined {
  if (
    !line.startsWith('    at ') ||
    line.includes('node_modules') ||
    /[( ](?:node:|native|<anonymous>|index )/.test(line)
  ) {
    return undefined
  }
  const text = line.slice(7).replace(/^async /, '')
  const nameEnd = text.endsWith(')') ? text.indexOf(' (') : -1
  const [name, place] = nameEnd === -1 ? ['', text] : [text.slice(0, nameEnd), text.slice(nameEnd + 2, -1)]
  const file = place
    .replace(/^file:\/\//, '')
    .replace(/(?::\d+){1,2}$/, '')
    .split(/[\\/]/)
    .slice(-2)
    .join('/')
  return `${name} ${file.replaceAll(/\d+/g, '#')}`
}
