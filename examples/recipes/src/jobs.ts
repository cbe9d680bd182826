import { defineJob } from '@queue/core'
import { z } from 'zod'

/** The e-mail that confirms an order. */
export const confirmOrder = defineJob({
  kind: 'confirm_order',
  payload: z.object({ orderId: z.string(), email: z.email() }),
})
