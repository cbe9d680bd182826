import { nowMs } from '../shell/clock.ts'
import { type Word, wordsOf } from './words.ts'

/** One condition of a search. */
export interface Filter<Name extends string> {
  readonly name: Name
  readonly value: string
}

/** What a list can be searched by. */
export interface Fields<Name extends string> {
  readonly names: readonly Name[]
  /** What begins the name of a field whose names are not known before: `metadata.`. */
  readonly memberPrefix?: string
  /** Other names for them; `meta.` is one for the prefix. */
  readonly aliases?: Readonly<Record<string, string>>
  /** Those that several values can be given of, of which one has to hold. */
  readonly several?: readonly Name[]
  /** What values are known of each, members of the metadata too, the likeliest first. */
  readonly known?: Readonly<Partial<Record<Name, readonly string[]>>>
  /** Whether more values will be known: they are being read, and reading them has not failed. */
  readonly isReading?: boolean
  /** Fields that have no other values than the known ones. */
  readonly closed?: readonly Name[]
  /** Fields that a value alone may be of that is not known, beside members of the metadata. */
  readonly open?: readonly Name[]
  /** Fields of an instant. */
  readonly instants?: readonly Name[]
}

/** The field of a name as it is written; undefined where there is none. */
export function fieldOf<Name extends string>(
  { names, memberPrefix, aliases = {} }: Fields<Name>,
  written: string,
): Name | undefined {
  const [, head = '', member = ''] = /^([^.]*\.?)(.*)$/.exec(written) ?? []
  const name = `${Object.hasOwn(aliases, head) ? aliases[head] : head}${member}`
  const isMember = memberPrefix !== undefined && name.startsWith(memberPrefix) && name !== memberPrefix
  return isMember || (names as readonly string[]).includes(name) ? (name as Name) : undefined
}

/** The condition that a word with a name says, or what is wrong with it. */
export function readWord<Name extends string>(
  fields: Fields<Name>,
  { name: written = '', value }: Word,
): Filter<Name> | string {
  const name = fieldOf(fields, written)
  if (name === undefined) return `There is no field ${written}.`
  if (value === '') return `${written}: has no value.`
  if (fields.instants?.includes(name) === true) {
    const instant = instantOf(value)
    return instant === undefined
      ? `${written}: takes an instant such as 2026-01-15T09:30Z, or an age such as 2h.`
      : { name, value: instant }
  }
  const known = fields.known?.[name] ?? []
  if (fields.closed?.includes(name) !== true || known.includes(value)) return { name, value }
  return `${written}: is one of ${known.join(', ')}.`
}

/** What is wrong with a text; undefined where nothing is. */
export function faultOf<Name extends string>(fields: Fields<Name>, text: string): string | undefined {
  const named = wordsOf(text).filter(({ name }) => name !== undefined)
  const read = named.map((word) => readWord(fields, word))
  const fault = read.find((one) => typeof one === 'string')
  if (fault !== undefined) return fault
  const names = read.flatMap((one) => (typeof one === 'string' ? [] : [one.name]))
  const twice = names.find((name, at) => names.indexOf(name) < at && fields.several?.includes(name) !== true)
  return twice === undefined ? undefined : `${twice}: is given twice, and one value alone can hold.`
}

/** What the values of a search become when conditions are added: one of a field that has one takes its place. */
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
