/** A kind and its handler in a module of their own. Nothing annotates the types of the handler. */
import { defineJob } from '@queue/core'
import { handle } from '@queue/worker'
import { z } from 'zod'

export const greet = defineJob({
  kind: 'greet',
  payload: z.object({ name: z.string(), times: z.int().default(1) }),
  retryPolicy: { type: 'fixed', baseMs: 10 },
})

export const greetGuest = handle(greet, async ({ payload }, ctx) => {
  if (payload.times > 1) return { greeted: payload.times }
  return ctx.transaction(async (client) => {
    await client.query('INSERT INTO guests (name) VALUES ($1)', [payload.name])
  })
})
