import { defineMessage } from '@queue/outbox'
import { z } from 'zod'

/** What the service tells the world: an order was placed. */
export const orderPlaced = defineMessage({
  topic: 'order.placed',
  payload: z.object({
    order_id: z.string(),
    customer: z.string(),
    /** 1 for the customer's first order, and so on. */
    number: z.int().min(1),
    total_cents: z.int().min(0),
  }),
})
