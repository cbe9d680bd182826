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
export type Hint =
  | { readonly type: 'queue' | 'rescan'; readonly queue: string }
  | { readonly type: 'cancel'; readonly jobId: string }

const prefixes = { queue: '', rescan: '!', cancel: 'x:' } as const

/** Sends hints in a transaction of their own. */
export async function notifyApart(database: QueueDatabase, hints: readonly Hint[]): Promise<void> {
  await notify(database, announced(database, hints))
}

/** What sends hints in a transaction of its own. */
export function announcementOf(database: QueueDatabase, hints: readonly Hint[]): Statement<unknown> {
  return notifyStatement(announced(database, hints))
}

function announced({ schema }: QueueDatabase, hints: readonly Hint[]) {
  return { channel: notifyChannel(schema), payloads: hints.map(encodeHint) }
}

/** A queue's name alone is the whole payload of the commonest hint: names cannot contain `!` or `:`. */
export function encodeHint(hint: Hint): string {
  return prefixes[hint.type] + (hint.type === 'cancel' ? hint.jobId : hint.queue)
}

/** The hint that a payload carries. Any text is one: what is not ours names a queue that nobody serves. */
export function decodeHint(payload: string): Hint {
  if (payload.startsWith(prefixes.cancel))
    return { type: 'cancel', jobId: payload.slice(prefixes.cancel.length) }
  if (payload.startsWith(prefixes.rescan))
    return { type: 'rescan', queue: payload.slice(prefixes.rescan.length) }
  return { type: 'queue', queue: payload }
}
