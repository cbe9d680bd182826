/** A process that migrates a schema up, and may be killed meanwhile. Its configuration is JSON on the command line. */
import { createMigrator, grantsToSetUpRoles } from '@queue/postgres'
import { queueAccess, queueMigrationSet } from '@queue/core/internal'
import type { RunnerConfig } from './migration-path.ts'
import { nextRelease } from './next-release.ts'

const { databaseUrl, schema, migrationPath } = JSON.parse(process.argv[2] ?? '') as RunnerConfig
const migrator =
  migrationPath.steps === 'own'
    ? createMigrator(queueMigrationSet, () => grantsToSetUpRoles(queueAccess))
    : nextRelease(migrationPath).migrator

// Ends with the process that has started it.
process.once('disconnect', () => process.exit(1))
await migrator.up({ connectionString: databaseUrl, schema })
process.exit(0)
