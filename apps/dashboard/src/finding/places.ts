import type { Fields } from './fields.ts'
import { shownMax, type Suggestion } from './suggest.ts'

/**
 * The suggestions for an unchanged text when more values are known. The shown ones keep their places, so that Enter applies what the
 * user has seen, and new ones are appended. Returns the same array if there are no new ones.
 */
export function keepPlaces<Name extends string>(
  fields: Fields<Name>,
  shown: readonly Suggestion<Name>[],
  suggestions: readonly Suggestion<Name>[],
): readonly Suggestion<Name>[] {
  const keys = new Set(shown.map((suggestion) => keyOf(fields, suggestion)))
  const others = suggestions.filter((suggestion) => !keys.has(keyOf(fields, suggestion)))
  const added = others.slice(0, shownMax - shown.length)
  return added.length === 0 ? shown : [...shown, ...added]
}

/** The identity of a suggestion. The value of an instant is left out, because an age such as `2h` is a new instant each time. */
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
