import { defineMessage } from '@queue/outbox'
import { z } from 'zod'

/** The message that an order was placed. */
export const orderPlaced = defineMessage({
  topic: 'order.placed',
  payload: z.object({
    order_id: z.string(),
    customer: z.string(),
    /** The number of the order among those of its customer, starting with 1. */
    number: z.int().min(1),
    total_cents: z.int().min(0),
  }),
})
