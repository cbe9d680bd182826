import { retryPolicyWireSchema } from '@queue/core/runtime'

/** How long a job waits between its attempts, in the names of the wire. */
export const retryPolicy = retryPolicyWireSchema.meta({
  id: 'RetryPolicy',
  description: 'How long a job waits between its attempts. Absent members take the defaults of the policy.',
})

/** That of a job. A schema of its own: if it shared the one of requests, the document would let them send null too. */
export const jobRetryPolicy = retryPolicyWireSchema.nullable().meta({
  id: 'JobRetryPolicy',
  description: "How the job waits between its attempts; null: as its kind's or the worker's policy says.",
})
