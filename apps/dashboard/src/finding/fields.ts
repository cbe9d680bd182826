import { nowMs } from '../shell/clock.ts'
import { type Word, wordsOf } from './words.ts'

/** One condition of a search. */
export interface Filter<Name extends string> {
  readonly name: Name
  readonly value: string
}

/** The fields by which a list can be searched. */
export interface Fields<Name extends string> {
  readonly names: readonly Name[]
  /** The prefix of fields with arbitrary names: `metadata.`. */
  readonly memberPrefix?: string
  /** Aliases of field names; `meta.` is an alias of the prefix. */
  readonly aliases?: Readonly<Record<string, string>>
  /** Fields that take several values. One must match. */
  readonly several?: readonly Name[]
  /** The known values of each field and metadata member, the most likely first. */
  readonly known?: Readonly<Partial<Record<Name, readonly string[]>>>
  /** Whether the known values are still loading. */
  readonly isLoading?: boolean
  /** Fields that accept only known values. */
  readonly closed?: readonly Name[]
  /** Fields that are suggested for an unknown value without a name, besides metadata members. */
  readonly open?: readonly Name[]
  /** Fields whose values are instants. */
  readonly instants?: readonly Name[]
}

/** The field for a typed name; undefined if there is none. */
export function fieldOf<Name extends string>(
  { names, memberPrefix, aliases = {} }: Fields<Name>,
  typed: string,
): Name | undefined {
  const [, head = '', member = ''] = /^([^.]*\.?)(.*)$/.exec(typed) ?? []
  const name = `${Object.hasOwn(aliases, head) ? aliases[head] : head}${member}`
  const isMember = memberPrefix !== undefined && name.startsWith(memberPrefix) && name !== memberPrefix
  return isMember || (names as readonly string[]).includes(name) ? (name as Name) : undefined
}

/** The filter for a word with a name, or an error message. */
export function readWord<Name extends string>(
  fields: Fields<Name>,
  { name: typed = '', value }: Word,
): Filter<Name> | string {
  const name = fieldOf(fields, typed)
  if (name === undefined) return `Unknown field: ${typed}.`
  if (value === '') return `${typed} needs a value.`
  if (fields.instants?.includes(name) === true) {
    const instant = instantOf(value)
    return instant === undefined
      ? `${typed} takes a time such as 2026-01-15T09:30Z, or an age such as 2h.`
      : { name, value: instant }
  }
  const known = fields.known?.[name] ?? []
  if (fields.closed?.includes(name) !== true || known.includes(value)) return { name, value }
  return `${typed} must be one of: ${known.join(', ')}.`
}

/** The error message for a text; undefined if it is valid. */
export function faultOf<Name extends string>(fields: Fields<Name>, text: string): string | undefined {
  const named = wordsOf(text).filter(({ name }) => name !== undefined)
  const read = named.map((word) => readWord(fields, word))
  const fault = read.find((one) => typeof one === 'string')
  if (fault !== undefined) return fault
  const names = read.flatMap((one) => (typeof one === 'string' ? [] : [one.name]))
  const twice = names.find((name, at) => names.indexOf(name) < at && fields.several?.includes(name) !== true)
  return twice === undefined ? undefined : `${twice} takes only one value.`
}

/** The changed values after filters are added. A new value replaces the old one, unless the field takes several. */
export function withFilters<Name extends string>(
  { several = [] }: Pick<Fields<Name>, 'several'>,
  values: Readonly<Partial<Record<Name, string | undefined>>>,
  filters: readonly Filter<Name>[],
): Partial<Record<Name, string>> {
  const changes: Partial<Record<Name, string>> = {}
  for (const { name, value } of filters) {
    const others = (changes[name] ?? values[name])?.split(',') ?? []
    changes[name] = several.includes(name) ? [...new Set([...others, value])].join(',') : value
  }
  return changes
}

const unitsMs: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 }

/** `2026-01-15`, `2026-01-15T09:30Z`, or how long ago: `30m`, `2h`, `7d`. */
function instantOf(text: string): string | undefined {
  const [, count, unit = ''] = /^(\d{1,6})([mhd])$/.exec(text) ?? []
  if (count === undefined && !/^\d{4}-\d\d/.test(text)) return undefined
  const atMs = count === undefined ? Date.parse(text) : nowMs() - Number(count) * (unitsMs[unit] ?? 0)
  return Number.isNaN(atMs) ? undefined : new Date(atMs).toISOString()
}
