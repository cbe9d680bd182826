import { checkMigrationSet, type SchemaVersion } from '@queue/postgres'
import type { QueueDatabase } from '../database/connect.ts'
import { queueMigrationSet } from './index.ts'

/** Whether this code may run on the queue's schema as it is: `checkMigrationSet` says how, and what it throws. */
export function checkSchemaVersion(database: QueueDatabase): Promise<SchemaVersion> {
  return checkMigrationSet(database, queueMigrationSet)
}
