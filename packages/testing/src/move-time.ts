import { createQueue } from '@queue/core'
import { notifyApart } from '@queue/core/workers'
import pg from 'pg'
import { connectionOf, type TestedDatabase } from './tested-database.ts'

interface TableOfInstants {
  readonly name: string
  readonly columns: readonly string[]
}

/** Every table of the schema that holds instants, with its columns of them. */
const instantsOfSchema = `
  SELECT c.relname AS name, array_agg(a.attname::text ORDER BY a.attnum) AS columns
    FROM pg_catalog.pg_attribute a
    JOIN pg_catalog.pg_class c ON c.oid = a.attrelid
    JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
   WHERE n.nspname = $1 AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped
     AND a.atttypid = 'pg_catalog.timestamptz'::regtype
   GROUP BY c.relname ORDER BY c.relname = 'jobs' DESC, c.relname`

/** A worker that lives renews its lease, however much time passes: the leases that have not run out stay as they are. */
const exceptLivingWorkers = `WHERE NOT (state = 'active' AND lease_expires_at > now())`

/**
 * Lets `ms` milliseconds pass for the queue: retries, jobs for later and schedules become due, retention and expiries come nearer.
 * The database's clock decides every instant and cannot be moved, so every instant in the queue's tables moves into the
 * past instead, in one transaction. `Date.now()` of this process and the instant in a job's id stay. Workers are told to
 * look again. Needs the owner of the tables.
 */
export async function moveTime(database: TestedDatabase, ms: number): Promise<void> {
  if (!Number.isFinite(ms))
    throw new RangeError(`time moves by a number of milliseconds, not by ${String(ms)}`)
  const queue = createQueue(connectionOf(database))
  try {
    await shiftInstants(database, { schema: queue.database.schema, ms })
    const queues = await queue.queues()
    await notifyApart(queue.database, [
      ...queues.map(({ name }) => ({ type: 'rescan' as const, queue: name })),
      { type: 'schedules' },
    ])
  } finally {
    await queue.close()
  }
}

async function shiftInstants(
  { pool }: TestedDatabase,
  { schema, ms }: { readonly schema: string; readonly ms: number },
): Promise<void> {
  const client = await pool.connect()
  try {
    await client.query('BEGIN')
    const { rows } = await client.query<TableOfInstants>(instantsOfSchema, [schema])
    const owned = pg.escapeIdentifier(schema)
    // A transition that is under way ends first, so that no row moves between its reading and its writing.
    // A claim, which holds its queues, goes first.
    await client.query(`LOCK TABLE ${owned}.queues, ${owned}.jobs IN EXCLUSIVE MODE`)
    for (const { name, columns } of rows) {
      const shifts = columns.map((column) => {
        const quoted = pg.escapeIdentifier(column)
        return `${quoted} = ${quoted} - $1::float8 * interval '1 millisecond'`
      })
      const where = name === 'workers' ? exceptLivingWorkers : ''
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

/** The key of a scheduled run names its instant. In two steps: a key that moves would meet the one beside it. */
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
