/**
 * The program of a project outside of this workspace. It enqueues two jobs in transactions that commit and one in a transaction
 * that is rolled back, runs a worker, and prints the results.
 */
import { createQueue, defineJob } from '@queue/core'
import { createWorker, handle } from '@queue/worker'
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { z } from 'zod'

const greet = defineJob({
  kind: 'greet',
  payload: z.object({ name: z.string(), times: z.int().default(1) }),
  retryPolicy: { type: 'fixed', baseMs: 10 },
})

interface Guests {
  guests: { name: string }
}

const pool = new pg.Pool({ connectionString: process.env['DATABASE_URL'] ?? '', max: 5 })
const db = new Kysely<Guests>({ dialect: new PostgresDialect({ pool }) })
const queue = createQueue({ pool, schema: 'outside' })
const worker = createWorker({
  pool,
  schema: 'outside',
  pollIntervalMs: 20,
  handlers: [
    handle(greet, async ({ payload }, ctx) => {
      if (payload.times > 1) return { greeted: payload.times }
      return ctx.transaction(async (client) => {
        await client.query('INSERT INTO guests (name) VALUES ($1)', [payload.name])
      })
    }),
  ],
})

await pool.query('CREATE TABLE guests (name text PRIMARY KEY)')

const byKysely = await db
  .transaction()
  .execute((transaction) => queue.enqueue(greet, { name: 'by kysely' }, { transaction }))

const client = await pool.connect()
await client.query('BEGIN')
const byPg = await queue.enqueue(greet, { name: 'by pg', times: 2 }, { transaction: client })
await client.query('COMMIT')
await client.query('BEGIN')
const rolledBack = await queue.enqueue(greet, { name: 'nobody' }, { transaction: client })
await client.query('ROLLBACK')
client.release()

await worker.start()
const deadline = Date.now() + 120_000
const resultOf = async (id: string) => {
  for (;;) {
    const job = await queue.get(id)
    if (job?.status === 'succeeded') return job.result
    if (Date.now() > deadline) throw new Error(`the job is ${job?.status}: ${job?.lastError}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
const results = [await resultOf(byKysely.job.id), await resultOf(byPg.job.id)]
await worker.stop()
const guests = await db.selectFrom('guests').select('name').orderBy('name').execute()
const lost = (await queue.get(rolledBack.job.id)) ?? null
await queue.close()
await db.destroy()
process.stdout.write(`${JSON.stringify({ results, guests: guests.map(({ name }) => name), lost })}\n`)
