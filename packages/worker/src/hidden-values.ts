import { inspect, types } from 'node:util'
import { mask, membersOf, selectParts, SensitiveParts, type UnbegunJob } from '@queue/core/internal'
import type { AttemptDefaults, HiddenValues } from '@queue/executor'
import { errorLengthMax, type Logger, type LogFields } from '@queue/loop'
import { ValueMatcher } from './value-matcher.ts'

/** Bounds of what is searched in one thrown value or one object of fields; more is left out. */
const nodesMax = 10_000
const charsMax = 262_144
const depthMax = 16
/** A stack begins with the message, which may be long. */
const stackLengthMax = 1_048_576
/** How often the values of a payload are read again, because its handler may have changed it: so many values, at most. */
const rereadValuesMax = 100_000

/** What an attempt hides; undefined where neither the job nor its kind declares a sensitive part. */
export function hiddenValuesOf(
  { sensitive, kindVersion }: UnbegunJob,
  declared: AttemptDefaults | undefined,
): AttemptHiddenValues | undefined {
  const ofKind = declared?.sensitive
  if (!hasPointers(sensitive) && !hasPointers(ofKind)) return undefined
  const known = [...(sensitive ?? []), ...(ofKind ?? [])]
  // Nothing is known of the parts of an older version that declares none, and the payload hides all of it.
  const isOlder = declared?.version !== undefined && declared.version !== kindVersion
  const pointers = sensitive === null && isOlder ? [...known, ''] : known
  return new AttemptHiddenValues(SensitiveParts.of(pointers), SensitiveParts.of(known))
}

function hasPointers(pointers: readonly string[] | null | undefined): boolean {
  return pointers !== undefined && pointers !== null && pointers.length > 0
}

/** A payload as a handler has it, and the parts of it that are sensitive. */
interface ParsedPayload {
  readonly payload: unknown
  readonly parts: SensitiveParts
}

/**
 * Hides the sensitive values of one attempt, or of all attempts of a batch, in whatever its handler throws or says. The values
 * are known in the forms of docs/kinds.md. Everything is hidden before it is cut. Never throws.
 */
export class AttemptHiddenValues implements HiddenValues {
  readonly #sentParts: SensitiveParts
  readonly #parts: SensitiveParts
  readonly #matcher = new ValueMatcher()
  readonly #known = new Set<string>()
  readonly #parsed: ParsedPayload[] = []
  #rereadsLeft = rereadValuesMax

  constructor(sentParts: SensitiveParts, parts: SensitiveParts) {
    this.#sentParts = sentParts
    this.#parts = parts
  }

  /** Adds the values of the payload as it was sent. */
  addSent(payload: unknown): void {
    this.#collect({ payload, parts: this.#sentParts })
  }

  addParsed(payload: unknown): void {
    const parsed = { payload, parts: this.#parts }
    this.#parsed.push(parsed)
    this.#collect(parsed)
  }

  addOther(other: HiddenValues): void {
    if (!(other instanceof AttemptHiddenValues) || other === this) return
    this.#parsed.push(...other.#parsed)
    for (const value of other.#known) this.#add(value)
  }

  /** The first `lengthMax` UTF-16 units of a text. */
  text(text: string, lengthMax?: number): string {
    this.#reread()
    return this.#matcher.hide(text, lengthMax)
  }

  /** A copy of a thrown value, or of the fields of a log line, that has only what may be shown. */
  value(thrown: unknown): unknown {
    this.#reread()
    return this.#copy(thrown, { nodesLeft: nodesMax, charsLeft: charsMax, ancestors: new Set() })
  }

  /** A logger in whose lines the values are hidden. */
  logger(logger: Logger): Logger {
    const write = (level: keyof Logger) => (message: string, fields?: LogFields) =>
      fields === undefined
        ? logger[level](this.text(message))
        : logger[level](this.text(message), this.value(fields) as LogFields)
    return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') }
  }

  /** The handler may have changed its payload since its values were read. */
  #reread(): void {
    if (this.#rereadsLeft <= 0) return
    for (const parsed of this.#parsed) this.#rereadsLeft -= this.#collect(parsed)
  }

  /** Returns how many values it has seen. */
  #collect({ payload, parts }: ParsedPayload): number {
    try {
      const texts = selectParts(payload, parts).flatMap((part) => textsOf(part))
      for (const text of texts) if (!this.#known.has(text)) this.#addForms(text)
      return texts.length + 1
    } catch {
      // A getter of the payload throws: what it hides cannot be in a text either.
      return 1
    }
  }

  #addForms(text: string): void {
    for (const form of formsOf(text)) this.#add(form)
  }

  #add(value: string): void {
    if (this.#known.has(value)) return
    this.#known.add(value)
    this.#matcher.add(value)
  }

  #copy(value: unknown, walk: Walk): unknown {
    walk.nodesLeft -= 1
    if (typeof value === 'string') return this.#copyText(value, walk)
    if (typeof value === 'number' || typeof value === 'bigint') {
      const text = String(value)
      return this.#matcher.hide(text) === text ? value : mask
    }
    if (typeof value === 'object' && value !== null) return this.#copyObject(value, walk)
    return typeof value === 'function' || typeof value === 'symbol' ? `[${typeof value}]` : value
  }

  #copyText(text: string, walk: Walk): string {
    const shown = this.#matcher.hide(text, Math.max(walk.charsLeft, 0))
    walk.charsLeft -= shown.length
    return shown
  }

  #copyObject(value: object, walk: Walk): unknown {
    if (walk.ancestors.has(value)) return '[circular]'
    if (walk.ancestors.size >= depthMax || walk.nodesLeft <= 0) return '[left out]'
    walk.ancestors.add(value)
    try {
      if (types.isNativeError(value) || value instanceof Error) return this.#copyError(value, walk)
      if ('toJSON' in value && typeof value.toJSON === 'function') return this.#copy(value.toJSON(), walk)
      if (Array.isArray(value) || value instanceof Set) return this.#copyItems([...value], walk)
      return withClassOf(value, this.#copyMembers(membersOf(value), walk), (name) => this.#matcher.hide(name))
    } catch {
      return '[unreadable]'
    } finally {
      walk.ancestors.delete(value)
    }
  }

  #copyItems(items: readonly unknown[], walk: Walk): unknown[] {
    return items.slice(0, Math.max(walk.nodesLeft, 0)).map((item) => this.#copy(item, walk))
  }

  #copyMembers(members: readonly [string, unknown][], walk: Walk): object {
    return Object.fromEntries(
      members
        .slice(0, Math.max(walk.nodesLeft, 0))
        .map(([name, member]) => [this.#copyText(name, walk), this.#copy(member, walk)]),
    )
  }

  /** The members that are stored or logged: drivers add others, such as the failing row. */
  #copyError(error: Error, walk: Walk): Error {
    const hide = (text: unknown, lengthMax: number) => this.#matcher.hide(String(text), lengthMax)
    const copy = new Error(hide(error.message, errorLengthMax))
    define(copy, 'name', hide(error.name, errorLengthMax))
    define(copy, 'stack', error.stack === undefined ? undefined : hide(error.stack, stackLengthMax))
    for (const name of ['code', 'errors', 'issues', 'cause'] as const) {
      const member: unknown = Reflect.get(error, name)
      if (member !== undefined) define(copy, name, this.#copy(member, walk))
    }
    return withClassOf(error, copy, (name) => hide(name, errorLengthMax))
  }
}

/** The state of one copy: its remaining bounds, and the objects that contain the current value. */
interface Walk {
  nodesLeft: number
  charsLeft: number
  readonly ancestors: Set<object>
}

/** Gives the copy the class name of the original, by which failures are grouped. */
function withClassOf<Copy extends object>(
  original: object,
  copy: Copy,
  hide: (name: string) => string,
): Copy {
  const { constructor } = original
  if (typeof constructor !== 'function' || constructor === Object || constructor === Error) return copy
  const named = { [hide(constructor.name)]: () => undefined }
  return define(copy, 'constructor', Object.values(named)[0])
}

function define<Target extends object>(target: Target, name: string, value: unknown): Target {
  return Object.defineProperty(target, name, { value, enumerable: false, writable: true, configurable: true })
}

/** Names of members like these are words of a program, and not data. */
const programName = /^[A-Za-z_$][A-Za-z_$-]*\d{0,2}$/

/** The texts that a sensitive value has: those of its leaves, and names of its members that are data. */
function textsOf(value: unknown, ancestors = new Set<object>()): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value === 'number' || typeof value === 'bigint') return [String(value)]
  if (typeof value !== 'object' || value === null || ancestors.has(value)) return []
  if (value instanceof Date) return dateTexts(value)
  ancestors.add(value)
  const isList = Array.isArray(value) || value instanceof Set
  const texts =
    'toJSON' in value && typeof value.toJSON === 'function'
      ? textsOf(value.toJSON(), ancestors)
      : membersOf(value).flatMap(([name, member]) => [
          ...(isList || programName.test(name) ? [] : [name]),
          ...textsOf(member, ancestors),
        ])
  ancestors.delete(value)
  return texts
}

function dateTexts(date: Date): string[] {
  if (Number.isNaN(date.getTime())) return []
  const iso = date.toISOString()
  return [
    iso,
    iso.slice(0, 10),
    String(date),
    date.toUTCString(),
    date.toDateString(),
    String(date.getTime()),
  ]
}

/** The forms in which a text can occur: as it is, trimmed, in lower case, and escaped as JSON or as Node prints it. */
function formsOf(text: string): Set<string> {
  const plain = [text, text.trim()].flatMap((form) => [form, form.toLowerCase()])
  return new Set(
    plain.flatMap((form) => [
      form,
      JSON.stringify(form).slice(1, -1),
      inspect(form, inspectOptions).slice(1, -1),
    ]),
  )
}

const inspectOptions = { maxStringLength: null, breakLength: Number.POSITIVE_INFINITY }
