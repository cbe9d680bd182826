import { retryPolicyWireSchema } from '@queue/core'

/** How long a job waits between its attempts, in the names of the wire. */
export const retryPolicy = retryPolicyWireSchema.meta({
  id: 'RetryPolicy',
  description: 'How long a job waits between its attempts. Absent members take the defaults of the policy.',
})
