/** What the owner of the queue's schema does with it: bring it up and down, and set up the roles of its processes. */
import { grantsToSetUpRoles } from './access/grant-to-set-up-roles.ts'
import { queueAccess } from './access/privilege-matrix.ts'
import type { Process } from './access/process-roles.ts'
import { createRoleSetter } from './access/roles.ts'
import { queueLineage } from './migrations/index.ts'
import { createMigrator, type MigrateOptions as MigratorOptions } from './migrator/migrator.ts'

export interface MigrateOptions<Role extends string = Process> extends MigratorOptions {
  /** The roles of the processes, where they are not called `<schema>_<process>`. */
  readonly roles?: Partial<Readonly<Record<Role, string>>>
}

/** The migrator of the queue's own schema. The roles that `applyRoles` has set up get what they need of each table. */
export const {
  up: migrateUp,
  down: migrateDown,
  status: migrationStatus,
  plan: migrationPlan,
} = createMigrator(queueLineage, ({ roles }: MigrateOptions) => grantsToSetUpRoles(queueAccess, roles))

export const { plan: rolesPlan, apply: applyRoles } = createRoleSetter(queueLineage, queueAccess)
