import { type Access, accessCalls } from './calls/access.ts'
import { actCalls, type ActsOnJobs } from './calls/acts.ts'
import { type DeadLetters, deadLetterCalls } from './calls/dead-letters.ts'
import { type Enqueueing, enqueueCalls } from './calls/enqueue.ts'
import { type Following, followCalls } from './calls/follow.ts'
import { type Jobs, jobCalls } from './calls/jobs.ts'
import { kindCalls, type KindRegistry } from './calls/kinds.ts'
import { type Limits, limitCalls } from './calls/limits.ts'
import { type Queues, queueCalls } from './calls/queues.ts'
import { type Schedules, scheduleCalls } from './calls/schedules.ts'
import type { ClientOptions } from './options.ts'
import { createTransport } from './transport.ts'
import type { BuiltInKinds } from './wire.ts'

/**
 * The API as functions. Each rejects with an ApiError on an answer that is an error, a NetworkError where no answer
 * came, and the reason of a signal that aborts.
 */
export interface Client<Kinds extends object = BuiltInKinds>
  extends Enqueueing<Kinds>,
    Jobs,
    ActsOnJobs,
    DeadLetters,
    Schedules<Kinds>,
    KindRegistry,
    Queues,
    Limits,
    Following,
    Access {}

/**
 * A client of one API. It opens nothing by itself, and there is nothing to close.
 *
 * The kinds are those that the API has built in. Where it takes others, `Kinds` has each one with its payload:
 * `createClient<{ thumbnail: { url: string } }>(…)`; `BuiltInKinds & { … }` for both.
 *
 * @throws TypeError if `baseUrl` is no http(s) URL, RangeError if a number is out of range.
 */
export function createClient<Kinds extends object = BuiltInKinds>(options: ClientOptions): Client<Kinds> {
  const transport = createTransport(options)
  return {
    ...enqueueCalls(transport),
    ...jobCalls(transport),
    ...actCalls(transport),
    ...deadLetterCalls(transport),
    ...scheduleCalls(transport),
    ...kindCalls(transport),
    ...queueCalls(transport),
    ...limitCalls(transport),
    ...followCalls(transport),
    ...accessCalls(transport),
  }
}
