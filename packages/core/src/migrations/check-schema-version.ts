import type { QueueDatabase } from '../database/connect.ts'
import { checkLineage, type SchemaVersion } from '@queue/postgres'
import { queueLineage } from './index.ts'

/** Whether this code may run on the queue's schema as it is: `checkLineage` says how, and what it throws. */
export function checkSchemaVersion(database: QueueDatabase): Promise<SchemaVersion> {
  return checkLineage(database, queueLineage)
}
