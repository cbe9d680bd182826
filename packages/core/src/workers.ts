/** The registry of workers, their leases and notifications, and the schedules that they fire, for the runtime of a worker. */
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
export { describeConflict } from './domain/errors.ts'
export { registrationsOf, schemaBounds } from './kinds/kind-registration.ts'
export { kindsChannel } from './kinds/kinds-channel.ts'
export { type RegisteredKind, registerKinds } from './kinds/register-kinds.ts'
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
