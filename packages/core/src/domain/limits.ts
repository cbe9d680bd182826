/**
 * Every bound of the system, by name, with its unit last.
 * A number that limits anything is written here and nowhere else; migrations freeze their own copies,
 * and a test compares the two.
 */

/** Names of queues and kinds fit one index entry and one metric label. */
export const nameLengthMax = 63
/** The id of whoever acts, in the audit log: subjects of OpenID Connect have at most so much. */
export const actorIdLengthMax = 255
/** A job says the version of its kind in two bytes. */
export const kindVersionMax = 32_767
export const kindAliasesMax = 20
export const kindDescriptionLengthMax = 1_000
/** The text of a payload's JSON Schema. */
export const kindSchemaBytesMax = 65_536
export const sensitivePointersMax = 100
export const sensitivePointerLengthMax = 255
/** Versions of kinds that one call registers. */
export const registerKindsMax = 100
/** Versions of all kinds together: each API process keeps them in memory, up to 64 KiB each. */
export const registeredKindsMax = 1_000
export const priorityMin = 0
export const priorityMax = 9
export const priorityDefault = 4
export const maxAttemptsMin = 1
export const maxAttemptsMax = 100
export const maxAttemptsDefault = 3
/** A day: a job that needs longer should be split, because its lease holds a slot all that time. */
export const timeoutMsMax = 86_400_000
/** Ten years: further away than any deployment plans, and well inside a timestamptz. */
export const delayMsMax = 10 * 365 * 86_400_000
/** The end of the year 9999, in milliseconds since 1970: later years have no form that every ISO 8601 reader knows. */
export const runAtMsMax = 253_402_300_799_999
export const retryBaseMsMin = 1
export const retryBaseMsMax = 86_400_000
export const retryCapMsMax = 7 * 86_400_000
/** As far away as a delay. */
export const snoozeMsMax = 10 * 365 * 86_400_000
export const idempotencyKeyLengthMax = 255
export const uniqueKeyLengthMax = 255
export const tenantIdLengthMax = 255
/** With it a job has its lane: it stands in the index of what waits, beside the tenant. */
export const keyLengthMax = 255
export const keyPointerLengthMax = 255
export const limitMaxRunningMax = 1_000_000
/** Each count of them reads so many entries of an index. */
export const limitMaxWaitingMax = 1_000_000
/** Counts of what waits that one statement brings up to date. */
export const waitingCountBatchMax = 1_000
export const shareWeightMax = 1_000
/** Lanes of each sort that one call of the reconciliation looks at. */
export const limitReconcileLanesMax = 1_000
export const rateCountMax = 1_000_000
/** A day. */
export const ratePerMsMax = 86_400_000
export const rateBurstMax = 1_000_000
/** No rate has more at once, and a start costs no more than its burst. */
export const jobWeightMax = 1_000_000
export const jobWeightDefault = 1
export const traceContextLengthMax = 255
export const workerIdLengthMax = 255
/** The stored text of a payload; the HTTP body limit is the same, so the body is what meets it first. */
export const payloadBytesMax = 1_048_576
export const payloadDepthMax = 64
/** Each object, array, string, number, boolean and null is one: it is their number that a document costs, not its bytes. */
export const payloadNodesMax = 100_000
/** In the payloads of the built-in kinds. What is longer, hardly a server takes. */
export const urlLengthMax = 8_192
/** User, password, host and port of such a URL: some releases of Node take time with the square of a name's letters. */
export const urlAuthorityLengthMax = 1_024
export const resultBytesMax = 65_536
export const metadataMembersMax = 20
/** The JSON text of a job's metadata. Each claim carries it. */
export const metadataBytesMax = 4_096
/** Characters of a value by which an index finds it; together with the longest tenant and name they fit one index entry. */
export const metadataSearchedLengthMax = 200
export { errorLengthMax } from '@queue/loop/describe-error'
export const progressMessageLengthMax = 1_000
export const enqueueBatchMax = 1_000
/**
 * Payloads in one enqueue: a second or two of PostgreSQL's time, and well below the longest string that V8 can make, to
 * which the array that carries them would come with a few times as much.
 */
export const enqueueBatchBytesMax = 64 * 1_048_576
/** Enqueues of independent callers that share one statement. */
export const enqueueGroupMax = 500
/** Payloads in one shared statement: past this the next begins, so that small jobs do not wait for many large ones. */
export const enqueueGroupBytesMax = 4 * 1_048_576
/** Independent enqueues without an answer; a queue this long is a second of work, and more would only wait longer. */
export const enqueueWaitingMax = 1_000
export const claimBatchMax = 1_000
/**
 * Payloads that one claim carries: what is larger than a job's share of it is read when that job begins. A claim of a
 * thousand jobs carries payloads of up to 16 KiB, one of ten any.
 */
export const claimPayloadBytesMax = 16 * 1_048_576
/** Payloads of the jobs that wait in the memory of a worker, by their average size. */
export const waitingPayloadBytesMax = 4 * 1_048_576
/** Payloads that are read together: the largest come to no more than a claim carries. */
export const payloadReadBatchMax = 4
/** A claim looks into each priority of each queue of its worker: ten thousand places, in tens of milliseconds. */
export const workerQueuesMax = 1_000
export const completionBatchMax = 1_000
export const recoverBatchMax = 500
export const expireBatchMax = 500
export const executionsPerJobMax = 100
/** Groups of failures that are kept: those that were seen last. */
export const errorGroupsMax = 10_000
/** Versions of workers in one of them: those that saw it last; and those that are counted apart on one day, and over a time. */
export const errorVersionsMax = 10
/** How long the failures of each hour are kept. */
export const errorHoursKeptMs = 30 * 86_400_000
/** Points of a trend: of a longer time each is of several hours. */
export const errorTrendPointsMax = 48
/** Days of groups that one statement removes. */
export const errorDaysPruneBatchMax = 10_000
/** Pairs of queue and kind whose numbers are kept apart: those of all further ones are kept together. */
export const statsSeriesMax = 200
/** How long the numbers of each minute are kept … */
export const statsMinutesKeptMs = 48 * 3_600_000
/** … and those of each hour. */
export const statsHoursKeptMs = 90 * 86_400_000
/** A process counts in memory, and adds what it has counted to the database so often: a crash loses no more. */
export const statsFlushMsMax = 10_000
/** What a process keeps until it can add it, by minute, series and tenant; what comes beyond is dropped, and counted. */
export const statsTalliesMax = 2_000
/** Waiting jobs before one that are counted. */
export const placeMax = 10_000
/** Jobs that workers hold and that are read to say why one does not start … */
export const whyHeldMax = 5_000
/** … and queues and versions that it names. */
export const whyNamesMax = 10
/** … and jobs that hold a limit. */
export const whyHoldersMax = 10
/** Waiting jobs with a key that are counted for the keys of a queue; of a queue with more, a sample is … */
export const queueKeysReadMax = 10_000
/** … of so many pages of 8 KiB, and each key that it finds is counted so far … */
export const queueKeysPagesMax = 1_000
export const queueKeyCountMax = 1_000
/** … and so many keys are named. */
export const queueKeysMax = 50
export const queueKeysDefault = 20
/** What needs somebody is counted so far … */
export const attentionCountMax = 1_000
/** … in so many queues, by name. */
export const attentionQueuesMax = 1_000
/** Queues, scopes and kinds with limits whose use is read for metrics … */
export const limitUsageMax = 200
/** … and due jobs of a queue that are read for it: of those with a key, and of those without. */
export const limitUsageDueMax = 1_000
/** Rows of numbers that one statement removes. */
export const statsPruneBatchMax = 10_000
/** Lines that are kept of one attempt … */
export const logLinesPerAttemptMax = 1_000
/** … and the UTF-8 bytes of their messages and fields. What comes beyond is counted. */
export const logBytesPerAttemptMax = 262_144
/** UTF-16 units; longer messages are cut. */
export const logMessageLengthMax = 8_192
/** The JSON text of the fields of one line, in UTF-16 units: longer ones are kept as the beginning of that text. */
export const logFieldsLengthMax = 8_192
export const listLimitMax = 200
export const listLimitDefault = 50
/** A list filter without its own index reads at most this many rows by id in one request. */
export const listScanRowsMax = 10_000
/** Causes that one filter names. */
export const fingerprintsMax = 100
/** An act by filter changes so many jobs at once; more become an operation. */
export const actAtOnceMax = 1_000
/** A dry run counts so many, and reads as many rows. */
export const actCountedMax = 100_000
/** Jobs that a dry run names. */
export const actSampleMax = 10
/** Jobs that one batch of an operation changes, in one transaction. */
export const operationBatchMax = 500
/** Jobs that an operation may be held to in a second, at most. */
export const operationRateMax = 100_000
/** Documents in one page: past this it ends, so that nobody has to read and write hundreds of megabytes at once. */
export const listPageBytesMax = 4 * 1_048_576
export const leaseMsMin = 1_000
/** Between the finish in a handler's own transaction, which locks the job, and its COMMIT nothing is left to be done. */
export const commitIdleMsMax = 10_000
/** A lost job comes back after a uniform wait in [0, this], so that a dead worker's jobs do not arrive at once. */
export const recoveryJitterMsMax = 5_000
/** Jobs of one call of a handler for many: as many as a claim brings. */
export const batchSizeMax = 1_000
/** A job that waits for others holds its slot and its lease. */
export const batchWaitMsMax = 60_000
/** A prune reads so many rows by id, and deletes at most as many, in one statement. */
export const pruneBatchMax = 1_000
export const requeueBatchMax = 1_000
/** A hundred years: an interval that PostgreSQL can take from any instant of the present. */
export const retentionMsMax = 36_500 * 86_400_000
/** Schedules fire to the second. */
export const scheduleEveryMsMin = 1_000
/** Ten years, as far away as a delay. */
export const scheduleEveryMsMax = 10 * 365 * 86_400_000
export const scheduleCronLengthMax = 200
export const scheduleTimeZoneLengthMax = 64
export const scheduleJitterMsMax = 86_400_000
export const scheduleMissedWindowMsMax = 10 * 365 * 86_400_000
/** A firing reads many schedules with their payloads. */
export const schedulePayloadBytesMax = 65_536
/** Runs that one firing of a schedule makes up for. */
export const scheduleMissedMax = 1_000
/** Instants of an expression that one firing counts: an hour of seconds, and a quarter of a second of this process. */
export const scheduleMissedCountedMax = 4_000
/** How late an instant may be fired under `missed: 'skip'`, where the schedule does not say: a deploy, and no more. */
export const scheduleSkipWindowMsDefault = 60_000
/** How late one may be made up for under `missed: 'all'`, where the schedule does not say. */
export const scheduleAllWindowMsDefault = 86_400_000
/** Schedules that one firing locks … */
export const scheduleFireBatchMax = 500
/** … and the instants that it computes before it leaves the rest to the next: a fifth of a second of this process. */
export const scheduleFireInstantsMax = 2_000
export const schedulePreviewMax = 20
/** Schedules in one sync. */
export const scheduleSyncMax = 1_000
