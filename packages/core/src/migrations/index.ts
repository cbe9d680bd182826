import { checkMigrationSet, type Migration, type MigrationSet, type SchemaVersion } from '@queue/postgres'
import type { QueueDatabase } from '../database/connect.ts'
import { initial } from './0001-initial.ts'
import { schemaDefault } from '../database/schema-names.ts'

/** All migrations in order. A static list: bundlers and read-only images need no directory to scan. */
export const migrations: readonly Migration[] = [initial]

/** The schema version that this code is built for. */
export const codeVersion = migrations.length

export const queueMigrationSet: MigrationSet = {
  name: 'queue',
  schemaDefault,
  upCommand: 'queue-migrate up',
  historyTable: 'migrations',
  steps: migrations,
  traffic: [
    {
      name: 'enqueues',
      locks: { jobs: 'ROW EXCLUSIVE', limits: 'ACCESS SHARE', waiting_counts: 'ACCESS SHARE' },
    },
    {
      name: 'claims',
      locks: {
        jobs: 'ROW EXCLUSIVE',
        queues: 'ROW SHARE',
        workers: 'ACCESS SHARE',
        lanes: 'ACCESS SHARE',
        lane_events: 'ACCESS SHARE',
      },
    },
    {
      name: 'claims in lanes',
      locks: {
        jobs: 'ROW EXCLUSIVE',
        queues: 'ROW SHARE',
        workers: 'ACCESS SHARE',
        lanes: 'ROW EXCLUSIVE',
        lane_turns: 'ROW EXCLUSIVE',
        lane_events: 'ROW EXCLUSIVE',
        limits: 'ACCESS SHARE',
        limit_counters: 'ROW EXCLUSIVE',
      },
    },
    {
      name: 'ends of attempts',
      locks: {
        jobs: 'ROW EXCLUSIVE',
        ended_jobs: 'ROW EXCLUSIVE',
        ended_days: 'ACCESS SHARE',
        job_executions: 'ROW EXCLUSIVE',
        dead_letter_jobs: 'ROW EXCLUSIVE',
        job_errors: 'ROW EXCLUSIVE',
        job_error_days: 'ROW EXCLUSIVE',
        workers: 'ACCESS SHARE',
      },
    },
    { name: 'renewals of leases', locks: { workers: 'ROW EXCLUSIVE' } },
  ],
}

/** Checks whether this code may run on the schema as it is now. `checkMigrationSet` says what it returns and throws. */
export function checkSchemaVersion(database: QueueDatabase): Promise<SchemaVersion> {
  return checkMigrationSet(database, queueMigrationSet)
}
