/** Sets up or removes the roles of the queue's processes. */
import { queueAccess } from '@queue/core/access'
import { queueMigrationSet } from '@queue/core/schema'
import { createRoleSetter } from '@queue/postgres'

export const { plan: rolesPlan, apply: applyRoles } = createRoleSetter(queueMigrationSet, queueAccess)
