import type { Process } from '@queue/core'
import type { TestDatabase } from './create-test-database.ts'
import { testRoles } from './process-roles.ts'

export interface TestPrivilege {
  /** The process whose role loses the privilege. */
  readonly process: Process
  readonly privilege: 'INSERT' | 'UPDATE'
  readonly table: string
  /** Only these columns lose it; default: every column that has it. */
  readonly columns?: readonly string[]
}

/**
 * Revokes a privilege from the role of a process, as a mistake of an operator would: from now on its connections by `urlAs`
 * get errors. Returns a function that grants the privilege again, for the same columns. Other databases of the server are
 * not affected.
 */
export async function revokePrivilege(
  { pool, schema }: TestDatabase,
  { process, privilege, table, columns: only }: TestPrivilege,
): Promise<() => Promise<void>> {
  const role = testRoles[process]
  const { rows } = await pool.query<{ columns: string | null }>(
    `SELECT string_agg(quote_ident(column_name), ', ') AS columns FROM information_schema.column_privileges
      WHERE table_schema = $1 AND table_name = $2 AND privilege_type = $3 AND grantee = $4
        AND ($5::text[] IS NULL OR column_name = ANY($5))`,
    [schema, table, privilege, role, only],
  )
  const columns = rows[0]?.columns
  if (columns === null || columns === undefined) throw new Error(`${role} has no ${privilege} on ${table}`)
  const revoked = only === undefined ? privilege : `${privilege} (${columns})`
  await pool.query(`REVOKE ${revoked} ON "${schema}".${table} FROM ${role}`)
  return async () => {
    await pool.query(`GRANT ${privilege} (${columns}) ON "${schema}".${table} TO ${role}`)
  }
}
