import { defineJob } from '@queue/core'
import { z } from 'zod'

/** A job whose handler does what its payload says, even if it harms the process. */
export const misbehave = defineJob({
  kind: 'misbehave',
  payload: z.object({
    /**
     * `block`: blocks the event loop for `ms` milliseconds. `spin`: blocks it forever on the first attempt. `wait`:
     * waits for its signal. `ignore`: never ends and ignores its signal. `pause`: ends after `ms` milliseconds. `return`: ends
     * at once.
     */
    act: z.enum(['block', 'spin', 'wait', 'ignore', 'pause', 'return']),
    ms: z.int().optional(),
  }),
  retryPolicy: { type: 'fixed', baseMs: 1 },
})
