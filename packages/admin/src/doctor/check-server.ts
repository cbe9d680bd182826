import pg from 'pg'
import { liveWorkerText } from '@queue/core/internal'
import { quoted } from '@queue/postgres'
import { type Check, type CheckContext, problem, ok, rowOf, rowsOf, durationText } from './finding.ts'

/** As `server_version_num`: the oldest supported version, and the first untested one. */
const oldestVersion = 140_000
const untestedVersion = 190_000

export const checkServerVersion: Check = async (context) => {
  const { number, version } = await rowOf<{ number: number; version: string }>(
    context,
    `SELECT current_setting('server_version_num')::int AS number, current_setting('server_version') AS version`,
  )
  const details = { version, version_number: number }
  if (number < oldestVersion) {
    const message = `PostgreSQL ${version} is older than 14, the oldest supported version`
    return problem('failure', { message, cure: 'upgrade the server', details })
  }
  if (number < untestedVersion) return ok(`PostgreSQL ${version}`, details)
  return problem('warning', {
    message: `PostgreSQL ${version} is newer than 18, the newest tested version`,
    cure: 'run the test suite against it (TEST_DATABASE_URL), or use PostgreSQL 18',
    details,
  })
}

/** Where a setting is made: for one database, for one role, or for one role in one database. */
interface SettingScope {
  readonly database: string | null
  readonly role: string | null
}

/**
 * Whether every role may create functions and operators in a schema of the search path with which this session began (the check
 * itself has another one). PostgreSQL prefers one that fits the
 * arguments exactly to its own, so whoever creates it runs code with the rights of the sessions that keep this search path.
 */
export const checkObjectCreation: Check = async (context) => {
  const rows = await rowsOf<{ schema: string }>(
    context,
    `SELECT n.nspname::text AS schema
       FROM pg_catalog.pg_namespace AS n CROSS JOIN LATERAL pg_catalog.aclexplode(n.nspacl) AS a
      WHERE n.nspname IN (SELECT btrim(path.schema, ' "') FROM pg_settings, string_to_table(reset_val, ',') AS path (schema)
                           WHERE name = 'search_path')
        AND a.grantee = 0 AND a.privilege_type = 'CREATE'
      ORDER BY n.nspname`,
  )
  const schemas = rows.map(({ schema }) => schema)
  if (schemas.length === 0) return ok('no schema of the search path lets every role create objects')
  return problem('warning', {
    message: `every role may create functions in ${schemas.join(', ')}, and thereby run code as those who call them`,
    cure: schemas
      .map((schema) => `REVOKE CREATE ON SCHEMA ${pg.escapeIdentifier(schema)} FROM PUBLIC;`)
      .join(' '),
    details: { schemas },
  })
}

interface DurabilitySettings {
  readonly fsync: string
  readonly full_page_writes: string
  readonly synchronous_commit: string
  /** Whether this session's `synchronous_commit` is set by its database or role, and not by the server. */
  readonly is_own: boolean
}

/** Whether an acknowledged commit is on disk. */
export const checkDurability: Check = async (context) => {
  const { is_own, ...settings } = await rowOf<DurabilitySettings>(
    context,
    `SELECT current_setting('fsync') AS fsync, current_setting('full_page_writes') AS full_page_writes,
            setting AS synchronous_commit, source IN ('database', 'user', 'database user') AS is_own
       FROM pg_settings WHERE name = 'synchronous_commit'`,
  )
  const asynchronous = await rowsOf<SettingScope>(
    context,
    `SELECT d.datname::text AS database, r.rolname::text AS role
       FROM pg_db_role_setting AS s
       LEFT JOIN pg_database AS d ON d.oid = s.setdatabase
       LEFT JOIN pg_roles AS r ON r.oid = s.setrole
      WHERE s.setconfig && ARRAY['synchronous_commit=off', 'synchronous_commit=false', 'synchronous_commit=no',
                                 'synchronous_commit=0']
        AND (s.setdatabase = 0 OR d.datname = current_database())`,
  )
  const details = {
    ...settings,
    asynchronous: asynchronous.map(({ database, role }) => ({ database, role })),
  }
  const faults = [
    ...Object.entries(settings)
      .filter(([name, value]) => value === 'off' && !(is_own && name === 'synchronous_commit'))
      .map(([name]) => serverFault(name)),
    ...asynchronous.map(scopedFault),
  ]
  if (faults.length === 0) return ok('an acknowledged commit is on disk', details)
  return problem('failure', {
    message: `a crash of the server can lose acknowledged jobs or damage the database: ${faults.map(({ fault }) => fault).join(', ')}`,
    cure: `${faults.map(({ cure }) => cure).join(' ')} SELECT pg_reload_conf(); then restart the processes`,
    details,
  })
}

interface Fault {
  readonly fault: string
  readonly cure: string
}

function serverFault(setting: string): Fault {
  return { fault: `${setting} is off`, cure: `ALTER SYSTEM SET ${setting} = 'on';` }
}

function scopedFault({ database, role }: SettingScope): Fault {
  const reset = 'RESET synchronous_commit;'
  if (role === null) {
    const name = pg.escapeIdentifier(database ?? '')
    return { fault: 'synchronous_commit is off in this database', cure: `ALTER DATABASE ${name} ${reset}` }
  }
  const inDatabase = database === null ? '' : ` IN DATABASE ${pg.escapeIdentifier(database)}`
  return {
    fault: `synchronous_commit is off for ${role}`,
    cure: `ALTER ROLE ${pg.escapeIdentifier(role)}${inDatabase} ${reset}`,
  }
}

/**
 * Whether the processes can write: the server is not a standby, and no setting makes their transactions read-only. A check
 * runs in a read-only transaction itself, so its own `transaction_read_only` proves nothing.
 */
export const checkWrites: Check = async (context) => {
  const { standby, here: sessionIsReadOnly } = await rowOf<{ standby: boolean; here: boolean }>(
    context,
    `SELECT pg_is_in_recovery() AS standby, current_setting('default_transaction_read_only') = 'on' AS here`,
  )
  const settings = await rowsOf<SettingScope>(
    context,
    `SELECT d.datname::text AS database, r.rolname::text AS role
       FROM pg_db_role_setting AS s
       LEFT JOIN pg_database AS d ON d.oid = s.setdatabase
       LEFT JOIN pg_roles AS r ON r.oid = s.setrole
      WHERE s.setconfig && ARRAY['default_transaction_read_only=on', 'default_transaction_read_only=true',
                                 'default_transaction_read_only=yes', 'default_transaction_read_only=1']
        AND (s.setdatabase = 0 OR d.datname = current_database())`,
  )
  const scopes = settings.map(scopeOf)
  const readOnly =
    sessionIsReadOnly && scopes.length === 0 ? [{ name: 'this connection', cure: serverOrUrlCure }] : scopes
  const details = { standby, read_only: readOnly.map(({ name }) => name) }
  if (standby) {
    return problem('failure', {
      message:
        'the server is a standby, which refuses writes: no job can be enqueued and no worker can register',
      cure: 'connect to the primary (a URL can list all hosts), or promote this server: SELECT pg_promote();',
      details,
    })
  }
  if (readOnly.length === 0) return ok('the server accepts writes', details)
  return problem('failure', {
    message: `default_transaction_read_only is on for ${details.read_only.join(', ')}: writes are refused`,
    cure: `${readOnly.map(({ cure }) => cure).join(' ')} then restart the processes`,
    details,
  })
}

const serverOrUrlCure =
  "ALTER SYSTEM RESET default_transaction_read_only; SELECT pg_reload_conf(); or remove it from the URL's options,"

function scopeOf({ database, role }: SettingScope): { readonly name: string; readonly cure: string } {
  const inDatabase = database === null ? '' : ` IN DATABASE ${pg.escapeIdentifier(database)}`
  const [name, subject] =
    role === null
      ? [`database ${database}`, `DATABASE ${pg.escapeIdentifier(database ?? '')}`]
      : [`role ${role}`, `ROLE ${pg.escapeIdentifier(role)}${inDatabase}`]
  return { name, cure: `ALTER ${subject} RESET default_transaction_read_only;` }
}

/** Whether autovacuum removes dead rows. */
export const checkAutovacuum: Check = async (context) => {
  const settings = await rowOf<{ autovacuum: string; track_counts: string }>(
    context,
    `SELECT current_setting('autovacuum') AS autovacuum, current_setting('track_counts') AS track_counts`,
  )
  const tables = await rowsOf<{ name: string }>(
    context,
    `SELECT c.relname::text AS name FROM pg_class AS c CROSS JOIN LATERAL pg_options_to_table(c.reloptions) AS o
      WHERE c.relnamespace = to_regnamespace($1) AND c.relkind = 'r'
        AND o.option_name = 'autovacuum_enabled' AND NOT o.option_value::boolean ORDER BY c.relname`,
    [quoted(context.schema)],
  )
  const off = Object.entries(settings).flatMap(([name, value]) => (value === 'off' ? [name] : []))
  const details = { ...settings, tables_off: tables.map(({ name }) => name) }
  if (off.length + tables.length === 0) return ok('on for every table', details)
  return problem('failure', {
    message: `off: ${[...off, ...tables.map(({ name }) => `for ${name}`)].join(', ')}. Dead rows accumulate and reads slow down`,
    cure: [
      ...off.map((name) => `ALTER SYSTEM SET ${name} = 'on'; SELECT pg_reload_conf();`),
      ...tables.map(
        ({ name }) => `ALTER TABLE ${quoted(context.schema)}.${name} RESET (autovacuum_enabled);`,
      ),
    ].join(' '),
    details,
  })
}

/** With a larger offset, beside the uncertainty of the round trip, the logs of two machines cannot be compared. */
const clockOffsetMsMax = 1_000

/** Whether the clocks of this machine and of the server agree. The queue uses only the server's, but people compare logs. */
export const checkClock: Check = async (context) => {
  const before = context.clientNowMs()
  const { now_ms } = await rowOf<{ now_ms: string }>(
    context,
    `SELECT round(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now_ms`,
  )
  const after = context.clientNowMs()
  const offsetMs = Math.round(Number(now_ms) - (before + after) / 2)
  const uncertaintyMs = Math.ceil((after - before) / 2)
  const details = { offset_ms: offsetMs, uncertainty_ms: uncertaintyMs }
  if (Math.abs(offsetMs) - uncertaintyMs <= clockOffsetMsMax) {
    return ok(`the clocks differ by ${Math.abs(offsetMs)} ms (±${uncertaintyMs} ms)`, details)
  }
  const difference = durationText(Math.abs(offsetMs) / 1_000)
  return problem('warning', {
    message: `the server's clock is ${difference} ${offsetMs > 0 ? 'ahead of' : 'behind'} this machine's. The queue uses only the server's clock, but the logs of the two cannot be compared`,
    cure: 'synchronize the clocks of both machines (NTP)',
    details,
  })
}

/** Shares of the available connections. With more in use, the next deployment may not get the connections it needs. */
const connectionsWarning = 0.8
const connectionsFailure = 0.95
/** The connections of a worker outside its pool: one of the lease thread, one that listens for notifications. */
const connectionsBesidePool = 2

/**
 * Whether there are enough connections. It compares two numbers with what the server allows: the connections in use, and
 * the most that the registered workers can open plus what all other processes hold now. Other processes are in no registry,
 * so only the open connections of their pools count.
 */
export const checkConnections: Check = async (context) => {
  const row = await rowOf<{ available: number; used: number; used_by_workers: number }>(
    context,
    `SELECT current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
              - coalesce(current_setting('reserved_connections', true)::int, 0) AS available,
            (SELECT coalesce(sum(numbackends), 0) FROM pg_stat_database)::int AS used,
            (SELECT count(*)::int FROM pg_stat_activity
              WHERE datname = current_database() AND application_name LIKE 'queue-worker%') AS used_by_workers`,
  )
  const workers = await workerConnections(context)
  const others = row.used - row.used_by_workers
  const details = { available: row.available, used: row.used, workers_at_most: workers, others_now: others }
  const share = row.used / row.available
  const message = `${row.used} of ${row.available} connections are in use`
  const sum = `the running workers can open up to ${workers}, and all other processes hold ${others} now`
  if (share < connectionsWarning && workers + others <= row.available) {
    return ok(`${message}; ${sum}`, details)
  }
  return problem(share >= connectionsFailure ? 'failure' : 'warning', {
    message: workers + others > row.available ? `${message}; ${sum}` : message,
    cure: 'lower DATABASE_POOL_MAX or the number of processes, raise max_connections (needs a restart), or use a connection pooler',
    details,
  })
}

/** The most connections that the registered workers can open: each its pool, two more, and one for each running handler. */
async function workerConnections(context: CheckContext): Promise<number> {
  const { total } = await rowOf<{ total: number }>(
    context,
    `SELECT coalesce(sum($1::int + concurrency), 0)::int AS total FROM ${quoted(context.schema)}.workers AS w
      WHERE ${liveWorkerText}`,
    [context.poolMax + connectionsBesidePool],
  )
  return total
}
