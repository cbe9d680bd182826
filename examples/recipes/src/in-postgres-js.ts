import type { Queue } from '@queue/core'
import { postgresJsTransaction } from '@queue/core/postgres-js'
import type { Sql } from 'postgres'
import { confirmOrder } from './jobs.ts'

/** The order and its job commit together, or neither does. */
export async function placeOrder(sql: Sql, queue: Queue, order: { id: string; email: string }) {
  await sql.begin(async (tx) => {
    await tx`INSERT INTO orders ${tx(order)}`
    const job = { orderId: order.id, email: order.email }
    await queue.enqueue(confirmOrder, job, { transaction: postgresJsTransaction(tx) })
  })
}
