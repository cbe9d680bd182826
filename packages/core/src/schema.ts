/** The tables, their migrations, and the reads that monitor a schema, for the processes that maintain it. */
export { connect } from './database/connect.ts'
export { schemaDefault } from './database/schema-names.ts'
export type { Column } from './database/table.ts'
export {
  copiedColumns,
  type DeadLetterColumn,
  deadLetterColumns,
  type JobColumnName,
  type ShownColumn,
  tables,
} from './database/tables.ts'
export { deadLetterDepth, type DeadLetterDepth } from './insight/dead-letter-depth.ts'
export { checkSchemaVersion, queueMigrationSet } from './migrations/index.ts'
export { type LimitUsage, limitUsage } from './insight/limit-usage.ts'
export { oldestSnapshotSeconds } from './insight/oldest-snapshot.ts'
export { type TableSize, tableSizes } from './insight/table-sizes.ts'
export {
  unservedAfterSeconds,
  type UnservedJobs,
  unservedJobs,
  unservedJobsStatement,
} from './insight/unserved-jobs.ts'
export { takesWrites } from './insight/takes-writes.ts'
export { liveWorkerText } from './database/live-worker.ts'
