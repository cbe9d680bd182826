import { defineJob, type Queue } from '@queue/core'
import { z } from 'zod'

const sendNotice = defineJob({
  kind: 'send_notice',
  payload: z.object({ user: z.string(), text: z.string() }),
})

/** A notice is useless after ten minutes. A job that no worker has started by then is cancelled. */
export async function notify(queue: Queue, user: string, text: string) {
  const { job } = await queue.enqueue(sendNotice, { user, text }, { expiresInMs: 600_000 })
  return job
}
