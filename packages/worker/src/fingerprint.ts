import { createHash } from 'node:crypto'
import { storableText } from '@queue/loop'

/** The cause of a failure. */
export interface FailureCause {
  /** Its name, with the code where it has one: `DatabaseError 23505`. */
  readonly errorClass: string
  /** The same for failures of one cause: 16 hexadecimal digits. */
  readonly fingerprint: string
}

const messageLengthMax = 1_000
const stackLengthMax = 16_384
const classLengthMax = 100
const framesMax = 3
const causesMax = 5
const issuesMax = 20

/**
 * The cause of a failure of this kind: class, message without what differs from one failure to the next, and the three innermost
 * frames of the application, of the error and of what it names as its causes. Never throws, whatever was thrown.
 */
export function causeOf(kind: string, thrown: unknown): FailureCause {
  try {
    const chain = chainOf(thrown)
    const [first] = chain
    const parts = chain.map((one) => [classOf(one), messageOf(one), framesOf(one)])
    return { errorClass: classOf(first), fingerprint: digestOf([kind, ...parts]) }
  } catch {
    // A getter or a proxy that was thrown has thrown as well.
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

/** What was thrown and its causes: `fetch failed` says nothing without them. An error for several has the first of them. */
function chainOf(thrown: unknown): unknown[] {
  const chain: unknown[] = []
  for (let one = thrown; chain.length <= causesMax && !chain.includes(one); ) {
    chain.push(one)
    if (!isObject(one)) break
    const next: unknown = one['cause'] ?? (Array.isArray(one['errors']) ? one['errors'][0] : undefined)
    if (next === undefined || next === null) break
    one = next
  }
  return chain
}

function classOf(thrown: unknown): string {
  if (!isObject(thrown)) return typeof thrown
  const { name, code } = thrown
  const made = thrown['constructor']
  // Libraries that set no name inherit `Error`; node-postgres calls its errors `error`.
  const isSaid = typeof name === 'string' && name !== '' && name.toLowerCase() !== 'error'
  const own = isSaid ? name : typeof made === 'function' && made.name !== '' ? made.name : 'Error'
  // A number is the exit code of a process as often as it names a cause.
  const isCode = typeof code === 'string' && /^[\w.-]{1,40}$/.test(code)
  return storableText(isCode ? `${own} ${code}` : own, classLengthMax)
}

/** What is wrong with an input is said by its places and codes: the message has the values. */
function messageOf(thrown: unknown): string {
  if (!isObject(thrown)) return typeof thrown === 'symbol' ? 'symbol' : plainMessage(String(thrown))
  const { issues, message, code } = thrown
  if (Array.isArray(issues) && issues.length > 0) return issuesText(issues)
  const text = typeof message === 'string' ? message : Object.keys(thrown).slice(0, issuesMax).join(' ')
  // The names in these errors of PostgreSQL are those of tables, columns and constraints.
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

/** What differs between two failures of one cause; each pattern takes time in proportion to the text. */
const variable: readonly (readonly [RegExp, string])[] = [
  // The engine and fetch quote nothing here.
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
  // The engine quotes the name of a property, which is a part of the program.
  const unquoted = cut.replaceAll(quoted, (text, offset: number) =>
    quotes === 'keepQuoted' || /\((?:reading|setting) $/.test(cut.slice(Math.max(0, offset - 10), offset))
      ? text
      : '?',
  )
  return variable.reduce((text, [pattern, by]) => text.replaceAll(pattern, by), unquoted).trim()
}

/** The innermost frames of the application: function and file, without the lines, which differ from release to release. */
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
