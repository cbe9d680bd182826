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
 * been due before. `cancel`: the job of that id has its cancel requested. Losing every one costs at most the poll
 * interval.
 */
export type Notification =
  | { readonly type: 'queue' | 'rescan'; readonly queue: string }
  | { readonly type: 'cancel'; readonly jobId: string }

const prefixes = { queue: '', rescan: '!', cancel: 'x:' } as const

/** Sends notifications in a transaction of their own. */
export async function notifyApart(
  database: QueueDatabase,
  notifications: readonly Notification[],
): Promise<void> {
  await notify(database, announced(database, notifications))
}

/** What sends notifications in a transaction of its own. */
export function announcementOf(
  database: QueueDatabase,
  notifications: readonly Notification[],
): Statement<unknown> {
  return notifyStatement(announced(database, notifications))
}

function announced({ schema }: QueueDatabase, notifications: readonly Notification[]) {
  return { channel: notifyChannel(schema), payloads: notifications.map(encodeNotification) }
}

/** A queue's name alone is the whole payload of the commonest notification: names cannot contain `!` or `:`. */
export function encodeNotification(notification: Notification): string {
  return (
    prefixes[notification.type] + (notification.type === 'cancel' ? notification.jobId : notification.queue)
  )
}

/** The notification that a payload carries. Any text is one: what is not ours names a queue that nobody serves. */
export function decodeNotification(payload: string): Notification {
  if (payload.startsWith(prefixes.cancel))
    return { type: 'cancel', jobId: payload.slice(prefixes.cancel.length) }
  if (payload.startsWith(prefixes.rescan))
    return { type: 'rescan', queue: payload.slice(prefixes.rescan.length) }
  return { type: 'queue', queue: payload }
}
