import type { QueueDatabase } from './connect.ts'
import { announcementOf, encodeHint, type Hint, notifyApart } from './notify.ts'
import type { Statement } from '@queue/postgres'

/**
 * Sends hints outside of any transaction, after the commit of what they speak of. What is told while one send is on
 * its way goes out with the next, each hint once; no timer delays anything.
 */
export interface Notifier {
  /** Returns at once. A hint that cannot be sent is lost, which costs at most a poll interval. */
  tell(hints: readonly Hint[]): void
  /**
   * Makes the write that these hints speak of, and lets it take them along: what `write` is given goes right behind
   * its statement, which saves the hints a round trip of their own. One write at a time does so, and none while
   * others are told; the hints of the rest are told when it has been made. A write that fails takes along hints of
   * nothing, which do no harm.
   */
  carry<Result>(
    hints: readonly Hint[],
    write: (follower?: Statement<unknown>) => Promise<Result>,
  ): Promise<Result>
  /** Resolves when nothing that was told is on its way. */
  drained(): Promise<void>
}

export function createNotifier(database: QueueDatabase): Notifier {
  let waiting = new Map<string, Hint>()
  let sending: Promise<void> | undefined
  let carrying = false

  const sendAll = async (): Promise<void> => {
    while (waiting.size > 0) {
      const hints = [...waiting.values()]
      waiting = new Map()
      await notifyApart(database, hints).catch(() => undefined)
    }
    sending = undefined
  }

  const tell = (hints: readonly Hint[]): void => {
    for (const hint of hints) waiting.set(encodeHint(hint), hint)
    if (waiting.size > 0) sending ??= sendAll()
  }

  return {
    tell,
    carry: async (hints, write) => {
      if (hints.length === 0 || carrying || sending !== undefined) {
        const written = await write()
        tell(hints)
        return written
      }
      carrying = true
      try {
        return await write(announcementOf(database, hints))
      } finally {
        carrying = false
      }
    },
    drained: async () => sending,
  }
}
