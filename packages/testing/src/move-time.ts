import { createQueue } from '@queue/core'
import { notifyApart, databaseOf } from '@queue/core/internal'
import { assertArguments, type Rule } from '@queue/loop/arguments'
import pg from 'pg'
import { connectionOf, type TestedDatabase } from './tested-database.ts'

interface TableOfInstants {
  readonly name: string
  readonly columns: readonly string[]
}

/**
 * Every table of the schema that has instants, with the names of these columns. Leaves are moved with their table, and the days of
 * `ended_days` are those of ids, which do not change.
 */
const instantsOfSchema = `
  SELECT c.relname AS name, array_agg(a.attname::text ORDER BY a.attnum) AS columns
    FROM pg_catalog.pg_attribute a
    JOIN pg_catalog.pg_class c ON c.oid = a.attrelid
    JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
   WHERE n.nspname = $1 AND c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relname <> 'ended_days' AND a.attnum > 0 AND NOT a.attisdropped
     AND a.atttypid = 'pg_catalog.timestamptz'::regtype
   GROUP BY c.relname ORDER BY c.relname = 'jobs' DESC, c.relname`

/** A live worker renews its lease as time passes, so unexpired leases stay as they are. */
const exceptLiveWorkers = `WHERE NOT (state = 'active' AND lease_expires_at > now())`

/**
 * Lets `ms` milliseconds pass for the queue: retries, jobs for later and schedules become due, and the ends of retention and
 * expiry come nearer. The queue uses the database's clock, which cannot be changed, so every instant in the queue's tables is
 * moved into the past instead, in one transaction. `Date.now()` of this process and the time in a job's id do not change.
 * Notifies workers, so that they poll. Needs the owner of the tables.
 */
export async function moveTime(database: TestedDatabase, ms: number): Promise<void> {
  assertArguments('moveTime', { ms: finite }, [ms])
  const queue = createQueue(connectionOf(database))
  try {
    await shiftInstants(database, { schema: databaseOf(queue).schema, ms })
    const queues = await queue.queues()
    await notifyApart(databaseOf(queue), [
      ...queues.map(({ name }) => ({ type: 'rescan' as const, queue: name })),
      { type: 'schedules' },
    ])
  } finally {
    await queue.close()
  }
}

const finite: Rule = (value) => (Number.isFinite(value) ? undefined : 'a finite number of milliseconds')

async function shiftInstants(
  { pool }: TestedDatabase,
  { schema, ms }: { readonly schema: string; readonly ms: number },
): Promise<void> {
  const client = await pool.connect()
  try {
    await client.query('BEGIN')
    const { rows } = await client.query<TableOfInstants>(instantsOfSchema, [schema])
    const owned = pg.escapeIdentifier(schema)
    // Waits for transitions that run, so that no row moves between their read and their write. The queues come first, because
    // a claim locks its queues first.
    await client.query(`LOCK TABLE ${owned}.queues, ${owned}.jobs, ${owned}.ended_jobs IN EXCLUSIVE MODE`)
    for (const { name, columns } of rows) {
      const shifts = columns.map((column) => {
        const quoted = pg.escapeIdentifier(column)
        return `${quoted} = ${quoted} - $1::float8 * interval '1 millisecond'`
      })
      const where = name === 'workers' ? exceptLiveWorkers : ''
      await client.query(`UPDATE ${owned}.${pg.escapeIdentifier(name)} SET ${shifts.join(', ')} ${where}`, [
        ms,
      ])
    }
    await shiftKeysOfRuns(client, { owned, ms })
    await client.query('COMMIT')
  } catch (error) {
    await client.query('ROLLBACK')
    throw error
  } finally {
    client.release()
  }
}

/**
 * The idempotency key of a scheduled run contains its instant. It is changed in two steps, because in one step a changed key
 * could equal the key of the next run.
 */
async function shiftKeysOfRuns(
  client: pg.PoolClient,
  { owned, ms }: { readonly owned: string; readonly ms: number },
): Promise<void> {
  await client.query(
    `UPDATE ${owned}.jobs SET idempotency_key = 'moved ' || split_part(idempotency_key, '@', 1) || '@' || to_char(
       (split_part(idempotency_key, '@', 2)::timestamptz - $1::float8 * interval '1 millisecond') AT TIME ZONE 'UTC',
       'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
      WHERE starts_with(idempotency_key, 'schedule:')`,
    [ms],
  )
  await client.query(
    `UPDATE ${owned}.jobs SET idempotency_key = substr(idempotency_key, 7)
      WHERE starts_with(idempotency_key, 'moved schedule:')`,
  )
}
