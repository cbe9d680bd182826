import { handle } from '@queue/worker'
import { drizzle } from 'drizzle-orm/node-postgres'
import { pgTable, text } from 'drizzle-orm/pg-core'
import { confirmOrder } from './jobs.ts'

const confirmations = pgTable('confirmations', {
  jobId: text('job_id').primaryKey(),
  orderId: text('order_id'),
})

/** The confirmation and the end of the job commit together, or neither does. */
export const confirmByDrizzle = handle(confirmOrder, (job, ctx) =>
  ctx.transaction(async (client) => {
    const db = drizzle(client)
    await db.insert(confirmations).values({ jobId: job.id, orderId: job.payload.orderId })
  }),
)
