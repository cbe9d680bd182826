import { defineJob, type Queue } from '@queue/core'
import { z } from 'zod'

export const sendDigest = defineJob({ kind: 'send_digest', payload: z.object({ user: z.string() }) })

const windowMs = 3_600_000

/**
 * Enqueues at most one digest per user and hour, by the clock of the caller. The key is valid as long as the row of the
 * job is kept, so the retention must be longer than the window.
 */
export async function requestDigest(queue: Queue, user: string, nowMs = Date.now()) {
  const window = Math.floor(nowMs / windowMs)
  const { job } = await queue.enqueue(sendDigest, { user }, { idempotencyKey: `digest:${user}:${window}` })
  return job
}
