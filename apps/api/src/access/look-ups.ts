import { lookUpIdsMax, lookUpPauseMs, lookUpsWaitingMax } from '../http/limits.ts'
import { Problem } from '../http/problem.ts'

/** Finds things by ids that any client can send. */
export interface LookUps<Found> {
  /** Undefined if there is none. Throws `overloaded`, and what the reading throws. */
  find(id: string): Promise<Found | undefined>
}

/** Reads the things that exist among these ids. */
export type ReadByIds<Found> = (ids: readonly string[]) => Promise<ReadonlyMap<string, Found>>

interface Waiting<Found> {
  readonly found: Promise<Found | undefined>
  readonly resolve: (found: Found | undefined) => void
  readonly reject: (error: unknown) => void
}

/**
 * Looks up all ids that wait in one statement, one such statement at a time and with a pause after each. A client that sends ever
 * new ids therefore causes a bounded number of statements, and another's id waits for about one of them, whatever address the two
 * come from. docs/decisions/0230
 */
export function createLookUps<Found>(read: ReadByIds<Found>): LookUps<Found> {
  /** In the order in which they came. */
  const waiting = new Map<string, Waiting<Found>>()
  let isBusy = false

  const readNext = async (): Promise<void> => {
    const batch = [...waiting].slice(0, lookUpIdsMax)
    for (const [id] of batch) waiting.delete(id)
    try {
      const found = await read(batch.map(([id]) => id))
      for (const [id, { resolve }] of batch) resolve(found.get(id))
    } catch (error) {
      for (const [, { reject }] of batch) reject(error)
    }
    setTimeout(readOn, lookUpPauseMs)
  }
  const readOn = (): void => {
    isBusy = waiting.size > 0
    if (isBusy) void readNext()
  }
  const waitFor = (id: string): Waiting<Found> => {
    // It is reached only while the database does not answer: a statement takes up what comes meanwhile.
    if (waiting.size >= lookUpsWaitingMax) throw new Problem('overloaded')
    const { promise: found, ...settle } = Promise.withResolvers<Found | undefined>()
    const entry = { found, ...settle }
    waiting.set(id, entry)
    return entry
  }

  return {
    find: async (id) => {
      const { found } = waiting.get(id) ?? waitFor(id)
      if (!isBusy) readOn()
      return found
    },
  }
}
