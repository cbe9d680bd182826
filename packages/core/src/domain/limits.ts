/**
 * Every bound of the system, by name, with its unit last. A bound is written here and nowhere else. Migrations freeze
 * their own copies, and a test compares the two.
 */

/** Length of the names of queues and kinds: they fit one index entry and one metric label. */
export const nameLengthMax = 63
/** Length of an actor's id in the audit log: the longest subject that OpenID Connect allows. */
export const actorIdLengthMax = 255
/** The column that holds the version of a job's kind has two bytes. */
export const kindVersionMax = 32_767
export const kindAliasesMax = 20
export const kindDescriptionLengthMax = 1_000
/** The text of the JSON Schema of a payload. */
export const kindSchemaBytesMax = 65_536
/** Objects, arrays, texts, numbers, booleans and nulls in it: compiling it takes time that grows with their number. */
export const kindSchemaNodesMax = 2_000
/** Characters of the different patterns in it. Compiling them takes time that grows with their length. */
export const kindPatternsLengthMax = 8_192
/** Maximum steps of the check of one payload by all versions of its kind: visited values times the keywords that apply to each. */
export const kindStepsMax = 1_000_000
export const sensitivePointersMax = 100
/** The most pointers that a job keeps. With more, its whole payload is hidden. */
export const keptPointersMax = 200
export const sensitivePointerLengthMax = 255
/** Kind versions that one call can register. */
export const registerKindsMax = 100
/** Versions of all kinds together. Each API process keeps them in memory, up to 64 KiB each. */
export const registeredKindsMax = 1_000
export const priorityMin = 0
export const priorityMax = 9
export const priorityDefault = 4
export const maxAttemptsMin = 1
export const maxAttemptsMax = 100
export const maxAttemptsDefault = 3
/** A day. A job that needs longer should be split, because its lease holds a slot all that time. */
export const timeoutMsMax = 86_400_000
/** Ten years: longer than any deployment plans ahead, and well inside a timestamptz. */
export const delayMsMax = 10 * 365 * 86_400_000
/** The end of the year 9999, in milliseconds since 1970. Later years have no form that every ISO 8601 reader understands. */
export const runAtMsMax = 253_402_300_799_999
/** The last instant of a document from outside: the last one that has a four-digit year. */
export const instantMsMax = 253_402_300_799_999
export const retryBaseMsMin = 1
export const retryBaseMsMax = 86_400_000
export const retryCapMsMax = 7 * 86_400_000
/** The same as the longest delay. */
export const snoozeMsMax = 10 * 365 * 86_400_000
export const idempotencyKeyLengthMax = 255
export const uniqueKeyLengthMax = 255
export const tenantIdLengthMax = 255
/** The key is in the index of waiting jobs, beside the tenant. */
export const keyLengthMax = 255
export const keyPointerLengthMax = 255
export const limitMaxRunningMax = 1_000_000
/** Counting the waiting jobs of a limit reads this many index entries. */
export const limitMaxWaitingMax = 1_000_000
/** Waiting counts that one statement brings up to date. */
export const waitingCountBatchMax = 1_000
export const shareWeightMax = 1_000
/** Lanes that one call of the reconciliation reads in each of its steps. */
export const limitReconcileLanesMax = 1_000
export const rateCountMax = 1_000_000
/** A day. */
export const ratePerMsMax = 86_400_000
export const rateBurstMax = 1_000_000
/** The largest burst of a rate, because no start costs more tokens than the burst. */
export const jobWeightMax = 1_000_000
export const jobWeightDefault = 1
export const traceContextLengthMax = 255
export const workerIdLengthMax = 255
/** The stored text of a payload. The body limit of the HTTP API is the same, and refuses a larger payload first. */
export const payloadBytesMax = 1_048_576
export const payloadDepthMax = 64
/**
 * Each object, array, string, number, boolean and null counts as one. The cost of a document depends on their number,
 * not on its bytes.
 */
export const payloadNodesMax = 100_000
/** URLs in the payloads of the built-in kinds. Few servers accept longer ones. */
export const urlLengthMax = 8_192
/**
 * User, password, host and port of such a URL. Some releases of Node need time that grows with the square of a host
 * name's length.
 */
export const urlAuthorityLengthMax = 1_024
export const resultBytesMax = 65_536
export const metadataMembersMax = 20
/** The JSON text of a job's metadata, which every claim carries. */
export const metadataBytesMax = 4_096
/** Characters of a metadata value that the index holds. Together with the longest tenant and name they fit one index entry. */
export const metadataSearchedLengthMax = 200
export { errorLengthMax } from '@queue/loop/describe-error'
export const progressMessageLengthMax = 1_000
export const enqueueBatchMax = 1_000
/** An enqueue that has waited longer for the database is refused: filters by creation look no further back among the ids. */
export const enqueueAgeMsMax = 3_600_000
/**
 * Payloads in one enqueue. PostgreSQL needs a second or two for as much. The text of the array that carries them may be
 * a few times as long, and stays well below the longest string of V8.
 */
export const enqueueBatchBytesMax = 64 * 1_048_576
/** Enqueues of independent callers that share one statement. */
export const enqueueGroupMax = 500
/**
 * Payloads in one shared statement. The next statement begins beyond it, so that small jobs do not wait for many large
 * ones.
 */
export const enqueueGroupBytesMax = 4 * 1_048_576
/** Independent enqueues that wait for an answer. As many are a second of work; more would only wait longer. */
export const enqueueWaitingMax = 1_000
export const claimBatchMax = 1_000
/**
 * Payloads that one claim carries. A payload larger than a job's share of it is read when the job begins. A claim of a
 * thousand jobs carries payloads of up to 16 KiB each; a claim of ten carries any payload.
 */
export const claimPayloadBytesMax = 16 * 1_048_576
/** Payloads of claimed jobs that wait in a worker's memory, estimated from their average size. */
export const waitingPayloadBytesMax = 4 * 1_048_576
/** Payloads that are read together: the largest come to no more than a claim carries. */
export const payloadReadBatchMax = 4
/** A claim searches each priority of each of its worker's queues: ten thousand places, in tens of milliseconds. */
export const workerQueuesMax = 1_000
export const completionBatchMax = 1_000
export const recoverBatchMax = 500
export const expireBatchMax = 500
export const executionsPerJobMax = 100
/** Error groups that are kept: the ones seen last. */
export const errorGroupsMax = 10_000
/**
 * Worker versions that an error group lists, the ones that failed last; also those that are counted separately in a day
 * or a time range.
 */
export const errorVersionsMax = 10
/** How long failures are kept by the hour. */
export const errorHoursKeptMs = 30 * 86_400_000
/** Points of an error trend. Each point of a longer range covers several hours. */
export const errorTrendPointsMax = 48
/** Rows of one group and day that one statement removes. */
export const errorDaysPruneBatchMax = 10_000
/** Pairs of queue and kind that are counted separately. All further pairs are counted together. */
export const statsSeriesMax = 200
/** For how long what a requeue has changed is kept for its undo. */
export const requeueUndoMs = 3_600_000
/** How long statistics are kept by the minute. */
export const statsMinutesKeptMs = 48 * 3_600_000
/** How long statistics are kept by the hour. */
export const statsHoursKeptMs = 90 * 86_400_000
/** How often a process adds the counts in its memory to the database. A crash loses no more than that. */
export const statsFlushMsMax = 10_000
/**
 * Counters that a process holds until it can add them, one for each minute, series and tenant. Further ones are
 * dropped, and the drop is counted.
 */
export const statsTalliesMax = 2_000
/** Waiting jobs that are counted to tell a job's place in its queue. */
export const placeMax = 10_000
/** Held jobs that are read to say why a job does not start. */
export const whyHeldMax = 5_000
/** Queues and versions that such a reason names. */
export const whyNamesMax = 10
/** Jobs holding a limit that such a reason names. */
export const whyHoldersMax = 10
/** Waiting jobs with a key that are counted exactly, by key. Of a queue with more, a sample is taken. */
export const queueKeysReadMax = 10_000
/** Pages of 8 KiB in that sample. */
export const queueKeysPagesMax = 1_000
/** Waiting jobs that are counted of each key in the sample. */
export const queueKeyCountMax = 1_000
/** Keys of a queue that one answer names. */
export const queueKeysMax = 50
export const queueKeysDefault = 20
/** How far the jobs of one condition that needs attention are counted. */
export const attentionCountMax = 1_000
/** Queues in which such conditions are looked for, in the order of their names. */
export const attentionQueuesMax = 1_000
/** Combinations of queue, scope and kind with limits whose use is read for metrics. */
export const limitUsageMax = 200
/** Due jobs of a queue that are read for it: as many with a key, and as many without. */
export const limitUsageDueMax = 1_000
/** Rows of statistics that one statement removes. */
export const statsPruneBatchMax = 10_000
/** Log lines that are kept of one attempt. Further lines are only counted. */
export const logLinesPerAttemptMax = 1_000
/** UTF-8 bytes of the messages and fields that are kept of one attempt. Lines beyond them are only counted. */
export const logBytesPerAttemptMax = 262_144
/**
 * Bytes of log lines, progress, results and errors that wait in one process to be written. From half of it on the process begins
 * no further job. Log lines beyond it are only counted.
 */
export const unwrittenBytesMax = 33_554_432
/** UTF-16 units. Longer messages are cut. */
export const logMessageLengthMax = 8_192
/** UTF-16 units of the JSON text of one line's fields. Of longer ones the beginning of the text is kept. */
export const logFieldsLengthMax = 8_192
export const listLimitMax = 200
export const listLimitDefault = 50
/** Rows that one request reads by id where its list filter has no index of its own. */
export const listScanRowsMax = 10_000
/** The same where only jobs that waited across the end of a period can fail the test, and a page is full after few rows. */
export const createdBeforeScanRowsMax = 1_000
/** Fingerprints that one filter names. */
export const fingerprintsMax = 100
/** Jobs that a bulk action changes at once. A larger one becomes an operation. */
export const actAtOnceMax = 1_000
/** Jobs that a dry run counts, and rows that it reads. */
export const actCountedMax = 100_000
/** Jobs in the sample of a dry run. */
export const actSampleMax = 10
/** Jobs that one batch of an operation changes, in one transaction. */
export const operationBatchMax = 500
/** Operations of one API key or subject that have not ended. A further one is refused. */
export const callerOperationsMax = 50
/** Operations of one tenant that have not ended. A further one is refused. */
export const tenantOperationsMax = 200
/** The highest rate limit of an operation, in jobs per second. */
export const operationRateMax = 100_000
/** Documents in one page. The page ends beyond it, so that no request reads and writes hundreds of megabytes at once. */
export const listPageBytesMax = 2 * 1_048_576
/** The first interval between two polls of a `waitFor`. It doubles with each poll. */
export const waitPollMsMin = 100
/** The longest interval between two polls of a `waitFor`. */
export const waitPollMsMax = 2_000
/** Jobs whose states one poll of all `waitFor` of a queue reads. */
export const waitStatesMax = 1_000
/** Ended jobs that one statement of all `waitFor` of a queue reads with their documents. */
export const waitReadMax = 50
/** Polls in a row that the database may leave unanswered before a `waitFor` rejects. */
export const waitFailuresMax = 5
export const leaseMsMin = 1_000
/**
 * How long a transaction may be idle between the finish of its job, which locks the job's row, and the COMMIT. Nothing
 * is left to do then.
 */
export const commitIdleMsMax = 10_000
/** A lost job waits for a random time in [0, this], so that the jobs of a dead worker do not become due all at once. */
export const recoveryJitterMsMax = 5_000
/** Jobs in one call of a batch handler: as many as a claim brings. */
export const batchSizeMax = 1_000
/** How long a batch waits for more jobs. A waiting job keeps its slot and its lease. */
export const batchWaitMsMax = 60_000
/** Rows that one prune statement reads by id; it deletes at most as many. */
export const pruneBatchMax = 1_000
/**
 * A job with a larger payload stays in `jobs` when it succeeds, in bytes as PostgreSQL stores them: the move would write the payload
 * once more.
 */
export const archivedPayloadBytesMax = 512
/** Pages of lane events that one prune statement reads. */
export const laneEventPagesMax = 500
export const requeueBatchMax = 1_000
/** A hundred years: PostgreSQL can subtract such an interval from any present instant. */
export const retentionMsMax = 36_500 * 86_400_000
/** Schedules fire with a resolution of one second. */
export const scheduleEveryMsMin = 1_000
/** Ten years, the same as the longest delay. */
export const scheduleEveryMsMax = 10 * 365 * 86_400_000
export const scheduleCronLengthMax = 200
export const scheduleTimeZoneLengthMax = 64
export const scheduleJitterMsMax = 86_400_000
export const scheduleMissedWindowMsMax = 10 * 365 * 86_400_000
/** Smaller than the payload of a job, because a firing reads many schedules with their payloads. */
export const schedulePayloadBytesMax = 65_536
/** Missed runs that one firing of a schedule enqueues. */
export const scheduleMissedMax = 1_000
/** Instants of a cron expression that one firing counts: an hour of seconds, which takes a quarter of a second of CPU time. */
export const scheduleMissedCountedMax = 4_000
/**
 * How late a run may be fired with `missed: 'skip'`, where the schedule does not set a window: long enough for a
 * deployment.
 */
export const scheduleSkipWindowMsDefault = 60_000
/** How late a missed run may be made up for with `missed: 'all'`, where the schedule does not set a window. */
export const scheduleAllWindowMsDefault = 86_400_000
/** Schedules that one firing locks. */
export const scheduleFireBatchMax = 500
/** Instants that one firing computes before it leaves the rest to the next firing: a fifth of a second of CPU time. */
export const scheduleFireInstantsMax = 2_000
export const schedulePreviewMax = 20
/** Schedules in one sync. */
export const scheduleSyncMax = 1_000
