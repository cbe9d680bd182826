import type { Fields } from './fields.ts'
import { shownMax, type Suggestion } from './suggest.ts'

/**
 * The options of a text that stands, when more is known than before: those that are shown keep their places, so that Enter takes what
 * somebody has seen, and others come behind them. The list itself, where none comes.
 */
export function keepPlaces<Name extends string>(
  fields: Fields<Name>,
  shown: readonly Suggestion<Name>[],
  found: readonly Suggestion<Name>[],
): readonly Suggestion<Name>[] {
  const keys = new Set(shown.map((suggestion) => keyOf(fields, suggestion)))
  const others = found.filter((suggestion) => !keys.has(keyOf(fields, suggestion)))
  const added = others.slice(0, shownMax - shown.length)
  return added.length === 0 ? shown : [...shown, ...added]
}

/** What makes an option the same one for a text. An age such as `2h` is another instant each time that it is read. */
export function keyOf<Name extends string>(
  { instants = [] }: Fields<Name>,
  suggestion: Suggestion<Name>,
): string {
  switch (suggestion.does) {
    case 'open':
      return suggestion.jobId
    case 'write':
      return suggestion.name
    case 'filter':
      return JSON.stringify(
        suggestion.filters.map(({ name, value }) => (instants.includes(name) ? [name] : [name, value])),
      )
  }
}
