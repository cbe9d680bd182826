import { applyRoles, type RolesGoal, type RolesOptions, type RolesReport, rolesPlan } from '@queue/admin'
import {
  migrateDown,
  type MigrateOptions,
  migrateUp,
  type MigrationEvent,
  type MigrationPlan,
  migrationPlan,
  type MigrationReport,
  migrationStatus,
  type MigrationStatus,
} from '@queue/core'
import {
  applyOutboxRoles,
  migrateOutbox,
  migrateOutboxDown,
  outboxMigrationPlan,
  outboxMigrationStatus,
  outboxRolesPlan,
} from '@queue/outbox'
import type { MigrateConfig } from './config.ts'
import { outboxPasswordVerifiers, outboxRoleNames, passwordVerifiers, roleNames } from './role-variables.ts'

/** The contents of a schema: the queue, or the outbox of a service. */
export type MigrationSetName = 'queue' | 'outbox'

/** One schema in one database, with the operations that the commands need. */
export interface ManagedSchema {
  /** The command that migrates it up, as a user types it. */
  readonly upCommand: string
  up(onProgress: (event: MigrationEvent) => void): Promise<MigrationReport>
  down(to: number, onProgress: (event: MigrationEvent) => void): Promise<MigrationReport>
  status(): Promise<MigrationStatus>
  plan(): Promise<MigrationPlan>
  applyRoles(goal: RolesGoal): Promise<RolesReport>
  rolesPlan(goal: RolesGoal): Promise<RolesReport>
}

/** The schema that the environment names. An outbox is in the queue's database unless OUTBOX_DATABASE_URL is set. */
export function managedSchema(migrationSet: MigrationSetName, config: MigrateConfig): ManagedSchema {
  if (migrationSet === 'queue') {
    return manage(queueFunctions, {
      ...connectionOf(config),
      roles: roleNames(config),
      passwordVerifiers: passwordVerifiers(config),
    })
  }
  return manage(outboxFunctions, {
    connectionString: config.OUTBOX_DATABASE_URL ?? config.DATABASE_URL,
    schema: config.OUTBOX_SCHEMA,
    roles: outboxRoleNames(config),
    passwordVerifiers: outboxPasswordVerifiers(config),
  })
}

/** The queue's database and its schema. */
export function connectionOf({ DATABASE_URL, QUEUE_SCHEMA }: MigrateConfig) {
  return { connectionString: DATABASE_URL, schema: QUEUE_SCHEMA }
}

/** The functions with which a package migrates its schema and sets up the roles of these processes. */
interface SchemaFunctions<Process extends string> {
  readonly upCommand: string
  readonly up: (options: MigrateOptions<Process>) => Promise<MigrationReport>
  readonly down: (options: MigrateOptions<Process> & { readonly to?: number }) => Promise<MigrationReport>
  readonly status: (options: MigrateOptions<Process>) => Promise<MigrationStatus>
  readonly plan: (options: MigrateOptions<Process>) => Promise<MigrationPlan>
  readonly applyRoles: (options: RolesOptions<Process>, goal: RolesGoal) => Promise<RolesReport<Process>>
  readonly rolesPlan: (options: RolesOptions<Process>, goal: RolesGoal) => Promise<RolesReport<Process>>
}

const queueFunctions = {
  upCommand: 'queue-migrate up',
  up: migrateUp,
  down: migrateDown,
  status: migrationStatus,
  plan: migrationPlan,
  applyRoles,
  rolesPlan,
}

const outboxFunctions = {
  upCommand: 'queue-migrate outbox up',
  up: migrateOutbox,
  down: migrateOutboxDown,
  status: outboxMigrationStatus,
  plan: outboxMigrationPlan,
  applyRoles: applyOutboxRoles,
  rolesPlan: outboxRolesPlan,
}

function manage<Process extends string>(
  functions: SchemaFunctions<Process>,
  options: RolesOptions<Process>,
): ManagedSchema {
  return {
    upCommand: functions.upCommand,
    up: (onProgress) => functions.up({ ...options, onProgress }),
    down: (to, onProgress) => functions.down({ ...options, onProgress, to }),
    status: () => functions.status(options),
    plan: () => functions.plan(options),
    applyRoles: (goal) => functions.applyRoles(options, goal),
    rolesPlan: (goal) => functions.rolesPlan(options, goal),
  }
}
