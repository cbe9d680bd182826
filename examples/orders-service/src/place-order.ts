import type { Outbox } from '@queue/outbox'
import { orderPlaced } from './messages.ts'
import type { OrdersDatabase } from './orders-database.ts'

export interface NewOrder {
  readonly id: string
  readonly customer: string
  readonly totalCents: number
}

/** The shop's limit for one order; a check that comes late, as such checks do. */
export const creditLimitCents = 100_000

/**
 * Places an order: the row and its message commit together, or neither does. The customer is the key of the message,
 * so that whoever receives them sees the orders of a customer in the order in which they were placed. Throws when the
 * order is refused, and then nothing of it is there.
 */
export async function placeOrder(database: OrdersDatabase, outbox: Outbox, order: NewOrder): Promise<void> {
  const { id, customer, totalCents } = order
  await database.transaction().execute(async (transaction) => {
    await transaction
      .insertInto('customers')
      .values({ name: customer, orders: 0 })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    const { orders: number } = await transaction
      .updateTable('customers')
      .set((row) => ({ orders: row('orders', '+', 1) }))
      .where('name', '=', customer)
      .returning('orders')
      .executeTakeFirstOrThrow()
    await transaction.insertInto('orders').values({ id, customer, number, total_cents: totalCents }).execute()
    await outbox.publish(
      orderPlaced.create({ order_id: id, customer, number, total_cents: totalCents }, { key: customer }),
      { transaction },
    )
    if (totalCents > creditLimitCents) throw new Error(`order ${id} is over the credit limit`)
  })
}
