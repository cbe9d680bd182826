import type {
  MigrateOptions,
  MigrationPlan,
  MigrationReport,
  MigrationStatus,
  SchemaVersion,
} from '@queue/core'
import {
  checkMigrationSet,
  createMigrator,
  createRoleSetter,
  grantsToSetUpRoles,
  type MigrationSet,
  type RolesGoal,
  type RolesOptions,
  type RolesReport,
} from '@queue/postgres'
import { outboxAccess, type OutboxProcess } from '../access/outbox-access.ts'
import { type OutboxDatabase, outboxSchemaDefault } from '../database/outbox-database.ts'
import { initial } from './0001-initial.ts'

/**
 * The steps of the outbox. Its migration history has a name of its own, so that it may share a schema with the queue.
 */
export const outboxMigrationSet: MigrationSet = {
  name: 'outbox',
  schemaDefault: outboxSchemaDefault,
  upCommand: 'migrate outbox up',
  historyTable: 'outbox_migrations',
  steps: [initial],
  traffic: [
    { name: 'publishers', locks: { outbox_messages: 'ROW EXCLUSIVE' } },
    {
      name: 'relays',
      locks: { outbox_messages: 'ROW EXCLUSIVE', outbox_dead_letters: 'ROW EXCLUSIVE' },
    },
  ],
}

export type OutboxMigrateOptions = MigrateOptions<OutboxProcess>

const migrator = createMigrator(outboxMigrationSet, ({ roles }: OutboxMigrateOptions) =>
  grantsToSetUpRoles(outboxAccess, roles),
)
const roleSetter = createRoleSetter(outboxMigrationSet, outboxAccess)

/**
 * Brings the outbox's schema in the service's database up to this code's version: call it where the service brings up
 * its own. Any number may run at once. Roles that `applyOutboxRoles` has set up get what they need. Throws `schema_mismatch` when the database is newer than this code,
 * `migration_failed` when a lock could not be had, `database_unavailable` when there is no connection.
 */
export function migrateOutbox(options: OutboxMigrateOptions): Promise<MigrationReport> {
  return migrator.up(options)
}

/** Takes the schema back to version `to`, by default one step. The messages in it are lost. */
export function migrateOutboxDown(
  options: OutboxMigrateOptions & { readonly to?: number },
): Promise<MigrationReport> {
  return migrator.down(options)
}

/** Which steps have been applied, and when. Reads only. */
export function outboxMigrationStatus(options: OutboxMigrateOptions): Promise<MigrationStatus> {
  return migrator.status(options)
}

/** What `migrateOutbox` would run now; `sql` is for services that keep all of their migrations as SQL. Reads only. */
export function outboxMigrationPlan(options: OutboxMigrateOptions): Promise<MigrationPlan> {
  return migrator.plan(options)
}

/**
 * Makes the roles of the outbox's processes, and grants and revokes until they have what they need and no more, as
 * `applyRoles` does for the queue.
 */
export function applyOutboxRoles(
  options: RolesOptions<OutboxProcess>,
  goal: RolesGoal,
): Promise<RolesReport<OutboxProcess>> {
  return roleSetter.apply(options, goal)
}

/** The SQL that `applyOutboxRoles` would run now. Reads only. */
export function outboxRolesPlan(
  options: RolesOptions<OutboxProcess>,
  goal: RolesGoal,
): Promise<RolesReport<OutboxProcess>> {
  return roleSetter.plan(options, goal)
}

/** Whether this code may run on the schema as it is. */
export function checkOutboxSchema(database: OutboxDatabase): Promise<SchemaVersion> {
  return checkMigrationSet(database, outboxMigrationSet)
}
