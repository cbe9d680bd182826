/**
 * The program of a project outside of this workspace. It enqueues two jobs in transactions that commit and one in a transaction
 * that is rolled back, runs a worker, and prints the results.
 */
import { createQueue } from '@queue/core'
import { createWorker } from '@queue/worker'
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { greet, greetGuest } from './greet.ts'

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
  handlers: [greetGuest],
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
const resultOf = async (id: string) => (await queue.waitFor(id, { timeoutMs: 120_000 })).result
const results = [await resultOf(byKysely.job.id), await resultOf(byPg.job.id)]
await worker.stop()
const guests = await db.selectFrom('guests').select('name').orderBy('name').execute()
const lost = (await queue.get(rolledBack.job.id)) ?? null
await queue.close()
await db.destroy()
process.stdout.write(`${JSON.stringify({ results, guests: guests.map(({ name }) => name), lost })}\n`)
