/** Options for the test of an editor's documentation. The comments mark the members that must be documented. */
import { createClient } from '@queue/client'
import { createQueue, defineJob } from '@queue/core'
import { createOutboxWorker, toHandler } from '@queue/outbox'
import { createWorker } from '@queue/worker'
import { z } from 'zod'

const greet = defineJob({
  kind: 'greet',
  payload: z.object({ name: z.string() }),
  maxAttempts: 5, // <-
  retryPolicy: { type: 'exponential', jitter: 'none', capMs: 1_000 }, // <- jitter
})

export const queue = createQueue({ connectionString: '', poolMax: 2 }) // <- poolMax
export const enqueued = () =>
  queue.enqueue(
    greet,
    { name: 'Ada' },
    {
      delayMs: 1, // <-
      priority: 1, // <-
      idempotencyKey: 'ada', // <-
    },
  )
export const listed = () => queue.list({ status: 'queued', limit: 1 }) // <- status limit
export const deadLettered = () => queue.deadLetters.list({ deadLetteredAfter: new Date(), cursor: '' }) // <- cursor

export const worker = createWorker({
  connectionString: '',
  concurrency: 8, // <-
  queues: ['default'], // <-
  leaseMs: 30_000, // <-
  shutdownGraceMs: 30_000, // <-
  handlers: [],
})

export const relay = createOutboxWorker({
  connectionString: '',
  target: toHandler([]),
  config: { batchSize: 1 }, // <- batchSize
})

export const client = createClient({ baseUrl: 'http://localhost', retries: 1 }) // <- retries
export const sent = () => client.enqueue('summarize_text', { text: '' }, { delay_ms: 1, priority: 1 }) // <- delay_ms priority
