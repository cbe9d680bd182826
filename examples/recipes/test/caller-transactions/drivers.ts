import { PrismaPg } from '@prisma/adapter-pg'
import type { CallerTransaction } from '@queue/core'
import { drizzleTransaction } from '@queue/core/drizzle'
import { postgresJsTransaction } from '@queue/core/postgres-js'
import { prismaTransaction } from '@queue/core/prisma'
import { sql as drizzleSql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/node-postgres'
import { drizzle as drizzleOnPostgresJs } from 'drizzle-orm/postgres-js'
import { Kysely, PostgresDialect, sql as kyselySql } from 'kysely'
import pg from 'pg'
import postgres from 'postgres'
import { PrismaClient } from '../../generated/client.ts'

/** An open transaction of a caller, by the library that the caller uses. */
export interface Caller {
  /** What the caller passes to the queue. */
  readonly transaction: CallerTransaction
  /** Runs a statement of the caller's own. */
  query(text: string): Promise<readonly object[]>
}

export interface Driver {
  readonly name: string
  /** Whether the library goes on when a backend ends in a transaction. postgres.js throws outside of any call then. */
  readonly outlivesBackends: boolean
  /** Runs `work` in a transaction, which is rolled back if it throws. */
  inside(work: (caller: Caller) => Promise<void>): Promise<void>
}

type Inside = Driver['inside']

/** The transactions that run at the same time, each with a connection of its own. */
export const lanes = 6

/** Every library in which a caller can have a transaction. */
export function openDrivers(url: string): {
  readonly drivers: readonly Driver[]
  close(): Promise<void>
} {
  // Some libraries keep the connection of an ended backend for ever. It must not take the place of one that works, of which
  // there are never more than lanes.
  const pool = new pg.Pool({ connectionString: url, max: Number.POSITIVE_INFINITY })
  // The backends of some transactions are ended, and an error that nobody listens to ends the process.
  const ignore = (): void => undefined
  pool.on('error', ignore).on('connect', (client) => client.on('error', ignore))
  const kysely = new Kysely<object>({ dialect: new PostgresDialect({ pool }) })
  const db = drizzle(pool)
  const prisma = new PrismaClient({ adapter: new PrismaPg(pool) })
  const sql = postgres(url, { max: lanes, onnotice: () => undefined })
  const dbOnPostgresJs = drizzleOnPostgresJs(sql)
  const libraries: Readonly<Record<string, Inside>> = {
    'node-postgres': (work) => inClient(pool, work),
    Kysely: (work) =>
      kysely.transaction().execute((transaction) =>
        work({
          transaction,
          query: async (text) => (await kyselySql.raw<object>(text).execute(transaction)).rows,
        }),
      ),
    Drizzle: (work) =>
      db.transaction((tx) =>
        work({
          transaction: drizzleTransaction(tx, drizzleSql),
          query: async (text) => (await tx.execute(drizzleSql.raw(text))).rows,
        }),
      ),
    'Drizzle on postgres.js': (work) =>
      dbOnPostgresJs.transaction((tx) =>
        work({
          transaction: drizzleTransaction(tx, drizzleSql),
          query: async (text) => [...(await tx.execute(drizzleSql.raw(text)))],
        }),
      ),
    Prisma: (work) =>
      prisma.$transaction(
        (tx) =>
          work({
            transaction: prismaTransaction(tx),
            query: async (text) => {
              if (/^(SAVEPOINT|RELEASE|ROLLBACK)/.test(text)) await tx.$executeRawUnsafe(text)
              else return tx.$queryRawUnsafe<object[]>(text)
              return []
            },
          }),
        { maxWait: 60_000, timeout: 60_000 },
      ),
    'postgres.js': async (work) => {
      await sql.begin((tx) =>
        work({
          transaction: postgresJsTransaction(tx),
          query: async (text) => [...(await tx.unsafe<object[]>(text))],
        }),
      )
    },
  }
  const drivers = Object.entries(libraries).map(([name, inside]) => ({
    name,
    outlivesBackends: !name.endsWith('postgres.js'),
    inside,
  }))
  const close = async (): Promise<void> => {
    await prisma.$disconnect()
    await sql.end()
    // It would wait for the connections that libraries keep for ever. The others are closed with the database.
    void pool.end()
  }
  return { drivers, close }
}

async function inClient(pool: pg.Pool, work: (caller: Caller) => Promise<void>): Promise<void> {
  const client = await pool.connect()
  try {
    await client.query('BEGIN')
    await work({
      transaction: client,
      query: async (text) => (await client.query<object>(text)).rows,
    })
    await client.query('COMMIT')
    client.release()
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined)
    client.release(true)
    throw error
  }
}
