// Jobs that an erasure has removed go out of the entries that speak of them. Called by any worker.
import { sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'

/** Takes the jobs out of every entry of the audit log, with the filter of that entry: it may name whose they were. */
export async function eraseFromAudit(
  { schema, run }: QueueDatabase,
  operation: string,
  gone: readonly { readonly id: string }[],
): Promise<void> {
  if (gone.length === 0) return
  const ids = gone.map(({ id }) => id)
  await run(sql`SELECT ${sql.id(schema, 'erase_from_audit')}(${operation}::uuid, ${ids}::uuid[])`)
}
