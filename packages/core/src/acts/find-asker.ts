import { sql } from 'kysely'
import { permissionsOf, type StoredKey } from '../access/find-keys.ts'
import { type KeyBoundsRow, scopeOf } from '../access/key-bounds.ts'
import type { KeyRole, Permission } from '../access/permissions.ts'
import type { QueueDatabase } from '../database/connect.ts'

interface Row extends KeyBoundsRow {
  readonly role: KeyRole
  readonly permissions: readonly Permission[]
  readonly revoked: boolean
  readonly expires_in_ms: number | null
}

/**
 * The current rights of the API key that started this operation; undefined where no key did. A function reads them,
 * because the role of workers cannot read keys.
 */
export async function findAsker(
  { schema, run }: QueueDatabase,
  operation: string,
): Promise<Pick<StoredKey, 'permissions' | 'scope' | 'revoked' | 'expiresInMs'> | undefined> {
  const [row] = await run(sql<Row>`
    SELECT k.role, k.permissions, k.tenant_id, k.queues, k.kinds, k.revoked, k.expires_in_ms
      FROM ${sql.id(schema, 'operation_key')}(${operation}::uuid) AS k`)
  if (row === undefined) return undefined
  const scope = scopeOf(row)
  return {
    permissions: permissionsOf(row, scope),
    scope,
    revoked: row.revoked,
    expiresInMs: row.expires_in_ms,
  }
}
