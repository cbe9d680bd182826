import pg from 'pg'
import { quoted } from '@queue/postgres'
import { type Check, type CheckContext, problem, ok, rowOf, rowsOf, durationText } from './finding.ts'

/** By `server_version_num`: the oldest supported version, and the first untested one. */
const oldestVersion = 140_000
const untriedVersion = 190_000

export const checkServerVersion: Check = async (context) => {
  const { number, version } = await rowOf<{ number: number; version: string }>(
    context,
    `SELECT current_setting('server_version_num')::int AS number, current_setting('server_version') AS version`,
  )
  const details = { version, version_number: number }
  if (number < oldestVersion) {
    const message = `PostgreSQL ${version} is older than 14, the oldest that is supported`
    return problem('failure', { message, cure: 'upgrade the server', details })
  }
  if (number < untriedVersion) return ok(`PostgreSQL ${version}`, details)
  return problem('warning', {
    message: `PostgreSQL ${version} is newer than 18, the newest that was tested`,
    cure: 'run the test suite against it (TEST_DATABASE_URL), or use PostgreSQL 18',
    details,
  })
}

/** A setting of one database, one role, or one role in one database. */
interface OwnSetting {
  readonly database: string | null
  readonly role: string | null
}

interface DurabilitySettings {
  readonly fsync: string
  readonly full_page_writes: string
  readonly synchronous_commit: string
  /** Whether this session has its `synchronous_commit` from its database or role, and not from the server. */
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
  const asynchronous = await rowsOf<OwnSetting>(
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
    ...asynchronous.map(ownFault),
  ]
  if (faults.length === 0) return ok('an acknowledged commit is on disk', details)
  return problem('failure', {
    message: `a crash of the server loses acknowledged jobs, or more: ${faults.map(({ what }) => what).join(', ')}`,
    cure: `${faults.map(({ cure }) => cure).join(' ')} SELECT pg_reload_conf(); and restart the processes`,
    details,
  })
}

interface Fault {
  readonly what: string
  readonly cure: string
}

function serverFault(setting: string): Fault {
  return { what: `${setting} is off`, cure: `ALTER SYSTEM SET ${setting} = 'on';` }
}

function ownFault({ database, role }: OwnSetting): Fault {
  const reset = 'RESET synchronous_commit;'
  if (role === null) {
    const named = pg.escapeIdentifier(database ?? '')
    return { what: `synchronous_commit is off in this database`, cure: `ALTER DATABASE ${named} ${reset}` }
  }
  const where = database === null ? '' : ` IN DATABASE ${pg.escapeIdentifier(database)}`
  return {
    what: `synchronous_commit is off for ${role}`,
    cure: `ALTER ROLE ${pg.escapeIdentifier(role)}${where} ${reset}`,
  }
}

/**
 * Whether the processes can write: the server is no standby, and no setting makes their transactions read only. A check is
 * itself a read-only transaction, so its own `transaction_read_only` says nothing.
 */
export const checkWrites: Check = async (context) => {
  const { standby, here } = await rowOf<{ standby: boolean; here: boolean }>(
    context,
    `SELECT pg_is_in_recovery() AS standby, current_setting('default_transaction_read_only') = 'on' AS here`,
  )
  const settings = await rowsOf<OwnSetting>(
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
  const readOnly = here && scopes.length === 0 ? [{ name: 'this connection', cure: serverOrUrl }] : scopes
  const details = { standby, read_only: readOnly.map(({ name }) => name) }
  if (standby) {
    return problem('failure', {
      message:
        'the server is a standby, which refuses writes: nothing can be enqueued, and no worker can register',
      cure: 'connect to the primary (a URL may name all hosts), or promote this one: SELECT pg_promote();',
      details,
    })
  }
  if (readOnly.length === 0) return ok('accepted', details)
  return problem('failure', {
    message: `default_transaction_read_only is on for ${details.read_only.join(', ')}: writes are refused`,
    cure: `${readOnly.map(({ cure }) => cure).join(' ')} and restart the processes`,
    details,
  })
}

const serverOrUrl =
  "ALTER SYSTEM RESET default_transaction_read_only; SELECT pg_reload_conf(); or take it from the URL's options,"

function scopeOf({ database, role }: OwnSetting): { readonly name: string; readonly cure: string } {
  const inDatabase = database === null ? '' : ` IN DATABASE ${pg.escapeIdentifier(database)}`
  const [name, subject] =
    role === null
      ? [`database ${database}`, `DATABASE ${pg.escapeIdentifier(database ?? '')}`]
      : [`role ${role}`, `ROLE ${pg.escapeIdentifier(role)}${inDatabase}`]
  return { name, cure: `ALTER ${subject} RESET default_transaction_read_only;` }
}

/** Whether dead rows are removed at all. */
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
  if (off.length + tables.length === 0) return ok('on', details)
  return problem('failure', {
    message: `off: ${[...off, ...tables.map(({ name }) => `for ${name}`)].join(', ')}. Dead rows pile up, and reads slow down`,
    cure: [
      ...off.map((name) => `ALTER SYSTEM SET ${name} = 'on'; SELECT pg_reload_conf();`),
      ...tables.map(
        ({ name }) => `ALTER TABLE ${quoted(context.schema)}.${name} RESET (autovacuum_enabled);`,
      ),
    ].join(' '),
    details,
  })
}

/** Beyond this, and beyond the uncertainty of the round trip, logs of two machines cannot be compared. */
const clockOffsetMsMax = 1_000

/** This machine's clock decides nothing, but people compare logs. */
export const checkClock: Check = async (context) => {
  const before = context.clientNowMs()
  const { now_ms } = await rowOf<{ now_ms: number }>(
    context,
    `SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS now_ms`,
  )
  const after = context.clientNowMs()
  const offsetMs = Math.round(now_ms - (before + after) / 2)
  const uncertaintyMs = Math.ceil((after - before) / 2)
  const details = { offset_ms: offsetMs, uncertainty_ms: uncertaintyMs }
  if (Math.abs(offsetMs) - uncertaintyMs <= clockOffsetMsMax) {
    return ok(`${Math.abs(offsetMs)} ms apart, to ${uncertaintyMs} ms`, details)
  }
  const apart = durationText(Math.abs(offsetMs) / 1_000)
  return problem('warning', {
    message: `the server's clock is ${apart} ${offsetMs > 0 ? 'ahead of' : 'behind'} this machine's. The queue uses the server's clock alone, but logs of both cannot be compared`,
    cure: 'synchronise the clocks of both machines (NTP)',
    details,
  })
}

/** The shares of all connections beyond which the next deployment may not get its own. */
const connectionsWarning = 0.8
const connectionsFailure = 0.95
/** The connections of a worker beyond its pool: that of the lease thread, and the one that listens. */
const connectionsBesidePool = 2

/**
 * Whether there are enough connections: those in use, and the sum of what the registered workers may open and what all
 * others hold. Other processes are in no registry, so their pools count only as far as they are used.
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
  const sum = `the workers that run take ${workers} at most, and all others hold ${others} now`
  if (share < connectionsWarning && workers + others <= row.available) {
    return ok(`${message}; ${sum}`, details)
  }
  return problem(share >= connectionsFailure ? 'failure' : 'warning', {
    message: workers + others > row.available ? `${message}; ${sum}` : message,
    cure: 'lower DATABASE_POOL_MAX or the number of processes, raise max_connections (a restart), or put a pooler between',
    details,
  })
}

/** What the registered workers may open: each its pool, two more, and one for each handler in a transaction. */
async function workerConnections(context: CheckContext): Promise<number> {
  const { total } = await rowOf<{ total: number }>(
    context,
    `SELECT coalesce(sum($1::int + concurrency), 0)::int AS total FROM ${quoted(context.schema)}.workers
      WHERE state = 'active'`,
    [context.poolMax + connectionsBesidePool],
  )
  return total
}
