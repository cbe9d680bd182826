// Waits for the transactions whose jobs a registration cannot see yet.
import { sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'

/** A registration looks this often, 3 s in all: longer than the queue's own transactions take. */
const looksMax = 60
const pauseSeconds = 0.05

/**
 * Waits until each transaction that has written jobs so far has ended, by its lock on their table. Resolves with whether
 * all have: a caller may keep its transaction open for longer. What begins later may make jobs, but none that were there
 * when this was called.
 */
export async function writersHaveEnded(database: QueueDatabase): Promise<boolean> {
  let open = await writersOfJobs(database)
  for (let looks = 1; open.length > 0 && looks < looksMax; looks += 1) {
    await pause(database)
    const now = new Set(await writersOfJobs(database))
    open = open.filter((writer) => now.has(writer))
  }
  return open.length === 0
}

/** Waits in the database, which is the only clock of this package. */
export async function pause({ run }: QueueDatabase): Promise<void> {
  await run(sql`SELECT pg_sleep(${sql.lit(pauseSeconds)})`)
}

/** The transactions other than this one that have written jobs and have not ended, also those that are only prepared. */
export async function writersOfJobs({ run, schema }: QueueDatabase): Promise<string[]> {
  const rows = await run(sql<{ writer: string }>`
    SELECT l.virtualtransaction AS writer FROM pg_locks AS l
     WHERE l.locktype = 'relation' AND l.relation = to_regclass(format('%I.jobs', ${schema}::text))::oid AND l.mode = 'RowExclusiveLock'
       AND l.database = (SELECT d.oid FROM pg_database AS d WHERE d.datname = current_database())
       AND l.pid IS DISTINCT FROM pg_backend_pid()`)
  return rows.map(({ writer }) => writer)
}
