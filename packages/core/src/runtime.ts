/**
 * What our own packages are made of: the transitions that only the holder of a lease may take, and the registry of
 * workers; the schemas of fields and what encodes them, for the API and the outbox. An application has no use for it,
 * and it changes with these packages; it is kept apart from the package's main entry for that reason.
 */
export type { Claim, ClaimInput } from './transitions/claim-jobs.ts'
export { ClaimMemory, type Eligible, mayWait } from './claims/claim-memory.ts'
export { claimJobs } from './transitions/claim-jobs.ts'
export { cancelRunningJobs } from './transitions/cancel-running-jobs.ts'
export type { FinishWrite } from './transitions/finish-jobs.ts'
export { finishJobs } from './transitions/finish-jobs.ts'
export type { FinishTarget } from './transitions/finish-in-transaction.ts'
export { finishInTransaction } from './transitions/finish-in-transaction.ts'
export { returnUnstartedJobs } from './transitions/return-unstarted-jobs.ts'
export type { Notification } from './database/notify.ts'
export { decodeNotification, encodeNotification, notifyApart, notifyChannel } from './database/notify.ts'
export type { Notifier } from './database/notifier.ts'
export { createNotifier } from './database/notifier.ts'
export type { PruneResult, Retention } from './transitions/prune-jobs.ts'
export { pruneJobs } from './transitions/prune-jobs.ts'
export type { AgeRange, OwnLeases } from './leases/list-own-leases.ts'
export type { ReadPayload } from './leases/read-payloads.ts'
export { readPayloads } from './leases/read-payloads.ts'
export { listOwnLeases } from './leases/list-own-leases.ts'
export type { RecoveredJob, Recovery } from './transitions/recover-jobs.ts'
export { recoverJobs } from './transitions/recover-jobs.ts'
export { releaseJobs } from './transitions/release-jobs.ts'
export type { FailureWrite } from './transitions/retry-or-dead-letter-jobs.ts'
export { retryOrDeadLetterJobs } from './transitions/retry-or-dead-letter-jobs.ts'
export type { Completion } from './transitions/complete-attempts.ts'
export { leaseKey } from './transitions/complete-attempts.ts'
export type { SnoozeWrite } from './transitions/snooze-jobs.ts'
export { snoozeJobs } from './transitions/snooze-jobs.ts'
export type { ProgressWrite } from './transitions/report-progress.ts'
export { reportProgress } from './transitions/report-progress.ts'
export type { LeaseState, LocatedLease, SeenLease } from './leases/check-leases.ts'
export { checkLeases } from './leases/check-leases.ts'
export type { WorkerRegistration } from './workers/register-worker.ts'
export { registerWorker } from './workers/register-worker.ts'
export type { LeaseRenewal } from './workers/renew-worker-lease.ts'
export { renewWorkerLease } from './workers/renew-worker-lease.ts'
export { stopWorker } from './workers/stop-worker.ts'
export { pruneWorkers } from './workers/prune-workers.ts'
export { createIdMint, type MintIds } from './database/id-mint.ts'
export { instantParameter } from './database/instant.ts'
export { checkPayload, parseOrThrow, type Refused, type StoredPayload } from './domain/job-definition.ts'
export { isJobId, smallestJobIdAt } from './domain/job-id.ts'
export { bytesBeyond, findJsonFault, writtenOutBytes } from './domain/json.ts'
export {
  formatApiKey,
  parseApiKey,
  digestSecret,
  keyIdLength,
  keySecretBytes,
} from './access/api-key-text.ts'
export { countRevocations } from './access/count-revocations.ts'
export { createKey, type NewKey, rotateKey } from './access/create-key.ts'
export { findKey, type StoredKey } from './access/find-key.ts'
export { listKeys } from './access/list-keys.ts'
export { noteKeyUse } from './access/note-key-use.ts'
export {
  type KeyRole,
  keyRoles,
  type Permission,
  permissions,
  rolePermissions,
} from './access/permissions.ts'
export { revokeKey } from './access/revoke-key.ts'
export { privilegeMatrix, queueAccess } from './access/privilege-matrix.ts'
export { queueMigrationSet } from './migrations/index.ts'
export { processes, type RoleNames } from './access/process-roles.ts'
export { connect } from './database/connect.ts'
export {
  type Column,
  copiedColumns,
  type DeadLetterColumn,
  fieldOf,
  type JobColumnName,
  type ShownColumn,
  tables,
} from './database/tables.ts'
export { schemaDefault } from './database/schema-names.ts'
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
export { oldestSnapshotSeconds } from './monitoring/oldest-snapshot.ts'
export { deadLetterDepth, type DeadLetterDepth } from './dead-letters/dead-letter-depth.ts'
export { type TableSize, tableSizes } from './monitoring/table-sizes.ts'
export { takesWrites } from './monitoring/takes-writes.ts'
export type { OptionsOf } from './domain/options-of.ts'
