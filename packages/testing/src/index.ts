/** Tests of a queue, or of an application that uses one, against a real PostgreSQL. */
export { assertInvariants, findBrokenInvariants, type InvariantOptions } from './find-broken-invariants.ts'
export { isPooled, networkEnvironment, skippedBehindPooler } from '@queue/dev-postgres'
export { createTestDatabase, type TestDatabase, type TestDatabaseOptions } from './create-test-database.ts'
export { eventually, type EventuallyOptions } from './eventually.ts'
export { insertJob } from './insert-job.ts'
export { insertWorker, type WorkerOverrides } from './insert-worker.ts'
export type { Invariant } from './invariants.ts'
export type { Instant, JobOverrides } from './job-columns.ts'
