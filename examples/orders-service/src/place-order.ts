import type { Outbox } from '@queue/outbox'
import { orderPlaced } from './messages.ts'
import type { OrdersDatabase } from './orders-database.ts'

export interface NewOrder {
  readonly id: string
  readonly customer: string
  readonly totalCents: number
}

/** The limit of a single order. It is checked last, to show that the transaction is rolled back. */
export const creditLimitCents = 100_000

/**
 * Places an order. The row and its message commit together, or neither does. The customer is the key of the message, so that
 * receivers get the orders of a customer in the order in which they were placed. Throws if the order is over the credit limit;
 * then neither the order nor its message exists.
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
