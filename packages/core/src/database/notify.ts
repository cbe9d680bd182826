import { sql } from 'kysely'
import type { QueueDatabase } from './connect.ts'
import type { Statement } from './session.ts'
import { template } from './template.ts'

/**
 * The channel on which the workers of a schema listen. The schema is part of its name, so that two queues in one
 * database do not wake each other's workers.
 */
export function notifyChannel(schema: string): string {
  return `${schema}.jobs`
}

/**
 * What a notification says. `queue`: jobs of that queue may be due. `rescan`: jobs of that queue came back that had
 * been due before. `cancel`: the job of that id has its cancel requested. A notification is a hint, and losing every
 * one costs at most the poll interval.
 */
export type Hint =
  | { readonly type: 'queue' | 'rescan'; readonly queue: string }
  | { readonly type: 'cancel'; readonly jobId: string }
  | { readonly type: 'ping'; readonly nonce: string }

const prefixes = { queue: '', rescan: '!', cancel: 'x:', ping: 'p:' } as const

/** Sends hints in a transaction of their own. */
export async function notifyApart(database: QueueDatabase, hints: readonly Hint[]): Promise<void> {
  await notifyChannelApart(database, notifyChannel(database.schema), hints)
}

/** The same on any channel. */
export async function notifyChannelApart(
  session: Pick<QueueDatabase, 'run'>,
  channel: string,
  hints: readonly Hint[],
): Promise<void> {
  if (hints.length > 0) await session.run(announcement({ channel, hints }), 'frequent')
}

/** What sends hints in a transaction of its own. */
export function announcementOf(database: QueueDatabase, hints: readonly Hint[]): Statement<unknown> {
  return announcement({ channel: notifyChannel(database.schema), hints })
}

interface Announcement {
  readonly channel: string
  readonly hints: readonly Hint[]
}

/**
 * Its commit does not wait for the disk, for a hint that a crash of the server loses costs no more than any other lost
 * one; the setting ends with the transaction.
 */
const announcement = template<Announcement, unknown>(
  (given) => sql`
    WITH apart AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true))
    SELECT pg_notify(${given(({ channel }) => channel)}, hint)
      FROM apart CROSS JOIN unnest(${given(({ hints }) => hints.map(encodeHint))}::text[]) AS hint`,
)

/** A queue's name alone is the whole payload of the commonest hint: names cannot contain `!` or `:`. */
export function encodeHint(hint: Hint): string {
  switch (hint.type) {
    case 'cancel':
      return prefixes.cancel + hint.jobId
    case 'ping':
      return prefixes.ping + hint.nonce
    default:
      return prefixes[hint.type] + hint.queue
  }
}

/** The hint that a payload carries. Any text is one: what is not ours names a queue that nobody serves. */
export function decodeHint(payload: string): Hint {
  if (payload.startsWith(prefixes.cancel))
    return { type: 'cancel', jobId: payload.slice(prefixes.cancel.length) }
  if (payload.startsWith(prefixes.ping)) return { type: 'ping', nonce: payload.slice(prefixes.ping.length) }
  if (payload.startsWith(prefixes.rescan))
    return { type: 'rescan', queue: payload.slice(prefixes.rescan.length) }
  return { type: 'queue', queue: payload }
}
