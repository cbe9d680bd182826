import type { Statement } from '@queue/postgres'
import type { QueueDatabase } from './connect.ts'
import { announcementOf, encodeNotification, type Notification, notifyApart } from './notify.ts'

/**
 * Sends notifications outside of any transaction, after the commit of what they speak of. What is told while one send
 * is on its way goes out with the next, each notification once; no timer delays anything.
 */
export interface Notifier {
  /** Returns at once. A notification that cannot be sent is lost, which costs at most a poll interval. */
  tell(notifications: readonly Notification[]): void
  /**
   * Makes the write that these notifications speak of, and lets it take them along: what `write` is given goes right
   * behind its statement, which saves the notifications a round trip of their own. One write at a time does so, and
   * none while others are told; the notifications of the rest are told when it has been made. A write that fails takes
   * along notifications of nothing, which do no harm.
   */
  carry<Result>(
    notifications: readonly Notification[],
    write: (follower?: Statement<unknown>) => Promise<Result>,
  ): Promise<Result>
  /** Resolves when nothing that was told is on its way. */
  drained(): Promise<void>
}

export function createNotifier(database: QueueDatabase): Notifier {
  let waiting = new Map<string, Notification>()
  let sending: Promise<void> | undefined
  let carrying = false

  const sendAll = async (): Promise<void> => {
    while (waiting.size > 0) {
      const notifications = [...waiting.values()]
      waiting = new Map()
      await notifyApart(database, notifications).catch(() => undefined)
    }
    sending = undefined
  }

  const tell = (notifications: readonly Notification[]): void => {
    for (const notification of notifications) waiting.set(encodeNotification(notification), notification)
    if (waiting.size > 0) sending ??= sendAll()
  }

  return {
    tell,
    carry: async (notifications, write) => {
      if (notifications.length === 0 || carrying || sending !== undefined) {
        const written = await write()
        tell(notifications)
        return written
      }
      carrying = true
      try {
        return await write(announcementOf(database, notifications))
      } finally {
        carrying = false
      }
    },
    drained: async () => sending,
  }
}
