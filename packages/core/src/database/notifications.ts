import { notify, notifyStatement, type Statement } from '@queue/postgres'
import type { QueueDatabase } from './connect.ts'

/**
 * The channel on which the workers of a schema listen. The schema is part of its name, so that two queues in one
 * database do not wake each other's workers.
 */
export function notifyChannel(schema: string): string {
  return `${schema}.jobs`
}

/**
 * What a notification says. `queue`: jobs of that queue may be due. `rescan`: jobs of that queue came back that had
 * been due before. `cancel`: the job of that id has its cancel requested. `schedules`: a schedule may be due sooner than
 * was known. `operations`: there is an operation to be carried out. Losing every one costs at most the poll interval.
 */
export type Notification =
  | { readonly type: 'queue' | 'rescan'; readonly queue: string }
  | { readonly type: 'cancel'; readonly jobId: string }
  | { readonly type: 'schedules' }
  | { readonly type: 'operations' }

const prefixes = { queue: '', rescan: '!', cancel: 'x:', schedules: 's:', operations: 'o:' } as const

/** Sends notifications in a transaction of their own. */
export async function notifyApart(
  database: QueueDatabase,
  notifications: readonly Notification[],
): Promise<void> {
  await notify(database, announced(database, notifications))
}

/** What sends notifications in a transaction of its own. */
function announcementOf(database: QueueDatabase, notifications: readonly Notification[]): Statement<unknown> {
  return notifyStatement(announced(database, notifications))
}

function announced({ schema }: QueueDatabase, notifications: readonly Notification[]) {
  return { channel: notifyChannel(schema), payloads: notifications.map(encodeNotification) }
}

/** A queue's name alone is the whole payload of the commonest notification: names cannot contain `!` or `:`. */
export function encodeNotification(notification: Notification): string {
  return prefixes[notification.type] + subjectOf(notification)
}

function subjectOf(notification: Notification): string {
  switch (notification.type) {
    case 'schedules':
    case 'operations':
      return ''
    case 'cancel':
      return notification.jobId
    case 'queue':
    case 'rescan':
      return notification.queue
  }
}

/** The notification that a payload carries. Any text is one: what is not ours names a queue that nobody serves. */
export function decodeNotification(payload: string): Notification {
  if (payload.startsWith(prefixes.schedules)) return { type: 'schedules' }
  if (payload.startsWith(prefixes.operations)) return { type: 'operations' }
  if (payload.startsWith(prefixes.cancel))
    return { type: 'cancel', jobId: payload.slice(prefixes.cancel.length) }
  if (payload.startsWith(prefixes.rescan))
    return { type: 'rescan', queue: payload.slice(prefixes.rescan.length) }
  return { type: 'queue', queue: payload }
}

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
