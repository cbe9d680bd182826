import { defineJob, type Queue } from '@queue/core'
import { z } from 'zod'

export const sendDigest = defineJob({ kind: 'send_digest', payload: z.object({ user: z.string() }) })

const windowMs = 3_600_000

/**
 * At most one digest for each user and hour, whoever asks for it and however often. The hours are those of the clock of
 * whoever asks. The key holds for as long as the job's row is kept, so the retention must be longer than the window.
 */
export async function requestDigest(queue: Queue, user: string, nowMs = Date.now()) {
  const window = Math.floor(nowMs / windowMs)
  const { job } = await queue.enqueue(sendDigest, { user }, { idempotencyKey: `digest:${user}:${window}` })
  return job
}
