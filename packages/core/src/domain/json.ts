/** JSON as PostgreSQL's jsonb can hold it, and the checks before a row is written. */
import { types } from 'node:util'

export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue }

/** The reason why a value cannot be stored, and its place in the document. */
export interface JsonFault {
  readonly path: readonly (string | number)[]
  readonly message: string
}

/**
 * An object or array whose members are still to be checked, and how it was reached. Its path is built only for a fault. The
 * visits are a linked list, because the first element of an array takes as much memory as seventeen.
 */
interface Visit {
  readonly container: object
  readonly depth: number
  readonly key: string | number
  readonly parent: Visit | undefined
  readonly next: Visit | undefined
}

function pathOf(visit: Visit | undefined): (string | number)[] {
  const path: (string | number)[] = []
  for (let at = visit; at?.parent !== undefined; at = at.parent) path.push(at.key)
  return path.reverse()
}

export interface JsonBounds {
  /** How many levels of objects and arrays may be nested. */
  readonly depthMax: number
  /** How many values there may be: each object, array, string, number, boolean and null counts as one. Absent: any number. */
  readonly nodesMax?: number
  /**
   * Whether a caller sends it. Then an integer is refused where doubles are further apart than integers, so that it may not be the
   * one that was meant, and so is a member named `__proto__`, because code that copies the document may set a prototype.
   */
  readonly isInput?: boolean
}

/**
 * The first reason why `value` would not come back from jsonb unchanged, or exceeds its bounds; undefined when there is
 * none. jsonb has no U+0000, no lone surrogates and no numbers beyond the finite range of a double. The walk is a loop
 * and not a recursion, so that a hostile nesting depth cannot exhaust the stack. It visits each value once.
 */
export function findJsonFault(value: unknown, bounds: JsonBounds): JsonFault | undefined {
  const walk = new Walk(bounds)
  const fault = walk.check(value, '', undefined)
  return fault ?? walk.run()
}

class Walk {
  readonly #depthMax: number
  readonly #nodesMax: number
  readonly #isInput: boolean
  #pending: Visit | undefined
  #nodes = 0

  constructor({ depthMax, nodesMax = Number.POSITIVE_INFINITY, isInput = false }: JsonBounds) {
    this.#depthMax = depthMax
    this.#nodesMax = nodesMax
    this.#isInput = isInput
  }

  run(): JsonFault | undefined {
    for (let visit = this.#pending; visit !== undefined; visit = this.#pending) {
      this.#pending = visit.next
      const fault = Array.isArray(visit.container) ? this.#checkItems(visit) : this.#checkMembers(visit)
      if (fault !== undefined) return fault
    }
    return undefined
  }

  /** Checks one value. The members of an object or array are checked later, by `run`. */
  check(value: unknown, key: string | number, parent: Visit | undefined): JsonFault | undefined {
    const depth = parent === undefined ? 0 : parent.depth + 1
    this.#nodes += 1
    const message =
      leafFault(value) ?? (this.#isInput ? integerFault(value) : undefined) ?? this.#boundFault(depth)
    if (message !== undefined) return { path: parent === undefined ? [] : [...pathOf(parent), key], message }
    if (typeof value === 'object' && value !== null)
      this.#pending = { container: value, depth, key, parent, next: this.#pending }
    return undefined
  }

  #boundFault(depth: number): string | undefined {
    if (depth > this.#depthMax) return `nested deeper than ${this.#depthMax}`
    return this.#nodes > this.#nodesMax ? `is a document of more than ${this.#nodesMax} values` : undefined
  }

  #checkItems(visit: Visit): JsonFault | undefined {
    const items = visit.container as readonly unknown[]
    for (let index = 0; index < items.length; index += 1) {
      const fault = this.check(items[index], index, visit)
      if (fault !== undefined) return fault
    }
    return undefined
  }

  #checkMembers(visit: Visit): JsonFault | undefined {
    const members = visit.container as Readonly<Record<string, unknown>>
    for (const key of Object.keys(members)) {
      const keyFault = textFault(key)
      if (keyFault !== undefined) return { path: pathOf(visit), message: `a key ${keyFault}` }
      if (this.#isInput && key === '__proto__')
        return { path: [...pathOf(visit), key], message: 'must not be a member name' }
      const member = members[key]
      // JSON.stringify leaves out a member that is undefined.
      const fault = member === undefined ? undefined : this.check(member, key, visit)
      if (fault !== undefined) return fault
    }
    return undefined
  }
}

/** From here on JavaScript writes a number with an exponent, which nobody takes for an integer. */
const exponentFrom = 1e21

/**
 * Why an integer cannot be trusted: beyond 2^53 several integers become the same double, which is written as one of
 * them.
 */
export function integerFault(value: unknown): string | undefined {
  const isRounded =
    typeof value === 'number' &&
    Math.abs(value) > Number.MAX_SAFE_INTEGER + 1 &&
    Math.abs(value) < exponentFrom
  return isRounded
    ? 'is an integer beyond 2^53, which a double may have rounded: send it as a text'
    : undefined
}

function leafFault(value: unknown): string | undefined {
  switch (typeof value) {
    case 'string':
      return textFault(value)
    case 'number':
      return Number.isFinite(value) ? undefined : 'is not a finite number'
    case 'boolean':
      return undefined
    case 'object':
      return objectFault(value)
    default:
      return `is of type ${typeof value}, which JSON does not have`
  }
}

/**
 * A date is stored as its ISO text, which an invalid date does not have. An object counts as plain when its prototype
 * is a root prototype. Comparing it with the `Object.prototype` of this realm would refuse objects from another realm
 * (a vm context, a test runner).
 */
function objectFault(value: object | null): string | undefined {
  if (value === null || Array.isArray(value)) return undefined
  if (types.isDate(value)) return Number.isNaN(value.getTime()) ? 'is a date without a time' : undefined
  const prototype: unknown = Object.getPrototypeOf(value)
  const plain = prototype === null || Object.getPrototypeOf(prototype) === null
  return plain ? undefined : 'is not plain JSON'
}

function textFault(text: string): string | undefined {
  if (text.includes('\u0000')) return 'contains U+0000, which PostgreSQL cannot store'
  if (!text.isWellFormed()) return 'contains a lone surrogate, which is not valid Unicode'
  return undefined
}

/** A number with an exponent, as JavaScript writes it, at a place where a document can have one. */
const exponent = /(?<=[[:,]|^)-?\d(?:\.\d+)?e[+-](\d+)/g

/**
 * The size of a JSON text as PostgreSQL returns it, in bytes. jsonb writes every number without an exponent, 1e300 with
 * 301 digits, so a small document of such numbers could come back fifty times as large.
 */
export function writtenOutBytes(jsonText: string): number {
  let bytes = Buffer.byteLength(jsonText)
  // Matching the pattern takes longer than everything else here, and few texts contain such a number.
  if (!jsonText.includes('e+') && !jsonText.includes('e-')) return bytes
  for (const [, digits] of jsonText.matchAll(exponent)) bytes += Number(digits)
  return bytes
}

/** A UTF-16 unit has three bytes of UTF-8 at most. */
const bytesPerUnitMax = 3

/** The total size of these texts in UTF-8 bytes where it exceeds `bytesMax`; undefined otherwise. */
export function bytesBeyond(texts: readonly string[], bytesMax: number): number | undefined {
  const units = texts.reduce((sum, text) => sum + text.length, 0)
  // Counting bytes reads every text, and few batches come near the limit.
  if (units * bytesPerUnitMax <= bytesMax) return undefined
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)
  return bytes > bytesMax ? bytes : undefined
}

/** The JSON text of `value` with object keys in code-unit order, so that equal documents have equal texts. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  )
}
