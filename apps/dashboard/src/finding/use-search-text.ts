import { useState } from 'react'
import { type Fields, faultOf } from './fields.ts'
import { keepPlaces } from './places.ts'
import { type Suggestion, suggest } from './suggest.ts'

interface SearchText<Name extends string> {
  readonly text: string
  readonly options: readonly Suggestion<Name>[]
  /** The index of the option that the user moved to. */
  readonly at?: number
  /** Whether Enter was pressed before the values were loaded. */
  readonly isEntered?: boolean
}

/** The text of a search field and its suggestions. While the text is unchanged, suggestions keep their places. */
export function useSearchText<Name extends string>(fields: Fields<Name>) {
  const [state, setState] = useState<SearchText<Name>>({ text: '', options: [] })
  const { text, at, isEntered = false } = state
  const options = keepPlaces(fields, state.options, suggest(fields, text))
  // This does not loop: keepPlaces returns the same array unless there is a new suggestion.
  if (options !== state.options) setState({ ...state, options })
  const isLoading = fields.isLoading === true
  return {
    text,
    options,
    /** In an empty field, no suggestion is selected until the user moves to one. */
    currentAt: at ?? (text.trim() === '' ? -1 : 0),
    /** Whether the text can get suggestions once the values are loaded. */
    isWaiting: isLoading && options.length === 0 && faultOf(fields, text) === undefined,
    /** Whether Enter was pressed before the values were loaded, and they are loaded now. */
    isDue: isEntered && !isLoading,
    write: (next: string) => setState({ text: next, options: [] }),
    moveTo: (next: number) => setState({ text, options, at: next }),
    /** Sets whether Enter was pressed. */
    setEntered: (next: boolean) => setState({ ...state, options, isEntered: next }),
  }
}
