/** For tests of an application that uses the queue, with any test runner. */
export {
  assertInvariants,
  createTestDatabase,
  type DatabaseProxy,
  type DatabaseProxyOptions,
  type EventuallyOptions,
  findBrokenInvariants,
  insertJob,
  insertWorker,
  type Instant,
  type Invariant,
  type InvariantOptions,
  type JobOverrides,
  type LogLine,
  recordLogger,
  type RecordingLogger,
  type TestDatabase,
  type TestDatabaseOptions,
  type WorkerOverrides,
} from '@queue/test-database'
export type { DrainedAttempt } from '@queue/worker/drain'
export {
  buildContext,
  type BuiltContext,
  type ContextOverrides,
  type LoggedLine,
  type ProgressReport,
} from './build-context.ts'
export { buildJob, type BuiltJob, type BuiltJobOptions } from './build-job.ts'
export { eventually, startDatabaseProxy } from './checked.ts'
export { drain, type DrainOptions } from './drain.ts'
export { expectEnqueued, type EnqueuedMatch, type Matcher, type PayloadPattern } from './expect-enqueued.ts'
export { moveTime } from './move-time.ts'
export type { TestedDatabase } from './tested-database.ts'
