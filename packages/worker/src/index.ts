/** The runtime that a worker process is made of. */
export {
  AttemptAborted,
  type BatchContext,
  type BatchedJob,
  type BatchFunction,
  type BatchOptions,
  cancelled,
  type ContextChanges,
  type ExecutionContext,
  failed,
  type HandledJob,
  type Handler,
  handle,
  handleBatch,
  type Middleware,
  type Next,
  type Outcome,
  PermanentFailure,
  RetryAfter,
  Snooze,
  snoozed,
  succeeded,
} from '@queue/executor'
export type { LogFields, Logger } from '@queue/loop'
export { type AttemptOutcome, noObserver, type WorkerObserver } from './observer.ts'
export { type WorkerOptions, type WorkerSettings, workerSettingsSchema } from './options.ts'
export type { RunUntilEmptyOptions, RunUntilEmptyResult } from './run-until-empty.ts'
export type { AttemptTrace, WorkerTracing } from './tracing.ts'
export { createWorker, type Worker } from './worker.ts'
