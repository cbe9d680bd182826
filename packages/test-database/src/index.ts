/** For tests of a queue, or of an application that uses one, against a real PostgreSQL. */
export { addUpStats } from './add-up-stats.ts'
export { assertInvariants, findBrokenInvariants, type InvariantOptions } from './find-broken-invariants.ts'
export {
  compileCache,
  type DatabaseProxy,
  type DatabaseProxyOptions,
  elapsedMs,
  endedAttempts,
  eventually,
  type Explanation,
  explainUndone,
  type EventuallyOptions,
  freePort,
  isPooled,
  keptMembers,
  keptNumbers,
  leastOfTries,
  networkEnvironment,
  type PlainSql,
  plainSqlOn,
  processorMs,
  programFile,
  refusedMembers,
  refusedNumbers,
  skippedBehindPooler,
  startDatabaseProxy,
} from '@queue/dev-postgres'
export { createTestDatabase, type TestDatabase, type TestDatabaseOptions } from './create-test-database.ts'
export { findWrongUses } from './find-wrong-uses.ts'
export { insertJob } from './insert-job.ts'
export { insertWorker, type WorkerOverrides } from './insert-worker.ts'
export type { Invariant } from './invariants.ts'
export type { Instant, JobOverrides } from './job-columns.ts'
export { type LogLine, type RecordingLogger, recordLogger } from './recording-logger.ts'
export { revokePrivilege, type TestPrivilege } from './revoke-privilege.ts'
export { findPgBouncer, type Pooler, type PoolerOptions, startPooler } from './pooler.ts'
