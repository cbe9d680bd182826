import { type DeadLetters, deadLetterCalls } from './calls/dead-letters.ts'
import { type Enqueueing, enqueueCalls } from './calls/enqueue.ts'
import { type Jobs, jobCalls } from './calls/jobs.ts'
import { type Queues, queueCalls } from './calls/queues.ts'
import type { ClientOptions } from './options.ts'
import { createTransport } from './transport.ts'

/**
 * The API as functions. Each rejects with an ApiError on an answer that is an error, a NetworkError where no answer
 * came, and the reason of a signal that aborts.
 */
export interface Client extends Enqueueing, Jobs, DeadLetters, Queues {}

/**
 * A client of one API. It opens nothing by itself, and there is nothing to close.
 *
 * @throws TypeError if `baseUrl` is no http(s) URL, RangeError if a number is out of range.
 */
export function createClient(options: ClientOptions): Client {
  const transport = createTransport(options)
  return {
    ...enqueueCalls(transport),
    ...jobCalls(transport),
    ...deadLetterCalls(transport),
    ...queueCalls(transport),
  }
}
