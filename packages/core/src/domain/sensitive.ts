// Which parts of a payload are not for everybody, and how they are hidden from the others.
import { z } from 'zod'
import type { JsonValue } from './json.ts'
import { sensitivePointerLengthMax, sensitivePointersMax } from './limits.ts'

/** What stands in place of a value that its reader may not see. */
export const mask = '***'

const pointerPattern = /^(?:\/(?:[^~/]|~[01])*)*$/

/**
 * JSON pointers (RFC 6901) into a payload; `*` stands for each element of an array and each member of an object. The empty
 * pointer is the whole payload.
 */
export const sensitiveSchema = z
  .array(
    z
      .string()
      .max(sensitivePointerLengthMax)
      .regex(pointerPattern, 'must be a JSON pointer, such as /card/number or /recipients/*/email'),
  )
  .max(sensitivePointersMax)

/** Kinds of which nobody has said what is sensitive: all of it is. */
export const everythingSensitive: readonly string[] = ['']

/** Shorter values are not searched for in texts: they would be found everywhere. */
const soughtLengthMin = 3
/** A text is hidden whole where more values than this would have to be searched for in it. */
const soughtMax = 1_000

/** Hides what is sensitive of one job, wherever it occurs. */
export interface Masker {
  readonly payload: JsonValue
  /** A text, such as an error, without the sensitive values that occur in it. */
  text(text: string): string
  /** A document, such as a result, likewise. */
  document(document: JsonValue): JsonValue
}

/** What hides the values at these pointers of a payload. */
export function createMasker(payload: JsonValue, pointers: readonly string[]): Masker {
  const values = new Set<string>()
  const paths = pointers.map(parsePointer)
  const masked = maskAt(payload, paths, values)
  const sought = [...values].toSorted((a, b) => b.length - a.length)
  const text = (from: string): string => {
    if (sought.length > soughtMax) return mask
    return sought.reduce((rest, value) => rest.replaceAll(value, mask), from)
  }
  const hidesAll = pointers.includes('')
  return {
    payload: masked,
    text,
    document: (document) => (hidesAll && document !== null ? mask : mapTexts(document, text)),
  }
}

function parsePointer(pointer: string): readonly string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
}

type Paths = readonly (readonly string[])[]

/** The value with everything masked that one of the paths leads to; the leaves of that are added to `values`. */
function maskAt(value: JsonValue, paths: Paths, values: Set<string>): JsonValue {
  if (paths.some((path) => path.length === 0)) {
    if (value === null) return null
    addLeaves(value, values)
    return mask
  }
  if (paths.length === 0 || typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    return value.map((element, index) => maskAt(element, below(paths, String(index)), values))
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, maskAt(member, below(paths, key), values)]),
  )
}

/** What is left of the paths that lead on through this key. */
function below(paths: Paths, key: string): Paths {
  return paths.filter(([head]) => head === key || head === '*').map((path) => path.slice(1))
}

function addLeaves(value: JsonValue, values: Set<string>): void {
  if (typeof value === 'object') {
    for (const member of value === null ? [] : Object.values(value)) addLeaves(member, values)
    return
  }
  const text = String(value)
  if (typeof value !== 'boolean' && text.length >= soughtLengthMin) values.add(text)
}

/** The document with each text in it, and each number that is one of the values, as `change` gives it. */
function mapTexts(value: JsonValue, change: (text: string) => string): JsonValue {
  if (typeof value === 'string') return change(value)
  if (typeof value === 'number') return change(String(value)) === mask ? mask : value
  if (Array.isArray(value)) return value.map((element) => mapTexts(element, change))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [change(key), mapTexts(member, change)]),
  )
}
