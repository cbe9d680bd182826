/**
 * What a worker runtime is built from: the arrows that only the holder of a lease may take, and the registry of
 * workers. Services that enqueue have no use for it; it is kept apart from the package's main entry for that reason.
 */
export type { ClaimInput } from './transitions/claim-jobs.ts'
export { claimJobs } from './transitions/claim-jobs.ts'
export { cancelRunningJobs } from './transitions/cancel-running-jobs.ts'
export type { FinishWrite } from './transitions/finish-jobs.ts'
export { finishJobs } from './transitions/finish-jobs.ts'
export { giveBackJobs } from './transitions/give-back-jobs.ts'
export type { RecoveredJob } from './transitions/recover-jobs.ts'
export { recoverJobs, recoverStale } from './transitions/recover-jobs.ts'
export { releaseJobs } from './transitions/release-jobs.ts'
export type { FailureWrite } from './transitions/retry-or-bury-jobs.ts'
export { retryOrBuryJobs } from './transitions/retry-or-bury-jobs.ts'
export type { Settlement } from './transitions/settle-attempts.ts'
export type { SnoozeWrite } from './transitions/snooze-jobs.ts'
export { snoozeJobs } from './transitions/snooze-jobs.ts'
export type { WorkerRegistration } from './workers/register-worker.ts'
export { registerWorker } from './workers/register-worker.ts'
export type { LeaseRenewal } from './workers/renew-worker-lease.ts'
export { renewWorkerLease } from './workers/renew-worker-lease.ts'
export { stopWorker } from './workers/stop-worker.ts'
export { pruneWorkers, sweepWorkers } from './workers/sweep-workers.ts'
