/** A real PostgreSQL server for development and tests, and a separate database for each test file. */
export { acquireServer, type AcquireServerOptions } from './acquire-server.ts'
export { answersQueries, connectClient, onConnection, queryRows, sessionAs } from './sessions.ts'
export { contentKey, type TestDatabasesOptions } from './databases/provide-template.ts'
export {
  createEmptyDatabases,
  type EmptyDatabases,
  type ClonedDatabase,
  createTestDatabases,
  type TestDatabases,
} from './databases/test-databases.ts'
export { isPooled, pooledUrl, skippedBehindPooler } from './databases/database-url.ts'
export {
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
  startEmbeddedPostgres,
} from './embedded/start-embedded-postgres.ts'
export { type DatabaseProxy, type DatabaseProxyOptions, startDatabaseProxy } from './database-proxy.ts'
export { endedAttempts } from './ended-attempts.ts'
export { eventually, type EventuallyOptions, until, untilSomeoneWaitsFor } from './eventually.ts'
export { type Explanation, explainUndone } from './explain-undone.ts'
export { freePort } from './free-port.ts'
export { elapsedMs, leastOfTries, processorMs } from './measured-time.ts'
export { compileCache, networkEnvironment } from './child-environment.ts'
export { keptMembers, keptNumbers, refusedMembers, refusedNumbers } from './number-vectors.ts'
export type { PostgresServer, PostgresServerKind } from './postgres-server.ts'
export { programFile, programsVariable } from './program-file.ts'
export { emptyQueue, expireLease, makeDue } from './queue-tables.ts'
export { type ResultColumn, resultTypes } from './result-types.ts'
export { seeded } from './seeded.ts'
export { offerSharedServer, type SharedServerOffer } from './shared-server.ts'
export { createTestSessions, type PlainSql, plainSqlOn, type TestSessions } from './test-sessions.ts'
export { createTestRoles, type TestRoles } from './test-roles.ts'
