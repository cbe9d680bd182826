// Removes erased jobs from the entries of the audit log that name them. Called by any worker.
import { sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'

/** Removes the jobs from all entries of the audit log, and the filters of those entries, which may tell whose the jobs were. */
export async function eraseFromAudit(
  { schema, run }: QueueDatabase,
  operation: string,
  erased: readonly { readonly id: string }[],
): Promise<void> {
  if (erased.length === 0) return
  const ids = erased.map(({ id }) => id)
  await run(sql`SELECT ${sql.id(schema, 'erase_from_audit')}(${operation}::uuid, ${ids}::uuid[])`)
}
