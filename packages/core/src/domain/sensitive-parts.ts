// Which parts of a document JSON pointers select. Takes time in proportion to the document, however many pointers there are.
import type { JsonValue } from './json.ts'

type Path = readonly string[]

/**
 * The pointers as seen from one place of a document: the remainders of those that lead there. What lies below by a name
 * is computed once for each name in a pointer, and once for all others.
 */
export class SensitiveParts {
  /** Whether a pointer ends here, so that the whole value is selected. */
  readonly isSelected: boolean
  readonly #paths: readonly Path[]
  readonly #names: ReadonlySet<string>
  readonly #below = new Map<string, SensitiveParts | undefined>()

  private constructor(paths: readonly Path[]) {
    this.isSelected = paths.some((path) => path.length === 0)
    this.#paths = paths
    this.#names = new Set(paths.flatMap(([head]) => (head === undefined || head === anyName ? [] : [head])))
  }

  /** JSON pointers (RFC 6901), in which `*` stands for each element of an array and each member of an object. */
  static of(pointers: readonly string[]): SensitiveParts {
    return new SensitiveParts(pointers.map(pathOf))
  }

  /** The pointers as seen from this member; undefined if none leads there. */
  below(name: string): SensitiveParts | undefined {
    const key = this.#names.has(name) ? name : anyName
    if (!this.#below.has(key)) {
      const paths = this.#paths.filter(([head]) => head === key || head === anyName)
      this.#below.set(
        key,
        paths.length === 0 ? undefined : new SensitiveParts(paths.map((path) => path.slice(1))),
      )
    }
    return this.#below.get(key)
  }
}

const anyName = '*'

function pathOf(pointer: string): Path {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** The text in place of a value that the reader may not see. */
export const mask = '***'

/** The payload with everything masked that one of the pointers selects. Null stays null. */
export function hidePayload(payload: JsonValue, pointers: readonly string[]): JsonValue {
  return pointers.length === 0 ? payload : hideParts(payload, SensitiveParts.of(pointers))
}

function hideParts(value: JsonValue, parts: SensitiveParts | undefined): JsonValue {
  if (parts === undefined || value === null) return value
  if (parts.isSelected) return mask
  if (typeof value !== 'object') return value
  if (Array.isArray(value))
    return value.map((element, index) => hideParts(element, parts.below(String(index))))
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, hideParts(member, parts.below(name))]),
  )
}

/** The values that the pointers select in a document, which may be what a schema has made of a payload. */
export function selectParts(value: unknown, parts: SensitiveParts | undefined): unknown[] {
  if (parts === undefined || value === null || value === undefined) return []
  if (parts.isSelected) return [value]
  if (typeof value !== 'object') return []
  return membersOf(value).flatMap(([name, member]) => selectParts(member, parts.below(name)))
}

/** The members of an object, the elements of an array, a map or a set, each with its name. */
export function membersOf(value: object): [string, unknown][] {
  if (value instanceof Map) return [...value].map(([name, member]) => [String(name), member])
  if (value instanceof Set) return [...value].map((member, index) => [String(index), member])
  return Object.entries(value)
}
