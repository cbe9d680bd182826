import type { Queue } from '@queue/core'
import { confirmOrder } from './jobs.ts'

/** The metadata of the job contains the id of the order. */
export async function enqueueFor(queue: Queue, order: { id: number; email: string }) {
  const job = { orderId: String(order.id), email: order.email }
  await queue.enqueue(confirmOrder, job, { metadata: { order_id: order.id } })
}

/** The jobs of the order in any status, the newest first. */
export async function jobsOf(queue: Queue, orderId: number) {
  const { jobs } = await queue.list({ metadata: { order_id: orderId } })
  return jobs
}
