import { defineJob } from '@queue/core'
import { z } from 'zod'

/** A job whose handler does what its payload says, however bad it is for the process. */
export const misbehave = defineJob({
  kind: 'misbehave',
  payload: z.object({
    /**
     * `block`: holds the event loop for `ms` milliseconds. `spin`: holds it for ever, on the first attempt. `wait`:
     * waits for its signal. `ignore`: never ends, whatever it is told. `return`: ends at once.
     */
    act: z.enum(['block', 'spin', 'wait', 'ignore', 'return']),
    ms: z.int().optional(),
  }),
  retryPolicy: { type: 'fixed', baseMs: 1 },
})
