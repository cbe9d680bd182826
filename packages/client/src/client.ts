import { type AccessCalls, accessCalls, accessOptions } from './calls/access/access.ts'
import { type BulkActionCalls, bulkActionCalls, bulkActionOptions } from './calls/acts/bulk-actions.ts'
import { type ChangeJobCalls, changeJobCalls, changeJobOptions } from './calls/acts/change-job.ts'
import { type DeadLetterCalls, deadLetterCalls, deadLetterOptions } from './calls/acts/dead-letters.ts'
import { type EnqueueCalls, enqueueCalls, enqueueOptions } from './calls/enqueue/enqueue.ts'
import { type FollowCalls, followCalls, followOptions } from './calls/reads/follow.ts'
import { type JobCalls, jobCalls, jobOptions } from './calls/reads/jobs.ts'
import { type KindCalls, kindCalls, kindOptions } from './calls/kinds/kinds.ts'
import { type LimitCalls, limitCalls, limitOptions } from './calls/flow/limits.ts'
import { type MonitoringCalls, monitoringCalls, monitoringOptions } from './calls/insight/monitoring.ts'
import { type QueueCalls, queueCalls, queueOptions } from './calls/flow/queues.ts'
import { type ScheduleCalls, scheduleCalls, scheduleOptions } from './calls/schedules/schedules.ts'
import { assertClientOptions, checkedCalls } from './checked-calls.ts'
import type { RulesOfCalls } from './option-rules.ts'
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

/** The kinds are not checked at run time: the compiler of the caller and the API check them. */
type AnyKinds = Readonly<Record<string, unknown>>

const rules: RulesOfCalls<Client<AnyKinds>> = {
  ...enqueueOptions,
  ...jobOptions,
  ...changeJobOptions,
  ...bulkActionOptions,
  ...deadLetterOptions,
  ...scheduleOptions,
  ...kindOptions,
  ...queueOptions,
  ...limitOptions,
  ...followOptions,
  ...monitoringOptions,
  ...accessOptions,
}

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
  const calls: Client<AnyKinds> = {
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
  }
  return checkedCalls(calls, rules) as Client<Kinds>
}
