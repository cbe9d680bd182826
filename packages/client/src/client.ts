import { type AccessCalls, accessCalls } from './calls/access/access.ts'
import { type BulkActionCalls, bulkActionCalls } from './calls/acts/bulk-actions.ts'
import { type ChangeJobCalls, changeJobCalls } from './calls/acts/change-job.ts'
import { type DeadLetterCalls, deadLetterCalls } from './calls/acts/dead-letters.ts'
import { type EnqueueCalls, enqueueCalls } from './calls/enqueue/enqueue.ts'
import { type FollowCalls, followCalls } from './calls/reads/follow.ts'
import { type JobCalls, jobCalls } from './calls/reads/jobs.ts'
import { type KindCalls, kindCalls } from './calls/kinds/kinds.ts'
import { type LimitCalls, limitCalls } from './calls/flow/limits.ts'
import { type MonitoringCalls, monitoringCalls } from './calls/insight/monitoring.ts'
import { type QueueCalls, queueCalls } from './calls/flow/queues.ts'
import { type ScheduleCalls, scheduleCalls } from './calls/schedules/schedules.ts'
import { assertClientOptions, checkedCalls } from './checked-calls.ts'
import type { ClientOptions } from './options.ts'
import { createTransport } from './transport.ts'
import type { BuiltInKinds } from './wire.ts'

/**
 * The operations of the API as functions. Each rejects with an ApiError if the API responds with an error, with a
 * NetworkError if there is no response, with an InvalidCall if it cannot be sent as it was made, and with the reason of a signal
 * that aborts.
 */
export interface Client<Kinds extends object = BuiltInKinds>
  extends EnqueueCalls<Kinds>,
    JobCalls,
    ChangeJobCalls,
    BulkActionCalls,
    DeadLetterCalls,
    ScheduleCalls<Kinds>,
    KindCalls,
    QueueCalls,
    LimitCalls,
    FollowCalls,
    MonitoringCalls,
    AccessCalls {}

/**
 * A client of one API. It holds no connection of its own, so there is nothing to close.
 *
 * By default the kinds are the built-in kinds of the API. If your API has others, `Kinds` declares each with its payload:
 * `createClient<{ thumbnail: { url: string } }>(…)`. `BuiltInKinds & { … }` declares both.
 *
 * @throws InvalidCall if `baseUrl` is not an http or https URL, a number is out of range, or an option is unknown.
 */
export function createClient<Kinds extends object = BuiltInKinds>(options: ClientOptions): Client<Kinds> {
  assertClientOptions(options)
  const transport = createTransport(options)
  return checkedCalls<Client<Kinds>>({
    ...enqueueCalls(transport),
    ...jobCalls(transport),
    ...changeJobCalls(transport),
    ...bulkActionCalls(transport),
    ...deadLetterCalls(transport),
    ...scheduleCalls(transport),
    ...kindCalls(transport),
    ...queueCalls(transport),
    ...limitCalls(transport),
    ...followCalls(transport),
    ...monitoringCalls(transport),
    ...accessCalls(transport),
  })
}
