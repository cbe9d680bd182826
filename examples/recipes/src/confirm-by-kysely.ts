import { handle } from '@queue/worker'
import { Kysely, PostgresDialect } from 'kysely'
import { confirmOrder } from './jobs.ts'

interface Tables {
  confirmations: { job_id: string; order_id: string }
}

/** The confirmation and the end of the job commit together, or neither does. */
export const confirmByKysely = handle(confirmOrder, (job, ctx) =>
  ctx.transaction(async (client) => {
    const pool = { connect: async () => client, end: async () => undefined, options: {} }
    const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
    await db.insertInto('confirmations').values({ job_id: job.id, order_id: job.payload.orderId }).execute()
  }),
)
