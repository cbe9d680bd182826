// Hides the sensitive parts of a payload from callers without the permission `payload:read`.
import { z } from 'zod'
import type { JsonValue } from './json.ts'
import { mask } from './sensitive-parts.ts'
import { keptPointersMax, sensitivePointerLengthMax, sensitivePointersMax } from './limits.ts'

const pointerPattern = /^(?:\/(?:[^~/]|~[01])*)*$/

/**
 * JSON pointers (RFC 6901) into a payload. `*` stands for each element of an array and each member of an object. The
 * empty pointer is the whole payload.
 */
export const sensitiveSchema = z
  .array(
    z
      .string()
      .max(sensitivePointerLengthMax)
      .regex(pointerPattern, 'must be a JSON pointer, such as /card/number or /recipients/*/email'),
  )
  .max(sensitivePointersMax)

/** The pointers of a declaration as a job keeps them. Null hides everything, and so do more pointers than a job may keep. */
export function keptPointers(declared: readonly string[] | null): readonly string[] | null {
  return declared === null || declared.includes('') || declared.length > keptPointersMax ? null : declared
}

/** What is hidden of a payload that two declarations apply to: what either of them hides. */
export function mergedPointers(
  one: readonly string[] | null,
  other: readonly string[] | null,
): readonly string[] | null {
  return one === null || other === null ? null : keptPointers([...new Set([...one, ...other])])
}

/** For kinds that do not declare their sensitive parts: the whole payload counts as sensitive. */
export const everythingSensitive: readonly string[] = ['']

/** Shorter values are not searched for in texts: they would match almost anywhere. */
const searchedLengthMin = 3
/** A text is masked as a whole where more values than this would have to be searched for. */
const searchedValuesMax = 1_000

/** Hides the sensitive values of one job wherever they occur. */
export interface Masker {
  readonly payload: JsonValue
  /** The text, such as an error message, with each sensitive value masked. */
  text(text: string): string
  /** The document, such as a result, with each sensitive value masked. */
  document(document: JsonValue): JsonValue
}

/** A masker for the values that these pointers select in a payload. */
export function createMasker(payload: JsonValue, pointers: readonly string[]): Masker {
  const values = new Set<string>()
  const paths = pointers.map(parsePointer)
  const masked = maskAt(payload, paths, values)
  const searchedValues = [...values].toSorted((a, b) => b.length - a.length)
  const text = (original: string): string => {
    if (searchedValues.length > searchedValuesMax) return mask
    return searchedValues.reduce((rest, value) => rest.replaceAll(value, mask), original)
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

/** The value with everything masked that one of the paths selects. The masked leaves are added to `values`. */
function maskAt(value: JsonValue, paths: Paths, values: Set<string>): JsonValue {
  if (paths.some((path) => path.length === 0)) {
    if (value === null) return null
    addLeaves(value, values)
    return mask
  }
  if (paths.length === 0 || typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    return value.map((element, index) => maskAt(element, pathsBelow(paths, String(index)), values))
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, maskAt(member, pathsBelow(paths, key), values)]),
  )
}

/** The remainders of the paths that lead through this key. */
function pathsBelow(paths: Paths, key: string): Paths {
  return paths.filter(([head]) => head === key || head === '*').map((path) => path.slice(1))
}

function addLeaves(value: JsonValue, values: Set<string>): void {
  if (typeof value === 'object') {
    for (const member of value === null ? [] : Object.values(value)) addLeaves(member, values)
    return
  }
  const text = String(value)
  if (typeof value !== 'boolean' && text.length >= searchedLengthMin) values.add(text)
}

/** The document with each text replaced by `change`, and each number whose text becomes the mask. */
function mapTexts(value: JsonValue, change: (text: string) => string): JsonValue {
  if (typeof value === 'string') return change(value)
  if (typeof value === 'number') return change(String(value)) === mask ? mask : value
  if (Array.isArray(value)) return value.map((element) => mapTexts(element, change))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [change(key), mapTexts(member, change)]),
  )
}
