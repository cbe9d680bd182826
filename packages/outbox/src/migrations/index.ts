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
import { assertArguments, having } from '@queue/loop/arguments'
import { outboxAccess, type OutboxProcess } from '../access/outbox-access.ts'
import { type OutboxDatabase, outboxSchemaDefault } from '../database/outbox-database.ts'
import { initial } from './0001-initial.ts'

/** The steps of the outbox. Its migration history has its own name, so that the outbox can share a schema with the queue. */
export const outboxMigrationSet: MigrationSet = {
  name: 'outbox',
  schemaDefault: outboxSchemaDefault,
  upCommand: 'queue-migrate outbox up',
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
 * Brings the outbox's schema in the service's database to this code's version. Call it where the service runs its own migrations.
 * Any number of processes may do so at once. Roles that `applyOutboxRoles` has set up get the privileges that they need. Throws
 * `schema_mismatch` if the database is newer than this code, `migration_failed` if a lock could not be taken, and
 * `database_unavailable` if there is no connection.
 */
export function migrateOutbox(options: OutboxMigrateOptions): Promise<MigrationReport> {
  return migrator.up(options)
}

/** Reverts the schema to version `to`, by default by one step. The messages in it are lost. */
export function migrateOutboxDown(
  options: OutboxMigrateOptions & { readonly to?: number },
): Promise<MigrationReport> {
  return migrator.down(options)
}

/** Which steps have been applied, and when. Reads only. */
export function outboxMigrationStatus(options: OutboxMigrateOptions): Promise<MigrationStatus> {
  return migrator.status(options)
}

/** The statements that `migrateOutbox` would run now; `sql` is for services that keep their migrations as SQL. Reads only. */
export function outboxMigrationPlan(options: OutboxMigrateOptions): Promise<MigrationPlan> {
  return migrator.plan(options)
}

/**
 * Creates the roles of the outbox's processes, and grants and revokes until they have exactly the privileges that they need, as
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

/** Whether this code may run on the current schema. */
export async function checkOutboxSchema(database: OutboxDatabase): Promise<SchemaVersion> {
  assertArguments('checkOutboxSchema', { database: having('`database` of an outbox', 'run') }, [database])
  return checkMigrationSet(database, outboxMigrationSet)
}
