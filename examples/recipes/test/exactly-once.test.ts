import { afterAll, beforeEach, describe, expect, test } from '@jest/globals'
import { PrismaPg } from '@prisma/adapter-pg'
import type { Job } from '@queue/core'
import { createTestDatabase } from '@queue/testing'
import { createWorker, type Handler, handle } from '@queue/worker'
import { drizzle } from 'drizzle-orm/node-postgres'
import { Kysely, PostgresDialect, sql } from 'kysely'
import { PrismaClient } from '../generated/client.ts'
import { confirmByDrizzle } from '../src/confirm-by-drizzle.ts'
import { confirmByKysely } from '../src/confirm-by-kysely.ts'
import { confirmByPrisma } from '../src/confirm-by-prisma.ts'
import { confirmOrder } from '../src/jobs.ts'

const database = await createTestDatabase()
const { pool, queue } = database
const prisma = new PrismaClient({ adapter: new PrismaPg({ connectionString: database.url }) })
// The first commit of a confirmation is refused, with all that is in its transaction.
await pool.query(`
  CREATE TABLE confirmations (job_id text PRIMARY KEY, order_id text NOT NULL);
  CREATE SEQUENCE commits;
  CREATE FUNCTION refuse_first_commit() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF nextval('commits') = 1 THEN RAISE 'the first commit is refused'; END IF;
    RETURN NULL;
  END $$;
  CREATE CONSTRAINT TRIGGER refuse_first_commit AFTER INSERT ON confirmations
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION refuse_first_commit()`)

afterAll(async () => {
  await prisma.$disconnect()
  await database.close()
})
beforeEach(() => pool.query('TRUNCATE confirmations; ALTER SEQUENCE commits RESTART'))

/** Runs one job by this handler until it has ended. */
async function ended(handler: Handler, maxAttempts = 3): Promise<Job> {
  const worker = createWorker({ pool, handlers: [handler], pollIntervalMs: 20 })
  await worker.start()
  try {
    const payload = { orderId: 'o1', email: 'ada@example.com' }
    const retryPolicy = { type: 'fixed', baseMs: 1 } as const
    const { job } = await queue.enqueue(confirmOrder, payload, { maxAttempts, retryPolicy })
    return await queue.waitFor(job)
  } finally {
    await worker.stop()
  }
}

async function confirmations(): Promise<object[]> {
  return (await pool.query<object>('SELECT * FROM confirmations')).rows
}

test.each([
  ['Drizzle', confirmByDrizzle],
  ['Kysely', confirmByKysely],
  ['Prisma, which repeats what it has written', confirmByPrisma(prisma)],
])('a job confirms its order once, although its first commit is refused: by %s', async (_name, handler) => {
  const job = await ended(handler)
  expect(job).toMatchObject({ status: 'succeeded', attempts: 2 })
  expect(job.lastError).toContain('the first commit is refused')
  expect(await confirmations()).toEqual([{ job_id: job.id, order_id: 'o1' }])
})

describe('in ctx.transaction', () => {
  const insert = `INSERT INTO confirmations VALUES ('j', 'o')`

  test.each<[string, Handler, string]>([
    [
      'a transaction of Drizzle',
      handle(confirmOrder, (_job, ctx) =>
        ctx.transaction((client) => drizzle(client).transaction((tx) => tx.execute(insert))),
      ),
      'call no transaction() of a library',
    ],
    [
      'a transaction of Kysely',
      handle(confirmOrder, (_job, ctx) =>
        ctx.transaction((client) => {
          const own = { connect: async () => client, end: async () => undefined, options: {} }
          const db = new Kysely<object>({ dialect: new PostgresDialect({ pool: own }) })
          return db.transaction().execute((tx) => sql.raw(insert).execute(tx))
        }),
      ),
      'call no transaction() of a library',
    ],
    [
      'a Prisma client that is made of the client',
      handle(confirmOrder, (_job, ctx) =>
        ctx.transaction(async (client) => {
          const own = new PrismaClient({ adapter: new PrismaPg(client) })
          await own.$executeRawUnsafe(insert)
        }),
      ),
      'such as Prisma, cannot write in this transaction',
    ],
  ])('%s is refused, with what to do instead, and writes nothing', async (_name, handler, message) => {
    const job = await ended(handler, 1)
    expect(job.status).toBe('failed_permanent')
    expect(job.lastError).toContain(message)
    expect(await confirmations()).toEqual([])
  })
})
