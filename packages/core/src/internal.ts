/**
 * What our own packages need of each other, in one entry without stability: any name can change in any version. No name of the
 * main entry is here, and nothing of this entry is there.
 */

// What a queue has besides its members for applications.
export {
  databaseOf,
  findInternals,
  internalsOf,
  type QueueInternals,
  withInternals,
} from './enqueue/queue-internals.ts'

// The keys and permissions of the API, who acts, and the privileges of each process on each table.
export { actorTypes, auditedActs } from './domain/actor.ts'
export { roleActor } from './audit/role-actor.ts'
export { writeAuditEntry } from './audit/write-audit-entry.ts'
export {
  formatApiKey,
  parseApiKey,
  digestSecret,
  keyIdLength,
  keySecretBytes,
} from './access/api-key-text.ts'
export { isWithinBounds } from './access/key-bounds.ts'
export { countEarlyEnds } from './access/count-early-ends.ts'
export { createKey, type KeyWrite, type NewKey, rotateKey } from './access/create-key.ts'
export { type Claims, createSession, type NewSession } from './access/create-session.ts'
export { deleteSession } from './access/delete-session.ts'
export { findKeys, type StoredKey } from './access/find-keys.ts'
export { findSessions, type StoredSession } from './access/find-sessions.ts'
export { listKeys } from './access/list-keys.ts'
export { noteKeyUse } from './access/note-key-use.ts'
export {
  keyRoles,
  permissionReach,
  permissions,
  rolePermissions,
} from './access/permissions.ts'
export { privilegeMatrix, queueAccess } from './access/privilege-matrix.ts'
export { processes, type RoleNames } from './access/process-roles.ts'
export { formatRate, parseRate, rateForm } from './access/rate.ts'
export { revokeKey } from './access/revoke-key.ts'
export { takeRequests, type TakenRequests } from './access/take-requests.ts'

// The schemas and encodings of a job's fields, for the API, the worker and the outbox.
export { createIdMint, type MintIds } from './database/id-mint.ts'
export { instantParameter } from './database/instant.ts'
export { createRequest, parseOrThrow } from './domain/job-definition.ts'
export { hidePayload, mask, membersOf, selectParts, SensitiveParts } from './domain/sensitive-parts.ts'
export { sensitiveOf } from './domain/payload-upgrade.ts'
export { decodeKindDefaults, kindDefaultsSchema } from './domain/kind-defaults.ts'
export { type KindVersion, kindVersionsOf } from './domain/kind-versions.ts'
export { absentParts } from './domain/payload-schema.ts'
export { kindRule, queueRule } from './enqueue/enqueue-parameters.ts'
export { checkPayload, schemaRule, type Refused, type StoredPayload } from './domain/payload.ts'
export { parseVersionedKind, versionedKind } from './domain/kind-version.ts'
export { parsePayload, versionsOf } from './domain/payload-upgrade.ts'
export { keptPointers, sensitiveSchema } from './domain/sensitive.ts'
export { isJobId, smallestJobIdAt } from './domain/job-id.ts'
export { fingerprintSchema, fingerprintsSchema } from './domain/fingerprint.ts'
export { cancelReasons, executionOutcomes, jobFields } from './domain/job.ts'
export {
  type JobOptionName,
  type JobOptionPlace,
  jobOptions,
  type OptionIn,
  type OptionSchema,
  type OptionsIn,
  optionsIn,
} from './domain/job-options.ts'
export { encodeLogCursor, isLogCursor, logLevels } from './domain/log-line.ts'
export { uniqueFaults, uniqueFields, type UniqueOptions } from './domain/unique.ts'
export { decodeMembers, type OptionMembers, optionMembers } from './domain/option-members.ts'
export { type CreateJobDocument, createJobSchema } from './domain/job-document.ts'
export { anyJson, instantInput, instantOutput, metadataMeta } from './domain/wire-values.ts'
export { checkDocument } from './domain/check-document.ts'
export { bytesBeyond, canonicalJson, findJsonFault, writtenOutBytes } from './domain/json.ts'
export { metadataError, metadataNamePattern, metadataNameSchema } from './domain/metadata.ts'
export type { OptionsOf } from './domain/options-of.ts'
export {
  decodeRetryPolicy,
  defaultRetryPolicy,
  encodeRetryPolicy,
  type Random,
  retryDelayMs,
  retryPolicyWireSchema,
} from './domain/retry.ts'
export { isTraceparent, traceIdOf } from './domain/trace-context.ts'
export { limitFields } from './flow/limit-rule.ts'
export { traceEnqueues } from './enqueue/enqueue-tracing.ts'
export { jobFilterFields } from './reads/job-filter.ts'
export { allFields, assertSelects, parseActFilter } from './acts/assert-selects.ts'
export { manyOptionFields } from './acts/acts-on-many.ts'
export { operationActs, operationStates } from './database/operation-tables.ts'
export { scheduleFields } from './schedules/definition.ts'
export {
  changedWork,
  type CreateScheduleDocument,
  createScheduleSchema,
  decodeNewSchedule,
  decodeTiming,
  scheduleTimingSchema,
  syncSchedulesSchema,
  updateScheduleSchema,
} from './schedules/schedule-document.ts'
export { attentionConditions, attentionSeverities } from './insight/attention.ts'
export { errorGroupings, errorSorts } from './insight/list-errors.ts'
export { startUnknownReasons } from './insight/expected-start.ts'
export { reasonCodes } from './insight/reason.ts'
export { statsGroupings, statsSteps } from './insight/read-stats.ts'

// The tables, their migrations, and the reads that monitor a schema, for the processes that maintain it.
export { connect, type ConnectedDatabase, type QueueDatabase } from './database/connect.ts'
export { schemaDefault } from './database/schema-names.ts'
export type { Column } from './database/table.ts'
export {
  copiedColumns,
  type DeadLetterColumn,
  deadLetterColumns,
  type JobColumnName,
  type ShownColumn,
  tables,
} from './database/tables.ts'
export { deadLetterDepth, type DeadLetterDepth } from './insight/dead-letter-depth.ts'
export { checkSchemaVersion, queueMigrationSet } from './migrations/index.ts'
export { type LimitUsage, limitUsage } from './insight/limit-usage.ts'
export { oldestSnapshotSeconds } from './insight/oldest-snapshot.ts'
export { type TableSize, tableSizes } from './insight/table-sizes.ts'
export {
  unservedAfterSeconds,
  type UnservedJobs,
  unservedJobs,
  unservedJobsStatement,
} from './insight/unserved-jobs.ts'
export { takesWrites } from './insight/takes-writes.ts'
export { liveWorkerText } from './database/live-worker.ts'

// What only the holder of a lease may do, for the runtime of a worker.
export { pruneAuditLog } from './audit/prune-audit-log.ts'
export { ClaimMemory, type Eligible, mayWait } from './claims/claim-memory.ts'
export { tenantSetting } from './database/tenant-names.ts'
export type { ClaimedJob, Lease, UnbegunJob } from './domain/job.ts'
export { pruneErrors } from './insight/prune-errors.ts'
export { type LogWrite, type NewLogLine, writeLogs } from './insight/write-logs.ts'
export { createJobCounter, type CountedEnd, type JobCounter } from './insight/job-counter.ts'
export { pruneStats } from './insight/prune-stats.ts'
export { transitions } from './domain/transitions.ts'
export {
  limitsBeginning,
  reconcileCounters,
  reconcileLanes,
  reconcileTurns,
} from './flow/reconcile-limits.ts'
export { countWaiting } from './flow/count-waiting.ts'
export { pruneLaneEvents } from './flow/prune-lane-events.ts'
export { pruneLimitCounters } from './flow/prune-limit-counters.ts'
export { cancelRunningJobs } from './transitions/cancel-running-jobs.ts'
export type { Claim, ClaimInput } from './claims/claim.ts'
export { claimJobs } from './transitions/claim-jobs.ts'
export { leaseKey } from './database/lease-rows.ts'
export { type Completion } from './transitions/complete-attempts.ts'
export { type ExpiredJob, expireJobs } from './transitions/expire-jobs.ts'
export { type FinishTarget, finishInTransaction } from './transitions/finish-in-transaction.ts'
export { type FinishWrite, finishJobs } from './transitions/finish-jobs.ts'
export { pruneRequeuedJobs } from './acts/prune-requeued-jobs.ts'
export { pruneOperations } from './acts/prune-operations.ts'
export { type PruneResult, type Retention, pruneJobs } from './transitions/prune-jobs.ts'
export { turnEndedDays } from './transitions/turn-ended-days.ts'
export { type RecoveredJob, type Recovery, recoverJobs } from './transitions/recover-jobs.ts'
export { releaseJobs } from './transitions/release-jobs.ts'
export { type ProgressWrite, reportProgress } from './transitions/report-progress.ts'
export { type FailureWrite, retryOrDeadLetterJobs } from './transitions/retry-or-dead-letter-jobs.ts'
export { returnUnstartedJobs } from './transitions/return-unstarted-jobs.ts'
export { type SnoozeWrite, snoozeJobs } from './transitions/snooze-jobs.ts'
export type { PgConnection } from '@queue/postgres'

// The registry of workers, their leases and notifications, and the schedules that they fire.
export {
  type Notification,
  type Notifier,
  createNotifier,
  decodeNotification,
  encodeNotification,
  notifyApart,
  notifyChannel,
} from './database/notifications.ts'
export { type LeaseState, type LocatedLease, type SeenLease, checkLeases } from './claims/check-leases.ts'
export { type AgeRange, type OwnLeases, listOwnLeases } from './claims/list-own-leases.ts'
export { type ReadPayload, readPayloads } from './claims/read-payloads.ts'
export { describeConflict, InvalidDocument } from './domain/errors.ts'
export { registrationsOf, schemaBounds } from './kinds/kind-registration.ts'
export { kindsChannel } from './kinds/kinds-channel.ts'
export { registerKinds } from './kinds/register-kinds.ts'
export {
  decodeRegistration,
  jsonSchemaDocument,
  kindDefaultsDocument,
  type RegisterKindsDocument,
  registerKindsSchema,
} from './kinds/registration-document.ts'
export { type CarriedBatch, carryOutOperation, nextOperationMs } from './acts/carry-out-operation.ts'
export { countCancelledOf, notificationsOf } from './acts/many-acts.ts'
export { createFullQueues, type FullQueues } from './flow/full-queues.ts'
export { type FiringReport, fireDue } from './schedules/fire-due.ts'
export type { KnownKinds } from './schedules/kind-fault.ts'
export { nextDueMs } from './schedules/next-due.ts'
export { syncSchedules } from './schedules/sync-schedules.ts'
export { noteSlowClaim } from './workers/note-slow-claim.ts'
export { pruneWorkers } from './workers/prune-workers.ts'
export { type WorkerRegistration, registerWorker, withdrawRegistration } from './workers/register-worker.ts'
export { type LeaseRenewal, renewWorkerLease } from './workers/renew-worker-lease.ts'
export { stopWorker } from './workers/stop-worker.ts'
