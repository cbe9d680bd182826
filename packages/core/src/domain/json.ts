/** JSON as PostgreSQL's jsonb can hold it, and the checks that say so before a row is written. */
import { types } from 'node:util'

export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue }

/** Why a value cannot be stored, and where it stands in the document. */
export interface JsonFault {
  readonly path: readonly (string | number)[]
  readonly message: string
}

/** A value to look at, and how it was reached: a path is put together for the one fault, not for each value. */
interface Visit {
  readonly value: unknown
  readonly depth: number
  readonly key: string | number
  readonly parent: Visit | undefined
}

function pathOf(visit: Visit): (string | number)[] {
  const path: (string | number)[] = []
  for (let at = visit; at.parent !== undefined; at = at.parent) path.push(at.key)
  return path.reverse()
}

/**
 * The first reason why `value` would not come back from jsonb as it went in, or undefined when it would.
 * jsonb has no U+0000, no lone surrogates and no numbers beyond a double's finite range. The walk is a loop and
 * not a recursion, so that a hostile nesting depth cannot exhaust the stack.
 */
export function findJsonFault(value: unknown, depthMax: number): JsonFault | undefined {
  const pending: Visit[] = [{ value, depth: 0, key: '', parent: undefined }]
  for (let visit = pending.pop(); visit !== undefined; visit = pending.pop()) {
    const message =
      leafFault(visit.value) ?? (visit.depth > depthMax ? `nested deeper than ${depthMax}` : undefined)
    if (message !== undefined) return { path: pathOf(visit), message }
    const fault = pushChildren(visit, pending)
    if (fault !== undefined) return fault
  }
  return undefined
}

function pushChildren(visit: Visit, pending: Visit[]): JsonFault | undefined {
  const { value } = visit
  const depth = visit.depth + 1
  if (Array.isArray(value)) {
    for (const [key, item] of value.entries()) pending.push({ value: item, depth, key, parent: visit })
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      const fault = textFault(key)
      if (fault !== undefined) return { path: pathOf(visit), message: `a key ${fault}` }
      // An undefined member is simply absent from the JSON text.
      if (item !== undefined) pending.push({ value: item, depth, key, parent: visit })
    }
  }
  return undefined
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
 * A date is stored as its ISO text, so one that has none cannot be stored. A plain object is one whose prototype is
 * a root: comparing it with this realm's would refuse what another realm (a vm context, a test runner's) has made.
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

/** A number as JavaScript writes it with an exponent, where a document can have one. */
const exponent = /(?<=[[:,]|^)-?\d(?:\.\d+)?e[+-](\d+)/g

/**
 * The bytes of a JSON text as PostgreSQL gives it back: jsonb writes every number out, 1e300 with 301 digits, so that
 * a small document of such numbers would come back fifty times as large.
 */
export function writtenOutBytes(jsonText: string): number {
  let bytes = Buffer.byteLength(jsonText)
  // Looking for the pattern takes longer than all else here, and hardly any text has a place where it could begin.
  if (!jsonText.includes('e+') && !jsonText.includes('e-')) return bytes
  for (const [, digits] of jsonText.matchAll(exponent)) bytes += Number(digits)
  return bytes
}

/** A UTF-16 unit has three bytes of UTF-8 at most. */
const bytesPerUnitMax = 3

/** The bytes that these texts come to in UTF-8, where that is more than `bytesMax`; undefined where it is not. */
export function bytesBeyond(texts: readonly string[], bytesMax: number): number | undefined {
  const units = texts.reduce((sum, text) => sum + text.length, 0)
  // Counting bytes reads every text, and hardly any batch comes near.
  if (units * bytesPerUnitMax <= bytesMax) return undefined
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)
  return bytes > bytesMax ? bytes : undefined
}

/** `text` as PostgreSQL can store it: U+0000 and lone surrogates become U+FFFD, and at most `lengthMax` units stay. */
export function storableText(text: string, lengthMax: number): string {
  const cut = text.length <= lengthMax ? text : `${text.slice(0, lengthMax - 1)}…`
  return cut.replaceAll('\u0000', '\uFFFD').toWellFormed()
}

/** The JSON text of `value` with object keys in code-unit order: equal documents have equal texts. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  )
}
