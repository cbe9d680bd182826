/** The roles of the queue's processes: what sets them up, and what takes them away. */
import { queueAccess, queueLineage } from '@queue/core/runtime'
import { createRoleSetter } from '@queue/postgres'

export const { plan: rolesPlan, apply: applyRoles } = createRoleSetter(queueLineage, queueAccess)
