/**
 * What our own packages are made of: the arrows that only the holder of a lease may take, and the registry of workers;
 * the schemas of fields and what encodes them, for the API and the outbox. An application has no use for it, and it
 * changes with these packages; it is kept apart from the package's main entry for that reason.
 */
export type { Access } from './access/access.ts'
export { createRoleSetter, type RoleSetter } from './access/roles.ts'
export type { Claim, ClaimInput } from './transitions/claim-jobs.ts'
export { ClaimMemory, type Eligible, mayWait } from './transitions/claim-memory.ts'
export { claimJobs } from './transitions/claim-jobs.ts'
export { cancelRunningJobs } from './transitions/cancel-running-jobs.ts'
export type { FinishWrite } from './transitions/finish-jobs.ts'
export { finishJobs } from './transitions/finish-jobs.ts'
export type { FinishTarget } from './transitions/finish-in-transaction.ts'
export { finishInTransaction } from './transitions/finish-in-transaction.ts'
export { giveBackJobs } from './transitions/give-back-jobs.ts'
export { createDatabaseClock, type DatabaseClock } from './database/clock.ts'
export type { Hint } from './database/notify.ts'
export { decodeHint, encodeHint, notifyApart, notifyChannel, notifyChannelApart } from './database/notify.ts'
export type { Notifier } from './database/notifier.ts'
export { createNotifier } from './database/notifier.ts'
export { besidePool, besidePoolElsewhere } from './database/beside-pool.ts'
export {
  acquireTimeoutsOf,
  breakOff,
  checkOut,
  giveBack,
  renewConnections,
  tolerateBreaks,
} from './database/connections.ts'
export type { GroupWrites } from './group-writes.ts'
export { createGroupWrites } from './group-writes.ts'
export type { PruneResult, Retention } from './transitions/prune-jobs.ts'
export { pruneJobs } from './transitions/prune-jobs.ts'
export type { AgeRange, OwnLeases } from './reads/list-own-leases.ts'
export type { ReadPayload } from './reads/read-payloads.ts'
export { readPayloads } from './reads/read-payloads.ts'
export { listOwnLeases } from './reads/list-own-leases.ts'
export type { RecoveredJob, Recovery } from './transitions/recover-jobs.ts'
export { recoverJobs } from './transitions/recover-jobs.ts'
export { releaseJobs } from './transitions/release-jobs.ts'
export type { FailureWrite } from './transitions/retry-or-bury-jobs.ts'
export { retryOrBuryJobs } from './transitions/retry-or-bury-jobs.ts'
export type { Settlement } from './transitions/settle-attempts.ts'
export { leaseKey } from './transitions/settle-attempts.ts'
export type { SnoozeWrite } from './transitions/snooze-jobs.ts'
export { snoozeJobs } from './transitions/snooze-jobs.ts'
export type { ProgressWrite } from './transitions/report-progress.ts'
export { reportProgress } from './transitions/report-progress.ts'
export type { LeaseState, PlacedLease, SeenLease } from './reads/check-leases.ts'
export { checkLeases } from './reads/check-leases.ts'
export type { WorkerRegistration } from './workers/register-worker.ts'
export { registerWorker } from './workers/register-worker.ts'
export type { LeaseRenewal } from './workers/renew-worker-lease.ts'
export { renewWorkerLease } from './workers/renew-worker-lease.ts'
export { stopWorker } from './workers/stop-worker.ts'
export { pruneWorkers } from './workers/prune-workers.ts'
export { createIdMint, type MintIds } from './database/id-mint.ts'
export { instantParameter } from './database/instant.ts'
export { epochMs, type Numeric } from './database/job-row.ts'
export {
  callerIsInside,
  type CallerSession,
  callerSession,
} from './database/caller-transaction.ts'
export { isContention, isDataError, isRefusal, isUnavailable, sqlStateOf } from './database/pg-error.ts'
export type { Session } from './database/session.ts'
export { queryWithin } from './database/timed-query.ts'
export { checkPayload, parseOrThrow, type Refused, type StoredPayload } from './domain/job-definition.ts'
export type { OptionsOf } from './domain/options-of.ts'
export { isJobId, smallestJobIdAt } from './domain/job-id.ts'
export { bytesBeyond, findJsonFault, storableText, writtenOutBytes } from './domain/json.ts'
export { grantsToSetUpRoles } from './access/grant-to-set-up-roles.ts'
export { checkLineage } from './migrator/check-lineage.ts'
export { privilegeMatrix, queueAccess } from './access/privilege-matrix.ts'
export { checkVersion } from './diagnosis/check-schema.ts'
export { type CheckOf, counted, ill, ok, rowsOf, spoken } from './diagnosis/finding.ts'
export { gravest, runChecks } from './diagnosis/run-checks.ts'
export { type RunnerClient, type RunnerOptions, withRunnerClient } from './migrator/runner-client.ts'
export { queueLineage } from './migrations/index.ts'
export { createMigrator, type MigrateOptions, type Migrator } from './migrator/migrator.ts'
export type {
  BatchedMigration,
  ConcurrentMigration,
  Lineage,
  Migration,
  Statement,
  TransactionalMigration,
} from './migrator/migration.ts'
export { assertRoleName, processes } from './access/process-roles.ts'
export { connect } from './database/connect.ts'
export { poolSettingsSchema } from './database/pool-settings.ts'
export { assertSchemaName, schemaDefault } from './database/schema-names.ts'
export { describeError } from './domain/failure.ts'
export { type ClaimedJob, executionOutcomes, jobFields, type Lease, type UnbegunJob } from './domain/job.ts'
export {
  decodeRetryPolicy,
  defaultRetryPolicy,
  encodeRetryPolicy,
  type Random,
  retryDelayMs,
  retryPolicyWireSchema,
} from './domain/retry.ts'
export { isTraceparent, traceIdOf } from './domain/trace-context.ts'
export { transitions } from './domain/transitions.ts'
export { checkSchemaVersion } from './migrations/check-schema-version.ts'
export { traceEnqueues } from './enqueue-tracing.ts'
export { oldestSnapshotSeconds } from './reads/oldest-snapshot.ts'
export { deadLetterDepth, type DeadLetterDepth } from './reads/dead-letter-depth.ts'
export { type TableSize, tableSizes } from './reads/table-sizes.ts'
export { takesWrites } from './reads/takes-writes.ts'
