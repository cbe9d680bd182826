/** The roles of the queue's processes: what sets them up, and what takes them away. */
import { queueAccess } from '@queue/core/access'
import { queueMigrationSet } from '@queue/core/schema'
import { createRoleSetter } from '@queue/postgres'

export const { plan: rolesPlan, apply: applyRoles } = createRoleSetter(queueMigrationSet, queueAccess)
