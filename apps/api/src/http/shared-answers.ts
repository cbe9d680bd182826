import { sharedAnswersCharactersMax, sharedMsMax } from './limits.ts'

/** The text of an answer, and its tag. */
export interface SharedAnswer {
  readonly text: string
  readonly etag: string
}

export interface TakeOptions {
  /** How old the answer may be. With 0 it is made anew. */
  readonly maxAgeMs: number
  readonly make: () => Promise<SharedAnswer>
}

/** Answers that callers of one scope share for a moment, so that fifty who look at a page cost as much as one. */
export interface SharedAnswers {
  /** The answer with this name: one that is young enough or just being made, else a new one. */
  take(name: string, options: TakeOptions): Promise<SharedAnswer>
  /** For the callers of one scope, who share with nobody else. */
  of(scope: string): SharedAnswers
}

interface Entry {
  readonly startedAtMs: number
  readonly answer: Promise<SharedAnswer>
  characters: number
}

/**
 * An answer is as old as the start of its read, and kept for `sharedMsMax`. What is made anew takes the place of what others
 * are given, and is kept only where somebody shares.
 */
export function createSharedAnswers(nowMs: () => number): SharedAnswers {
  // In the order of their starts: a new one goes to the end.
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
    const entry: Entry = { startedAtMs: nowMs(), answer: make(), characters: 0 }
    entries.set(name, entry)
    const isKept = (): boolean => entries.get(name) === entry
    entry.answer.then(
      ({ text }) => {
        if (!isKept()) return
        entry.characters = text.length
        characters += text.length
        dropOld()
      },
      () => isKept() && drop(name),
    )
    return entry.answer
  }
  const named = (prefix: string): SharedAnswers => ({
    take: (suffix, { maxAgeMs, make }) => {
      const name = `${prefix} ${suffix}`
      const known = entries.get(name)
      if (maxAgeMs <= 0) return known === undefined ? make() : keep(name, make)
      if (known !== undefined && nowMs() - known.startedAtMs < Math.min(maxAgeMs, sharedMsMax)) {
        return known.answer
      }
      return keep(name, make)
    },
    of: named,
  })
  return named('')
}
