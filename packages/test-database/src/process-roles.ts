import { migrateUp, type Process, QueueError } from '@queue/core'
import { queueAccess, type RoleNames } from '@queue/core/access'
import { queueMigrationSet } from '@queue/core/schema'
import { createRoleSetter } from '@queue/postgres'
import pg from 'pg'

/** Roles belong to a server and not to a database: all test databases of a server share these. */
export const testRoles: RoleNames = {
  api: 'queue_test_api',
  worker: 'queue_test_worker',
  readonly: 'queue_test_readonly',
  enqueue: 'queue_test_enqueue',
  functions: 'queue_test_functions',
  api_tenant: 'queue_test_api_tenant',
}

/** A database with the queue's schema and the roles of its processes. */
export async function prepareTemplate(options: {
  readonly connectionString: string
  readonly schema: string
}): Promise<void> {
  await migrateUp(options)
  try {
    await createRoleSetter(queueMigrationSet, queueAccess).apply({ ...options, roles: testRoles }, 'set_up')
  } catch (error) {
    // Who may not create roles has a database without them.
    if (error instanceof QueueError && error.code === 'migration_failed') return
    throw error
  }
  await letThisRoleTurnInto(options.connectionString)
}

/** A superuser may turn into any role; who may merely create roles must be a member of them. */
async function letThisRoleTurnInto(connectionString: string): Promise<void> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    await client.query(`GRANT ${Object.values(testRoles).join(', ')} TO CURRENT_USER`)
  } finally {
    await client.end()
  }
}

/** `url` for a session that turns into the role of `process` as it begins: no password of its own is needed. */
export function urlAs(url: string, process: Process): string {
  const changed = new URL(url)
  const before = changed.searchParams.get('options')
  const role = `-c role=${testRoles[process]}`
  changed.searchParams.set('options', before === null ? role : `${before} ${role}`)
  return changed.href
}
