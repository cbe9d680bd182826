import { createRoleSetter } from '@queue/postgres'
import { queueAccess } from '../../src/access/privilege-matrix.ts'
import { queueMigrationSet } from '../../src/migrations/index.ts'

export const { plan: rolesPlan, apply: applyRoles } = createRoleSetter(queueMigrationSet, queueAccess)
