import { type Fields, fieldOf, type Filter, readWord } from './fields.ts'
import { type Word, wordsOf } from './words.ts'

/** A possible meaning of a text. */
export type Suggestion<Name extends string> =
  | { readonly does: 'filter'; readonly filters: readonly Filter<Name>[] }
  /** Completes the text to the name of a field, which still needs a value. */
  | { readonly does: 'write'; readonly name: string; readonly text: string }
  | { readonly does: 'open'; readonly jobId: string }

/** The maximum number of suggestions. */
export const shownMax = 8

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/**
 * The suggestions for a text, the most likely first: known values, then field names that begin with it, then fields that an unknown
 * value could belong to. The last ones are left out while values are loading. None if a part of the text has no meaning.
 */
export function suggest<Name extends string>(
  fields: Fields<Name>,
  text: string,
): readonly Suggestion<Name>[] {
  const trimmed = text.trim()
  if (uuid.test(trimmed)) return [{ does: 'open', jobId: trimmed.toLowerCase() }]
  const words = wordsOf(text)
  const last = words.at(-1)
  if (last === undefined)
    return namesLike(fields, '').map((name) => ({ does: 'write', name, text: `${name}:` }))
  const before = words.slice(0, -1).map((word) => {
    const meanings = knownMeanings(fields, word)
    return meanings.length > 0 ? meanings : guesses(fields, word)
  })
  const known =
    last.name === undefined || /\s$/.test(text) ? knownMeanings(fields, last) : completions(fields, last)
  const isReadable = before.every((meanings) => meanings.length > 0)
  const names = isReadable && last.name === undefined ? namesLike(fields, last.value) : []
  return [
    ...combinations(fields, [...before, known]).map(asFilters),
    ...names.map((name) => ({ does: 'write' as const, name, text: `${text.slice(0, last.at)}${name}:` })),
    ...(words.length === 1 || known.length === 0
      ? combinations(fields, [...before, guesses(fields, last)]).map(asFilters)
      : []),
  ].slice(0, shownMax)
}

function asFilters<Name extends string>(filters: readonly Filter<Name>[]): Suggestion<Name> {
  return { does: 'filter', filters }
}

/** The filter of a word with a name. For a value alone, the fields with that value, then the fields with a value that begins with it. */
function knownMeanings<Name extends string>(fields: Fields<Name>, word: Word): readonly Filter<Name>[] {
  if (word.name !== undefined) {
    const read = readWord(fields, word)
    return typeof read === 'string' ? [] : [read]
  }
  const lowerText = word.value.toLowerCase()
  const fieldsWith = (matches: (value: string) => boolean): Filter<Name>[] =>
    entriesOf(fields).flatMap(([name, values]) =>
      values.filter((value) => matches(value.toLowerCase())).map((value) => ({ name, value })),
    )
  return [
    ...fieldsWith((value) => value === lowerText),
    ...fieldsWith((value) => value.startsWith(lowerText) && value !== lowerText),
  ]
}

/** The filter of a word with a name, followed by the known values that contain its text. */
function completions<Name extends string>(fields: Fields<Name>, word: Word): readonly Filter<Name>[] {
  const name = fieldOf(fields, word.name ?? '')
  if (name === undefined) return []
  const lowerText = word.value.toLowerCase()
  const others = (fields.known?.[name] ?? []).filter((value) => value !== word.value)
  const completed = [
    ...others.filter((value) => value.toLowerCase().startsWith(lowerText)),
    ...others.filter((value) => value.toLowerCase().indexOf(lowerText) > 0),
  ]
  return [...knownMeanings(fields, word), ...completed.map((value) => ({ name, value }))]
}

/** The fields that an unknown value could belong to: first the field whose known values have a similar shape. */
function guesses<Name extends string>(
  fields: Fields<Name>,
  { name: written, value }: Word,
): readonly Filter<Name>[] {
  const { memberPrefix, open = [], isLoading = false } = fields
  if (written !== undefined || isLoading) return []
  const shape = shapeOf(value)
  const likeness = (values: readonly string[]): number =>
    values.filter((one) => shapeOf(one) === shape).length / Math.max(1, values.length)
  return entriesOf(fields)
    .filter(([name]) => open.includes(name) || (memberPrefix !== undefined && name.startsWith(memberPrefix)))
    .filter(([, values]) => !values.includes(value))
    .map(([name, values]) => ({ filter: { name, value }, likeness: likeness(values) }))
    .toSorted((a, b) => b.likeness - a.likeness)
    .map(({ filter }) => filter)
}

/** `c-17` and `c-3` have the same shape, as do `4711` and `12`. */
function shapeOf(value: string): string {
  return value.replaceAll(/\d+/g, '9').replaceAll(/[a-z]+/gi, 'a')
}

function entriesOf<Name extends string>({ known }: Fields<Name>) {
  return Object.entries(known ?? {}) as [Name, readonly string[]][]
}

/** The field names that begin with a text. A metadata member also matches without its prefix. */
function namesLike<Name extends string>(fields: Fields<Name>, text: string): readonly string[] {
  const { names, memberPrefix = '' } = fields
  const lowerText = text.toLowerCase()
  const begins = (name: string): boolean => name.toLowerCase().startsWith(lowerText)
  const members = entriesOf(fields)
    .map(([name]) => name)
    .filter((name) => memberPrefix !== '' && name.startsWith(memberPrefix))
  return [
    ...names.filter(begins),
    ...members.filter((name) => begins(name) || begins(name.slice(memberPrefix.length))),
  ]
}

/** Every combination of one meaning per word, as far as they are compatible. */
function combinations<Name extends string>(
  { several = [] }: Fields<Name>,
  words: readonly (readonly Filter<Name>[])[],
): readonly (readonly Filter<Name>[])[] {
  const fits = (filters: readonly Filter<Name>[], { name }: Filter<Name>): boolean =>
    several.includes(name) || filters.every((other) => other.name !== name)
  return words.reduce<readonly (readonly Filter<Name>[])[]>(
    (combined, meanings) =>
      combined
        .flatMap((filters) => meanings.filter((one) => fits(filters, one)).map((one) => [...filters, one]))
        .slice(0, shownMax),
    [[]],
  )
}
