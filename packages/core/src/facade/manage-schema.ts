/** Migrates the queue's schema up and down, as its owner. */
import { createMigrator, grantsToSetUpRoles, type MigrateOptions as MigratorOptions } from '@queue/postgres'
import { queueAccess } from '../access/privilege-matrix.ts'
import type { Process } from '../access/process-roles.ts'
import { queueMigrationSet } from '../migrations/index.ts'

export interface MigrateOptions<Role extends string = Process> extends MigratorOptions {
  /** The roles of the processes, where they are not called `<schema>_<process>`. */
  readonly roles?: Partial<Readonly<Record<Role, string>>>
}

/** The migrator of the queue's own schema. It grants the roles that `applyRoles` has set up what they need of each table. */
export const {
  up: migrateUp,
  down: migrateDown,
  status: migrationStatus,
  plan: migrationPlan,
} = createMigrator(queueMigrationSet, ({ roles }: MigrateOptions) => grantsToSetUpRoles(queueAccess, roles))
