import { sharedAnswersCharactersMax, sharedMsMax } from './limits.ts'

/** The text of a response with its entity tag. */
export interface SharedAnswer {
  readonly text: string
  readonly etag: string
}

export interface TakeOptions {
  /** Maximum age of the response. With 0, a new one is made. */
  readonly maxAgeMs: number
  readonly make: () => Promise<SharedAnswer>
}

/** Responses that callers of one scope share for a moment, so that fifty viewers of a page cost as much as one. */
export interface SharedAnswers {
  /** The response with this name: a recent one, one that is just being made, or a new one. */
  take(name: string, options: TakeOptions): Promise<SharedAnswer>
  /** The response with this name that `take` would return without a read; undefined if there is none. */
  find(name: string, maxAgeMs: number): SharedAnswer | undefined
  /** The responses of one scope, which are shared with no other scope. */
  of(scope: string): SharedAnswers
}

interface Entry {
  readonly startedAtMs: number
  readonly answer: Promise<SharedAnswer>
  /** The response once it has been made. */
  made: SharedAnswer | undefined
  characters: number
}

/**
 * The age of a response counts from the start of its read. It is kept for `sharedMsMax`. A response that is made with maxAgeMs 0
 * replaces the shared one, and is kept only if there is one.
 */
export function createSharedAnswers(nowMs: () => number): SharedAnswers {
  // In the order of their start: a new entry goes to the end.
  const entries = new Map<string, Entry>()
  let characters = 0

  const drop = (name: string): void => {
    characters -= entries.get(name)?.characters ?? 0
    entries.delete(name)
  }
  const dropOld = (): void => {
    for (const [name, { startedAtMs }] of entries) {
      if (nowMs() - startedAtMs < sharedMsMax && characters <= sharedAnswersCharactersMax) return
      drop(name)
    }
  }
  const keep = (name: string, make: TakeOptions['make']): Promise<SharedAnswer> => {
    drop(name)
    dropOld()
    const entry: Entry = { startedAtMs: nowMs(), answer: make(), made: undefined, characters: 0 }
    entries.set(name, entry)
    const isKept = (): boolean => entries.get(name) === entry
    entry.answer.then(
      (made) => {
        const { text } = made
        entry.made = made
        if (!isKept()) return
        entry.characters = text.length
        characters += text.length
        dropOld()
      },
      () => isKept() && drop(name),
    )
    return entry.answer
  }
  const isYoung = ({ startedAtMs }: Entry, maxAgeMs: number): boolean =>
    nowMs() - startedAtMs < Math.min(maxAgeMs, sharedMsMax)
  const named = (prefix: string): SharedAnswers => ({
    take: (suffix, { maxAgeMs, make }) => {
      const name = `${prefix} ${suffix}`
      const known = entries.get(name)
      if (maxAgeMs <= 0) return known === undefined ? make() : keep(name, make)
      return known !== undefined && isYoung(known, maxAgeMs) ? known.answer : keep(name, make)
    },
    find: (suffix, maxAgeMs) => {
      const known = entries.get(`${prefix} ${suffix}`)
      return known !== undefined && isYoung(known, maxAgeMs) ? known.made : undefined
    },
    of: named,
  })
  return named('')
}
