/** Functions for every package that uses PostgreSQL. They are independent of jobs and messages. */
export { besidePool, besidePoolInThread } from './connections/beside-pool.ts'
export {
  acquireTimeoutsOf,
  terminate,
  checkOut,
  returnConnection,
  renewConnections,
  tolerateBreaks,
} from './connections/connections.ts'
export { MultiHostClient } from './connections/multi-host-client.ts'
export { poolFields, poolSettingsSchema } from './connections/pool-settings.ts'
export { parseServers } from './connections/servers.ts'
export { queryWithin, StatementTimeout } from './connections/timed-query.ts'
export { type Database, type DatabaseOptions, openDatabase } from './database.ts'
export { createGroupCommit, createGroupWrites, isTransient } from './group-commit.ts'
export { assertCurrent, readSchemaVersion } from './migrator/assert-current.ts'
export { checkMigrationSet } from './migrator/check-migration-set.ts'
export { differentCure, differentReason, type SchemaVersion } from './migrator/schema-version.ts'
export { buildIndex } from './migrator/concurrent-step.ts'
export { type MigrationState, quoted } from './migrator/migration-history.ts'
export { lockModes } from './migrator/lock-mode.ts'
export { lockedTransaction, readTransaction } from './migrator/locked-transaction.ts'
export type { MigrationSet, Migration, StepStatement, TransactionalMigration } from './migrator/migration.ts'
export {
  createMigrator,
  type MigrateOptions,
  type MigrationReport,
  type MigrationStatus,
  type Migrator,
} from './migrator/migrator.ts'
export type { MigrationPlan, PlannedStatement, PlannedStep, PlannedUse } from './migrator/render-plan.ts'
export { type RunnerClient, type RunnerOptions, withRunnerClient } from './migrator/runner-client.ts'
export { lockedOut } from './migrator/statement-failure.ts'
export type { MigrationEvent } from './migrator/step.ts'
export { decodeInTurns } from './statements/decode-in-turns.ts'
export { createListener, type Listener, type ListenerHealth } from './notifications/listener.ts'
export { notify, notifyStatement } from './notifications/notify.ts'
export {
  isContention,
  isDataError,
  isRefusal,
  isUnavailable,
  sqlState,
  sqlStateOf,
  toQueueError,
  toRefused,
} from './pg-error.ts'
export { type Access, ownObjectsOf, type PrivilegeMatrix, wantedPrivileges } from './roles/access.ts'
export { alignStatements, comparePrivileges, lackingPrivileges } from './roles/compare-privileges.ts'
export { grantsToSetUpRoles } from './roles/grant-to-set-up-roles.ts'
export { objectKey, readCatalog } from './roles/read-privileges.ts'
export { assertRoleName, roleNamesOf } from './roles/role-names.ts'
export { createRoleSetter, type RolesGoal, type RolesOptions, type RolesReport } from './roles/roles.ts'
export {
  callerIsInside,
  callerSession,
  type CallerSession,
  type CallerTransaction,
  type PgClient,
  type PgConnection,
  type TransactionClient,
  type TransactionId,
  transactionSession,
} from './statements/caller-transaction.ts'
export { createDatabaseClock, type DatabaseClock } from './statements/clock.ts'
export { connectionOptions } from './connection-options.ts'
export { plainValues } from './statements/plain-values.ts'
export { assertSchemaName } from './statements/schema-name.ts'
export { compiler, type Session, type Statement } from './statements/session.ts'
export { type Settings, type SettingSession, settingText } from './statements/setting-session.ts'
export { type Given, template, type Template } from './statements/template.ts'
export {
  asText,
  epochMs,
  epochUs,
  jsonTextArray,
  nulls,
  type Numeric,
  orNull,
  plainArray,
} from './statements/values.ts'
