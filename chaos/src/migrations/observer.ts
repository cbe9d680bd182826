import { setTimeout as sleep } from 'node:timers/promises'
import { eventually } from '@queue/testing'
import pg from 'pg'

/** The application name of the queue's migration runner. */
const runnerName = 'queue-migrate'

/**
 * A trigger that counts the schema changes of migration runners. It ends the session of the runner that has run the command
 * with the number `chaos.fatal_command.at`, in the middle of its transaction. Needs a superuser.
 */
const fatalCommand = `
CREATE SEQUENCE chaos.commands;
CREATE TABLE chaos.fatal_command (at bigint);
CREATE FUNCTION chaos.count_command() RETURNS event_trigger LANGUAGE plpgsql AS $$
DECLARE
  number bigint;
BEGIN
  IF current_setting('application_name') <> '${runnerName}' THEN RETURN; END IF;
  number := nextval('chaos.commands');
  IF EXISTS (SELECT FROM chaos.fatal_command WHERE at = number) THEN
    PERFORM pg_terminate_backend(pg_backend_pid());
  END IF;
END $$;
CREATE EVENT TRIGGER chaos_count_command ON ddl_command_end EXECUTE FUNCTION chaos.count_command();
`

/**
 * The content of a schema, by name: the same before a step and after the step was undone. It distinguishes invalid indexes
 * from valid ones.
 */
const catalog = `
SELECT coalesce(string_agg(line, E'\\n' ORDER BY line), '') AS text FROM (
  SELECT 'relation ' || c.relname || ' ' || c.relkind::text || CASE WHEN NOT i.indisvalid THEN ' invalid' ELSE '' END AS line
    FROM pg_class AS c LEFT JOIN pg_index AS i ON i.indexrelid = c.oid
   WHERE c.relnamespace = to_regnamespace($1)
  UNION ALL
  SELECT 'column ' || c.relname || '.' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
    FROM pg_attribute AS a JOIN pg_class AS c ON c.oid = a.attrelid
   WHERE c.relnamespace = to_regnamespace($1) AND a.attnum > 0 AND NOT a.attisdropped
  UNION ALL
  SELECT 'constraint ' || conname FROM pg_constraint WHERE connamespace = to_regnamespace($1)
) AS lines`

/** Observes migration runners with its own connections, and can end one of them in the middle of its work. */
export interface Observer {
  /** Resets the count of commands. The session of the runner that runs command `at` ends. Null: no session ends. */
  setFatalCommand(at: number | null): Promise<void>
  /** The number of commands since the last reset. */
  commands(): Promise<number>
  /** Ends the session of a runner that builds an index, once it waits for an open transaction. */
  endBuild(): Promise<'build ended'>
  /** Resolves when every session of a runner has ended. */
  runnersGone(): Promise<void>
  /** Everything in the schema, and the versions in its migration history. */
  inspect(schema: string): Promise<SchemaState>
}

export interface SchemaState {
  readonly catalog: string
  /** The applied versions, ascending, as the migration history has them. */
  readonly versions: readonly number[]
}

export async function installObserver(pool: pg.Pool): Promise<Observer> {
  await pool.query(fatalCommand)
  return {
    setFatalCommand: async (at) => {
      await pool.query(`SELECT setval('chaos.commands', 1, false)`)
      await pool.query('DELETE FROM chaos.fatal_command')
      await pool.query('INSERT INTO chaos.fatal_command VALUES ($1)', [at])
    },
    commands: async () => {
      const { rows } = await pool.query<{ count: number }>(
        'SELECT CASE WHEN is_called THEN last_value ELSE 0 END::int AS count FROM chaos.commands',
      )
      return rows[0]?.count ?? 0
    },
    endBuild: async () => {
      await eventually(async () => {
        const { rowCount } = await pool.query(
          `SELECT pg_terminate_backend(b.pid) FROM pg_stat_progress_create_index AS b
             JOIN pg_stat_activity AS a USING (pid)
            WHERE b.datname = current_database() AND a.application_name = $1 AND b.phase LIKE 'waiting for%'`,
          [runnerName],
        )
        return (rowCount ?? 0) > 0
      })
      return 'build ended'
    },
    runnersGone: async () => {
      await eventually(async () => {
        const { rowCount } = await pool.query(
          'SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name = $1',
          [runnerName],
        )
        return rowCount === 0
      })
    },
    inspect: async (schema) => {
      const name = pg.escapeIdentifier(schema)
      const { rows } = await pool.query<{ text: string }>(catalog, [name])
      const text = rows[0]?.text ?? ''
      if (!text.includes('relation migrations r')) return { catalog: text, versions: [] }
      const { rows: applied } = await pool.query<{ version: number }>(
        `SELECT version FROM ${name}.migrations ORDER BY version`,
      )
      return { catalog: text, versions: applied.map(({ version }) => version) }
    },
  }
}

/** How long others had to wait for migration runners, measured by polls in short intervals. */
export interface LockWatch {
  readonly longestMs: number
  /** The longest delay of a poll, in milliseconds. A poll waits for no lock, so the machine itself caused the delay. */
  readonly delayMs: number
  /** How many polls found a waiting session. */
  readonly waits: number
  close(): Promise<void>
}

const pollIntervalMs = 10

/** The longest wait for a lock that a runner holds, or for which it waits ahead of others. */
const waitingBehindRunners = `
SELECT extract(epoch FROM max(clock_timestamp() - l.waitstart))::float8 * 1000 AS ms
  FROM pg_locks AS l JOIN pg_stat_activity AS waiter ON waiter.pid = l.pid
 WHERE NOT l.granted AND waiter.application_name <> '${runnerName}' AND waiter.datname = current_database()
   AND EXISTS (SELECT FROM pg_stat_activity AS runner
                WHERE runner.pid = ANY (pg_blocking_pids(l.pid)) AND runner.application_name = '${runnerName}')`

export async function watchLocks(databaseUrl: string): Promise<LockWatch> {
  const client = new pg.Client({ connectionString: databaseUrl })
  client.on('error', () => undefined)
  await client.connect()
  let longestMs = 0
  let delayMs = 0
  let waits = 0
  let isOver = false
  const poll = async (): Promise<void> => {
    let dueMs = performance.now()
    while (!isOver) {
      const { rows } = await client.query<{ ms: number | null }>(waitingBehindRunners)
      delayMs = Math.max(delayMs, performance.now() - dueMs)
      const ms = rows[0]?.ms ?? null
      if (ms !== null) waits += 1
      longestMs = Math.max(longestMs, ms ?? 0)
      dueMs = performance.now() + pollIntervalMs
      await sleep(pollIntervalMs)
    }
  }
  const polling = poll()
  // `close` reports a failure of the polls.
  polling.catch(() => undefined)
  return {
    get longestMs() {
      return longestMs
    },
    get delayMs() {
      return delayMs
    },
    get waits() {
      return waits
    },
    close: async () => {
      isOver = true
      try {
        await polling
      } finally {
        await client.end()
      }
    },
  }
}

/** The fault if a session waited for a runner for longer than `waitMsMax` and the delay of the machine together. */
export function waitFaults({ longestMs, delayMs }: LockWatch, waitMsMax: number): string[] {
  if (longestMs <= waitMsMax + delayMs) return []
  return [`a session waited for a migration for ${Math.round(longestMs)} ms`]
}
