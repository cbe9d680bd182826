/** A real PostgreSQL server for development and tests, and a separate database for each test file. */
export { acquireServer, type AcquireServerOptions } from './acquire-server.ts'
export { answersQueries } from './answers-queries.ts'
export { contentKey } from './databases/content-key.ts'
export type { TestDatabasesOptions } from './databases/provide-template.ts'
export { createEmptyDatabases, type EmptyDatabases } from './databases/empty-databases.ts'
export { isPooled, pooledUrl, skippedBehindPooler } from './databases/pooled-url.ts'
export {
  type ClonedDatabase,
  createTestDatabases,
  type TestDatabases,
} from './databases/test-databases.ts'
export {
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
  startEmbeddedPostgres,
} from './embedded/start-embedded-postgres.ts'
export { type DatabaseProxy, type DatabaseProxyOptions, startDatabaseProxy } from './database-proxy.ts'
export { eventually, type EventuallyOptions } from './eventually.ts'
export { type Explanation, explainUndone } from './explain-undone.ts'
export { freePort } from './free-port.ts'
export { elapsedMs, leastOfTries } from './least-of-tries.ts'
export { compileCache } from './compile-cache.ts'
export { networkEnvironment } from './network-environment.ts'
export { keptMembers, keptNumbers, refusedMembers, refusedNumbers } from './number-vectors.ts'
export type { PostgresServer, PostgresServerKind } from './postgres-server.ts'
export { processorMs } from './processor-ms.ts'
export { programFile, programsVariable } from './program-file.ts'
export { emptyQueue, expireLease, makeDue } from './queue-tables.ts'
export { connectClient, onConnection, queryRows, sessionAs } from './sessions.ts'
export { type ResultColumn, resultTypes } from './result-types.ts'
export { seeded } from './seeded.ts'
export { offerSharedServer, type SharedServerOffer } from './shared-server.ts'
export { createTestSessions, type PlainSql, plainSqlOn, type TestSessions } from './test-sessions.ts'
export { createTestRoles, type TestRoles } from './test-roles.ts'
export { until, untilSomeoneWaitsFor } from './until.ts'
