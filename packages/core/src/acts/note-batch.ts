import { sql } from 'kysely'
import type { ChangedJob } from '../database/chosen-jobs.ts'
import type { QueueDatabase } from '../database/connect.ts'

/**
 * Writes the audit entry of a batch, in its transaction. An SQL function fills in who started the operation. The entry
 * of an erasure names no jobs.
 */
export async function noteBatch(
  { schema, run }: QueueDatabase,
  operation: string,
  jobs: readonly ChangedJob[],
): Promise<void> {
  if (jobs.length === 0) return
  const ids = jobs.map(({ id }) => id)
  await run(
    sql`SELECT ${sql.id(schema, 'note_batch')}(${operation}::uuid, ${ids.length}::int, ${ids}::uuid[])`,
  )
}
