/**
 * The transitions that only the holder of a lease may take, for the runtime of a worker. Applications need only the
 * main entry point: this one and the others change with our own packages.
 */
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
export { type RecoveredJob, type Recovery, recoverJobs } from './transitions/recover-jobs.ts'
export { releaseJobs } from './transitions/release-jobs.ts'
export { type ProgressWrite, reportProgress } from './transitions/report-progress.ts'
export { type FailureWrite, retryOrDeadLetterJobs } from './transitions/retry-or-dead-letter-jobs.ts'
export { returnUnstartedJobs } from './transitions/return-unstarted-jobs.ts'
export { type SnoozeWrite, snoozeJobs } from './transitions/snooze-jobs.ts'
export type { PgConnection } from '@queue/postgres'
