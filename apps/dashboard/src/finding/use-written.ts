import { useState } from 'react'
import { type Fields, faultOf } from './fields.ts'
import { keepPlaces } from './places.ts'
import { type Suggestion, suggest } from './suggest.ts'

interface Written<Name extends string> {
  readonly text: string
  readonly options: readonly Suggestion<Name>[]
  /** The option that somebody has moved to. */
  readonly at?: number
  /** Whether Enter was pressed before the values were read. */
  readonly isEntered?: boolean
}

/** What somebody has written, and what it may mean: as long as the text stands, its options keep their places. */
export function useWritten<Name extends string>(fields: Fields<Name>) {
  const [written, setWritten] = useState<Written<Name>>({ text: '', options: [] })
  const { text, at, isEntered = false } = written
  const options = keepPlaces(fields, written.options, suggest(fields, text))
  // React draws again at once, with the same list: keepPlaces gives another only when an option has come.
  if (options !== written.options) setWritten({ ...written, options })
  const isReading = fields.isReading === true
  return {
    text,
    options,
    /** Enter in an empty field takes nothing that nobody has chosen. */
    currentAt: at ?? (text.trim() === '' ? -1 : 0),
    /** Whether the text may get a meaning once the values are read. */
    isWaiting: isReading && options.length === 0 && faultOf(fields, text) === undefined,
    /** Whether Enter was pressed before the values were read, and now they are. */
    isDue: isEntered && !isReading,
    write: (next: string) => setWritten({ text: next, options: [] }),
    moveTo: (next: number) => setWritten({ text, options, at: next }),
    /** Remembers that Enter was pressed, or forgets it. */
    setEntered: (next: boolean) => setWritten({ ...written, options, isEntered: next }),
  }
}
