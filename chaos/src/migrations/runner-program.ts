/** A process that brings a schema up, ordered as JSON on the command line: to be killed in the midst of it. */
import { createMigrator, grantsToSetUpRoles } from '@queue/postgres'
import { queueAccess } from '@queue/core/access'
import { queueMigrationSet } from '@queue/core/schema'
import type { RunnerOrder } from './migration-path.ts'
import { nextRelease } from './next-release.ts'

const { databaseUrl, schema, migrationPath } = JSON.parse(process.argv[2] ?? '') as RunnerOrder
const migrator =
  migrationPath.steps === 'own'
    ? createMigrator(queueMigrationSet, () => grantsToSetUpRoles(queueAccess))
    : nextRelease(migrationPath).migrator

// Whoever has started this process is gone: nobody else would end it.
process.once('disconnect', () => process.exit(1))
await migrator.up({ connectionString: databaseUrl, schema })
process.exit(0)
