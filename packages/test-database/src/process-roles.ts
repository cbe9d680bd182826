import { migrateUp, type Process, QueueError } from '@queue/core'
import { queueAccess, queueMigrationSet, type RoleNames } from '@queue/core/internal'
import { createRoleSetter } from '@queue/postgres'
import pg from 'pg'

/** The roles that all test databases of a server share: roles belong to a server, not to a database. */
export const testRoles: RoleNames = {
  api: 'queue_test_api',
  worker: 'queue_test_worker',
  readonly: 'queue_test_readonly',
  enqueue: 'queue_test_enqueue',
  functions: 'queue_test_functions',
  api_tenant: 'queue_test_api_tenant',
}

/** Gives the template database the queue's schema and the roles of its processes. */
export async function prepareTemplate(options: {
  readonly connectionString: string
  readonly schema: string
}): Promise<void> {
  await migrateUp(options)
  try {
    await createRoleSetter(queueMigrationSet, queueAccess).apply({ ...options, roles: testRoles }, 'set_up')
  } catch (error) {
    // A role that may not create roles gets a database without them.
    if (error instanceof QueueError && error.code === 'migration_failed') return
    throw error
  }
  await grantTestRoles(options.connectionString)
}

/** Lets the connecting role switch to the test roles. A superuser can do so anyway; another role must be a member of them. */
async function grantTestRoles(connectionString: string): Promise<void> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    await client.query(`GRANT ${Object.values(testRoles).join(', ')} TO CURRENT_USER`)
  } finally {
    await client.end()
  }
}

/** `url` for a session that switches to the role of `process` at its start, so that the role needs no password. */
export function urlAs(url: string, process: Process): string {
  const urlWithRole = new URL(url)
  const options = urlWithRole.searchParams.get('options')
  const role = `-c role=${testRoles[process]}`
  urlWithRole.searchParams.set('options', options === null ? role : `${options} ${role}`)
  return urlWithRole.href
}
