/** Tests of a queue, or of an application that uses one, against a real PostgreSQL. */
export { createTestDatabase, type TestDatabase, type TestDatabaseOptions } from './create-test-database.ts'
export { eventually, type EventuallyOptions } from './eventually.ts'
