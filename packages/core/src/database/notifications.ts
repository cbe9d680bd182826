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
 * The content of a notification. `queue`: jobs of the queue may be due. `rescan`: jobs came back to the queue that were
 * due before. `cancel`: a cancel of the job was requested. `schedules`: a schedule may be due sooner than known.
 * `operations`: there is an operation to carry out. Losing all of them costs at most the poll interval.
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
  await notify(database, channelAndPayloads(database, notifications))
}

/** The statement that sends notifications in a transaction of its own. */
function notificationStatement(
  database: QueueDatabase,
  notifications: readonly Notification[],
): Statement<unknown> {
  return notifyStatement(channelAndPayloads(database, notifications))
}

function channelAndPayloads({ schema }: QueueDatabase, notifications: readonly Notification[]) {
  return { channel: notifyChannel(schema), payloads: notifications.map(encodeNotification) }
}

/** The payload of a notification. For the most frequent one it is the queue's name alone: names cannot contain `!` or `:`. */
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

/** The notification in a payload. Every text is one: an unknown text counts as the name of a queue that no worker serves. */
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
 * Sends notifications outside of any transaction, after the commit of the jobs that they are about. Those that are
 * passed while a send is under way go out with the next send, each once. No timer delays them.
 */
export interface Notifier {
  /** Returns at once. A notification that cannot be sent is lost, which costs at most a poll interval. */
  tell(notifications: readonly Notification[]): void
  /**
   * Runs `write` and sends the notifications with it: `write` receives a statement that it sends right behind its own,
   * which saves the notifications a round trip. Only one write at a time does so, and only while no other send is under
   * way; other writes send their notifications once they are done. If the write fails, its notifications are about
   * nothing, which is harmless.
   */
  carry<Result>(
    notifications: readonly Notification[],
    write: (follower?: Statement<unknown>) => Promise<Result>,
  ): Promise<Result>
  /** Resolves when no notification is being sent. */
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
        return await write(notificationStatement(database, notifications))
      } finally {
        carrying = false
      }
    },
    drained: async () => sending,
  }
}
