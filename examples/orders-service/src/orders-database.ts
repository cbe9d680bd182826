import { migrateOutbox } from '@queue/outbox'
import { Kysely, PostgresDialect, sql } from 'kysely'
import type pg from 'pg'

/** The service's own tables. The outbox is in the schema `outbox` of the same database. */
export interface OrdersTables {
  customers: { name: string; orders: number }
  orders: { id: string; customer: string; number: number; total_cents: number }
}

export type OrdersDatabase = Kysely<OrdersTables>

/** Opens the database with the service's own pool, which the outbox can share. */
export function openOrders(pool: pg.Pool): OrdersDatabase {
  return new Kysely<OrdersTables>({ dialect: new PostgresDialect({ pool }) })
}

/** Creates the tables of the service and its outbox. */
export async function migrateOrders(database: OrdersDatabase, connectionString: string): Promise<void> {
  await sql`CREATE TABLE IF NOT EXISTS customers (name text PRIMARY KEY, orders int NOT NULL DEFAULT 0)`.execute(
    database,
  )
  await sql`CREATE TABLE IF NOT EXISTS orders (
    id text PRIMARY KEY, customer text NOT NULL REFERENCES customers, number int NOT NULL, total_cents int NOT NULL,
    UNIQUE (customer, number))`.execute(database)
  await migrateOutbox({ connectionString })
}
