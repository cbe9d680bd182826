/** Runs one attempt of a job. It knows nothing about the database. */
export { type AbortReason, AttemptAborted, abortReasons } from './attempt-aborted.ts'
export type { ExecutionContext } from './execution-context.ts'
export type { AttemptDefaults, Executor } from './executor.ts'
export { type HandledJob, type Handler, type HandlerFunction, handle } from './handler.ts'
export {
  type BatchContext,
  type BatchedJob,
  type BatchedJobContext,
  type BatchFunction,
  type BatchOptions,
  type BatchOutcomes,
  handleBatch,
} from './handle-batch.ts'
export type { HiddenValues } from './hidden-values.ts'
export { HandlerExecutor } from './handler-executor.ts'
export { type ContextChanges, type Middleware, type Next, withMiddleware } from './middleware.ts'
export {
  type Cancelled,
  cancelled,
  type Failed,
  type FailedOptions,
  failed,
  isOutcome,
  type Outcome,
  type Snoozed,
  snoozed,
  storableResult,
  type Succeeded,
  succeeded,
} from './outcome.ts'
export {
  type SimulatedEnd,
  SimulatedExecutor,
  SimulatedFailure,
  simulatedOutcome,
} from './simulated-executor.ts'
export { type SimulatedKind, simulatedKinds, type SimulatedStep } from './simulated-work.ts'
export { type SimulationOptions, simulationOptionsSchema } from './simulation-options.ts'
export { PermanentFailure, RetryAfter, Snooze } from './thrown-outcome.ts'
