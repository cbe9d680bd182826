import { afterAll, beforeEach, describe, expect, test } from '@jest/globals'
import { PrismaPg } from '@prisma/adapter-pg'
import type { CallerTransaction, Job, JobOptions } from '@queue/core'
import { drizzleTransaction } from '@queue/core/drizzle'
import { postgresJsTransaction } from '@queue/core/postgres-js'
import { prismaTransaction } from '@queue/core/prisma'
import { createTestDatabase } from '@queue/testing'
import { sql as drizzleSql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/node-postgres'
import { drizzle as drizzleOnPostgresJs } from 'drizzle-orm/postgres-js'
import { Kysely, PostgresDialect, sql as kyselySql } from 'kysely'
import postgres from 'postgres'
import { PrismaClient } from '../generated/client.ts'
import * as inDrizzle from '../src/in-drizzle.ts'
import * as inPostgresJs from '../src/in-postgres-js.ts'
import * as inPrisma from '../src/in-prisma.ts'
import { confirmOrder } from '../src/jobs.ts'

const database = await createTestDatabase()
const { pool, queue } = database
await pool.query('CREATE TABLE orders (id text PRIMARY KEY, email text NOT NULL)')
const db = drizzle(pool)
const prisma = new PrismaClient({ adapter: new PrismaPg({ connectionString: database.url }) })
const sql = postgres(database.url, { max: 2, onnotice: () => undefined })
const dbOnPostgresJs = drizzleOnPostgresJs(sql)
/** Clients of postgres.js that rename the columns of results, and one that renames nothing but undefined. */
const renaming = {
  camel: postgres(database.url, { max: 2, onnotice: () => undefined, transform: postgres.camel }),
  pascal: postgres(database.url, { max: 2, onnotice: () => undefined, transform: postgres.pascal }),
  kebab: postgres(database.url, { max: 2, onnotice: () => undefined, transform: postgres.kebab }),
}

/** Kysely on postgres.js: it sends a statement and its parameters as they are, as kysely-postgres-js does. */
class PostgresJsDialect extends PostgresDialect {
  constructor(client: postgres.Sql) {
    super({
      pool: {
        connect: async () => {
          const connection = await client.reserve()
          const query = async (text: string, parameters: readonly unknown[] = []) => {
            const rows = await connection.unsafe(text, [...parameters] as never[])
            return { rows: [...rows], rowCount: rows.count, command: rows.command }
          }
          return { query: query as never, release: () => connection.release() }
        },
        end: async () => undefined,
        options: {},
      },
    })
  }
}
const kyselyOnPostgresJs = new Kysely<object>({ dialect: new PostgresJsDialect(sql) })

afterAll(async () => {
  await prisma.$disconnect()
  await Promise.all([sql, ...Object.values(renaming)].map((client) => client.end()))
  await database.close()
})
beforeEach(() => pool.query('TRUNCATE orders, queue.jobs, queue.ended_jobs, queue.job_unique_slots'))

interface Library {
  placeOrder(order: { id: string; email: string }): Promise<void>
  /** Runs `work` in a transaction, which is rolled back when it throws. */
  inside(work: (transaction: CallerTransaction) => Promise<void>): Promise<void>
  /** A transaction object that is not inside a transaction. */
  outside(): CallerTransaction
}

const libraries: Readonly<Record<string, Library>> = {
  Drizzle: {
    placeOrder: (order) => inDrizzle.placeOrder(db, queue, order),
    inside: (work) => db.transaction((tx) => work(drizzleTransaction(tx, drizzleSql))),
    outside: () => drizzleTransaction(db, drizzleSql),
  },
  'Drizzle on postgres.js': {
    placeOrder: (order) => inDrizzle.placeOrder(dbOnPostgresJs as never, queue, order),
    inside: (work) => dbOnPostgresJs.transaction((tx) => work(drizzleTransaction(tx, drizzleSql))),
    outside: () => drizzleTransaction(dbOnPostgresJs, drizzleSql),
  },
  Prisma: {
    placeOrder: (order) => inPrisma.placeOrder(prisma, queue, order),
    inside: (work) => prisma.$transaction((tx) => work(prismaTransaction(tx))),
    outside: () => prismaTransaction(prisma),
  },
  'postgres.js': {
    placeOrder: (order) => inPostgresJs.placeOrder(sql, queue, order),
    inside: async (work) => {
      await sql.begin((tx) => work(postgresJsTransaction(tx)))
    },
    outside: () => postgresJsTransaction(sql),
  },
  'Kysely on postgres.js': {
    placeOrder: (order) =>
      kyselyOnPostgresJs.transaction().execute(async (tx) => {
        await kyselySql`INSERT INTO orders VALUES (${order.id}, ${order.email})`.execute(tx)
        await queue.enqueue(confirmOrder, { orderId: order.id, email: order.email }, { transaction: tx })
      }),
    inside: (work) => kyselyOnPostgresJs.transaction().execute((tx) => work(tx)),
    outside: () => kyselyOnPostgresJs as never,
  },
  ...Object.fromEntries(
    Object.entries(renaming).map(([name, client]) => [
      `postgres.js with ${name} names`,
      {
        placeOrder: (order: { id: string; email: string }) => inPostgresJs.placeOrder(client, queue, order),
        inside: async (work: (transaction: CallerTransaction) => Promise<void>) => {
          await client.begin((tx) => work(postgresJsTransaction(tx)))
        },
        outside: () => postgresJsTransaction(client),
      },
    ]),
  ),
}

async function counts(): Promise<{ orders: number; jobs: number }> {
  const { rows } = await pool.query<{ orders: number; jobs: number }>(
    'SELECT (SELECT count(*)::int FROM orders) AS orders, (SELECT count(*)::int FROM queue.all_jobs) AS jobs',
  )
  return rows[0] ?? { orders: -1, jobs: -1 }
}

const specialCharacters = `'"{},\\ \u{1f600}\n$1`
const order = { id: 'o1', email: 'ada@example.com' }
const payload = { orderId: 'o1', email: 'ada@example.com' }

describe.each(Object.entries(libraries))('an enqueue in a transaction of %s', (_name, library) => {
  test('commits with the order', async () => {
    await library.placeOrder(order)
    expect(await counts()).toEqual({ orders: 1, jobs: 1 })
  })

  test('is rolled back with it', async () => {
    await pool.query('INSERT INTO orders VALUES ($1, $2)', [order.id, order.email])
    await expect(library.placeOrder(order)).rejects.toThrow()
    const work = library.inside(async (transaction) => {
      await queue.enqueue(confirmOrder, payload, { transaction })
      throw new Error('no')
    })
    await expect(work).rejects.toThrow('no')
    expect(await counts()).toEqual({ orders: 1, jobs: 0 })
  })

  test('returns the same as an enqueue without a transaction, with every option, and finds existing keys', async () => {
    const options = {
      idempotencyKey: 'k',
      delayMs: 60_000,
      priority: 2,
      retryPolicy: { type: 'fixed', baseMs: 5_000 },
      tenantId: 'größe',
    } as const satisfies JobOptions
    const requests = [
      confirmOrder.create(payload, options),
      confirmOrder.create({ ...payload, orderId: specialCharacters }, { timeoutMs: 1_000, maxAttempts: 1 }),
      confirmOrder.create(payload, { idempotencyKey: specialCharacters, tenantId: specialCharacters }),
    ]
    let enqueued: readonly Job[] = []
    await library.inside(async (transaction) => {
      const first = await queue.enqueueMany(requests, { transaction })
      const again = await queue.enqueueMany([...requests.slice(0, 1), ...requests.slice(2)], { transaction })
      expect(again).toMatchObject([
        { replayed: true, mismatched: false, job: { id: first[0]?.job.id, payload } },
        { replayed: true, mismatched: false, job: { id: first[2]?.job.id, payload } },
      ])
      enqueued = first.map(({ job }) => job)
    })
    const stored = await Promise.all(enqueued.map(({ id }) => queue.get(id)))
    expect(stored).toEqual(enqueued)
  })

  test('is undone alone if its key exists with another request', async () => {
    await queue.enqueue(confirmOrder, payload, { idempotencyKey: 'k' })
    await library.inside(async (transaction) => {
      const other = { ...payload, orderId: 'o2' }
      const requests = [confirmOrder.create(other, { idempotencyKey: 'k' }), confirmOrder.create(other)]
      const rejected = queue.enqueueMany(requests, { transaction, onMismatch: 'reject' })
      await expect(rejected).rejects.toMatchObject({ code: 'idempotency_mismatch' })
      await queue.enqueue(confirmOrder, other, { transaction })
    })
    expect(await counts()).toEqual({ orders: 0, jobs: 2 })
  })

  test('holds its unique key from the commit on, and a rollback frees it', async () => {
    const unique = { key: 'o1', scope: 'live' } as const
    const undone = library.inside(async (transaction) => {
      const { job } = await queue.enqueue(confirmOrder, payload, { transaction, unique })
      const again = await queue.enqueue(confirmOrder, payload, { transaction, unique })
      expect(again).toMatchObject({ conflict: 'returned', job: { id: job.id } })
      throw new Error('no')
    })
    await expect(undone).rejects.toThrow('no')
    let holderId = ''
    await library.inside(async (transaction) => {
      const enqueued = await queue.enqueue(confirmOrder, payload, { transaction, unique })
      expect(enqueued).not.toHaveProperty('conflict')
      holderId = enqueued.job.id
    })
    await library.inside(async (transaction) => {
      const refuse = { ...unique, onConflict: 'refuse' } as const
      const refused = queue.enqueue(confirmOrder, payload, { transaction, unique: refuse })
      await expect(refused).rejects.toMatchObject({
        code: 'unique_conflict',
        refusals: [{ jobId: holderId }],
      })
      await queue.enqueue(confirmOrder, payload, { transaction })
    })
    expect(await counts()).toEqual({ orders: 0, jobs: 2 })
  })

  test('is refused outside of a transaction, with nothing written', async () => {
    const outside = queue.enqueue(confirmOrder, payload, { transaction: library.outside() })
    await expect(outside).rejects.toMatchObject({ code: 'invalid_options' })
    expect(await counts()).toEqual({ orders: 0, jobs: 0 })
  })
})
