import type { MigrateOptions, MigrationReport, MigrationStatus, SchemaVersion } from '@queue/core'
import { checkLineage, createMigrator, type Lineage } from '@queue/core/runtime'
import { type OutboxDatabase, outboxSchemaDefault } from '../database/outbox-database.ts'
import { initial } from './0001-initial.ts'

/** The steps of the outbox. Its ledger has a name of its own, so that it may share a schema with the queue. */
export const outboxLineage: Lineage = {
  name: 'outbox',
  schemaDefault: outboxSchemaDefault,
  ledger: 'outbox_migrations',
  steps: [initial],
}

const migrator = createMigrator(outboxLineage)

/**
 * Brings the outbox's schema in the service's database up to this code's version: call it where the service brings up
 * its own. Any number may run at once. Throws `schema_mismatch` when the database is newer than this code,
 * `migration_failed` when a lock could not be had, `database_unavailable` when there is no connection.
 */
export function migrateOutbox(options: MigrateOptions): Promise<MigrationReport> {
  return migrator.up(options)
}

/** Takes the schema back to version `to`, by default one step. The messages in it are lost. */
export function migrateOutboxDown(
  options: MigrateOptions & { readonly to?: number },
): Promise<MigrationReport> {
  return migrator.down(options)
}

/** Which steps have been applied, and when. Reads only. */
export function outboxMigrationStatus(options: MigrateOptions): Promise<MigrationStatus> {
  return migrator.status(options)
}

/** The SQL that `migrateOutbox` would run now, for services that keep all of their migrations as SQL. Reads only. */
export function outboxMigrationPlan(options: MigrateOptions): Promise<string> {
  return migrator.plan(options)
}

/** Whether this code may run on the schema as it is. */
export function checkOutboxSchema(database: OutboxDatabase): Promise<SchemaVersion> {
  return checkLineage(database, outboxLineage)
}
