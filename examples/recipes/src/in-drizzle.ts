import type { Queue } from '@queue/core'
import { drizzleTransaction } from '@queue/core/drizzle'
import { sql } from 'drizzle-orm'
import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import { pgTable, text } from 'drizzle-orm/pg-core'
import { confirmOrder } from './jobs.ts'

const orders = pgTable('orders', { id: text().primaryKey(), email: text().notNull() })

/** The order and its job commit together, or neither does. */
export async function placeOrder(db: NodePgDatabase, queue: Queue, order: { id: string; email: string }) {
  await db.transaction(async (tx) => {
    await tx.insert(orders).values(order)
    const job = { orderId: order.id, email: order.email }
    await queue.enqueue(confirmOrder, job, { transaction: drizzleTransaction(tx, sql) })
  })
}
