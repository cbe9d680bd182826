/** Sets up or removes the roles of the queue's processes. */
import { queueAccess, queueMigrationSet } from '@queue/core/internal'
import { createRoleSetter } from '@queue/postgres'

export const { plan: rolesPlan, apply: applyRoles } = createRoleSetter(queueMigrationSet, queueAccess)
