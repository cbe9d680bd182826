import type { QueueDatabase } from './connect.ts'
import { encodeHint, type Hint, notifyApart } from './notify.ts'

/**
 * Sends hints outside of any transaction, after the commit of what they speak of. What is told while one send is on
 * its way goes out with the next, each hint once; no timer delays anything.
 */
export interface Notifier {
  /** Returns at once. A hint that cannot be sent is lost, which costs at most a poll interval. */
  tell(hints: readonly Hint[]): void
  /** Resolves when nothing is on its way. */
  drained(): Promise<void>
}

export function createNotifier(database: QueueDatabase): Notifier {
  let waiting = new Map<string, Hint>()
  let sending: Promise<void> | undefined

  const sendAll = async (): Promise<void> => {
    while (waiting.size > 0) {
      const hints = [...waiting.values()]
      waiting = new Map()
      await notifyApart(database, hints).catch(() => undefined)
    }
    sending = undefined
  }

  return {
    tell: (hints) => {
      for (const hint of hints) waiting.set(encodeHint(hint), hint)
      if (waiting.size > 0) sending ??= sendAll()
    },
    drained: async () => sending,
  }
}
