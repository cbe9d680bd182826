import { quoted } from '@queue/postgres'
import { type Check, countText, type Finding, problem, ok, rowsOf, durationText } from './finding.ts'

/** From which age, in seconds, a transaction that keeps vacuum from removing dead rows is a finding. */
export interface AgeLimits {
  readonly warningSeconds: number
  readonly failureSeconds: number
}

/** Ten minutes are worth a look; six hours do harm. */
const ageLimits: AgeLimits = { warningSeconds: 600, failureSeconds: 21_600 }

function severity(seconds: number, limits: AgeLimits): 'warning' | 'failure' {
  return seconds >= limits.failureSeconds ? 'failure' : 'warning'
}

interface OpenTransaction {
  readonly pid: number
  readonly role: string | null
  readonly application: string
  readonly state: string | null
  readonly seconds: number
}

/** Whether a session holds an old snapshot, so that vacuum cannot remove rows that died after it. */
export const longTransactions =
  (limits: AgeLimits): Check =>
  async (context) => {
    const rows = await rowsOf<OpenTransaction & { hidden: boolean }>(
      context,
      `SELECT a.pid, a.usename::text AS role, a.application_name AS application, a.state,
            coalesce(extract(epoch FROM clock_timestamp() - a.xact_start), 0)::int AS seconds,
            a.query = '<insufficient privilege>' AS hidden
       FROM pg_stat_activity AS a
      WHERE a.datname = current_database() AND a.pid <> pg_backend_pid()
        AND a.usesysid IS NOT NULL AND a.backend_type IS DISTINCT FROM 'autovacuum worker'
        AND (a.backend_xmin IS NOT NULL OR a.backend_xid IS NOT NULL OR a.query = '<insufficient privilege>')
      ORDER BY a.xact_start`,
    )
    const hidden = rows.filter((row) => row.hidden).length
    const long = rows.filter((row) => !row.hidden && row.seconds >= limits.warningSeconds)
    const details = {
      transactions: long.map(({ pid, role, application, state, seconds }) => ({
        pid,
        role,
        application,
        state,
        seconds,
      })),
      hidden_sessions: hidden,
    }
    const [oldest] = long
    if (oldest !== undefined) {
      return problem(severity(oldest.seconds, limits), {
        message: `${countText(long.length, 'transaction')} open for more than ${durationText(limits.warningSeconds)}: the oldest for ${durationText(oldest.seconds)}, by ${oldest.role ?? 'an unknown role'} (${oldest.application || 'no application name'}), ${oldest.state ?? 'state unknown'}. Vacuum cannot remove rows that died since it began`,
        cure: `SELECT pg_terminate_backend(${oldest.pid}); and set idle_in_transaction_session_timeout for the role that leaves transactions open`,
        details,
      })
    }
    if (hidden === 0) return ok(`none is open for more than ${durationText(limits.warningSeconds)}`, details)
    return problem('not_permitted', {
      message: `not permitted: this role may not read ${countText(hidden, 'session')} of other roles`,
      cure: 'as an administrator, GRANT pg_read_all_stats to this role; queue-migrate roles prints the statement',
      details,
    })
  }

export const checkLongTransactions = longTransactions(ageLimits)

/** Whether a prepared transaction was forgotten. */
export const preparedTransactions =
  (limits: AgeLimits): Check =>
  async (context) => {
    const prepared = await rowsOf<{ gid: string; seconds: number }>(
      context,
      `SELECT gid, extract(epoch FROM clock_timestamp() - prepared)::int AS seconds FROM pg_prepared_xacts
      WHERE database = current_database() AND prepared < clock_timestamp() - $1 * interval '1 second'
      ORDER BY prepared`,
      [limits.warningSeconds],
    )
    const details = { transactions: prepared.map(({ gid, seconds }) => ({ gid, seconds })) }
    const [oldest] = prepared
    if (oldest === undefined) return ok(`none is older than ${durationText(limits.warningSeconds)}`, details)
    return problem(severity(oldest.seconds, limits), {
      message: `${countText(prepared.length, 'prepared transaction')} neither committed nor rolled back, the oldest for ${durationText(oldest.seconds)}: ${JSON.stringify(oldest.gid)}. It keeps its locks, and vacuum cannot remove rows that died since it began`,
      cure: `COMMIT PREPARED or ROLLBACK PREPARED '${oldest.gid.replaceAll("'", "''")}';`,
      details,
    })
  }

export const checkPreparedTransactions = preparedTransactions(ageLimits)

interface Slot {
  readonly name: string
  readonly active: boolean
  readonly holds_rows: boolean
  readonly retained_bytes: string
}

/** Whether the server keeps dead rows and write-ahead log for a replica or subscriber that no longer reads them. */
export const checkReplicationSlots: Check = async (context) => {
  const abandoned = await rowsOf<Slot>(
    context,
    `SELECT slot_name::text AS name, active, xmin IS NOT NULL AS holds_rows,
            coalesce(pg_wal_lsn_diff(
              CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_lsn() END,
              restart_lsn), 0)::bigint AS retained_bytes
       FROM pg_replication_slots
      WHERE NOT active AND (xmin IS NOT NULL OR catalog_xmin IS NOT NULL OR restart_lsn IS NOT NULL)
      ORDER BY xmin IS NULL, restart_lsn`,
  )
  const details = {
    abandoned: abandoned.map(({ name, holds_rows, retained_bytes }) => ({
      name,
      holds_rows,
      retained_bytes: Number(retained_bytes),
    })),
  }
  const [worst] = abandoned
  if (worst === undefined) return ok('no slot without a reader', details)
  const retained = `${worst.holds_rows ? 'dead rows and ' : ''}${mebibytes(Number(worst.retained_bytes))} of write-ahead log`
  return problem(worst.holds_rows ? 'failure' : 'warning', {
    message: `${countText(abandoned.length, 'replication slot')} without a reader: ${worst.name} retains ${retained}`,
    cure: `start its reader again, or SELECT pg_drop_replication_slot('${worst.name}');`,
    details,
  })
}

function mebibytes(bytes: number): string {
  return `${Math.round(bytes / 1_048_576)} MiB`
}

/** A smaller table or index, in bytes, is not reported: its bloat costs nothing. */
const bloatBytesMin = 64 * 1_048_576
/** A table or index is bloated when it is more than this many times as large as its rows need. */
const bloatRatioMax = 4
/** Autovacuum of these tables starts at a few per cent of dead rows. With this many, it does not keep up. */
const deadRowsMin = 10_000
const deadShareMax = 0.25

interface Size {
  readonly name: string
  readonly kind: 'table' | 'index'
  readonly bytes: number
  readonly needed_bytes: number
  readonly live_rows: number
  readonly dead_rows: number
}

/**
 * Whether tables and indexes are much larger than their rows need. The needed size is an estimate from the planner's
 * statistics: for each row its header (28 bytes with its line pointer; 16 for an index entry) and the mean width of
 * its columns, divided by the fill factor. A table that was never analyzed counts as exactly large enough.
 */
export const bloatFrom =
  (bytesMin: number): Check =>
  async (context) => {
    const rows = await rowsOf<SizeRow>(context, sizesStatement, [quoted(context.schema), context.schema])
    const sizes = rows.map(toSize)
    const bloated = sizes.filter(
      ({ bytes, needed_bytes }) => bytes >= bytesMin && bytes > bloatRatioMax * needed_bytes,
    )
    const unvacuumed = sizes.filter(
      ({ live_rows, dead_rows }) => dead_rows >= deadRowsMin && dead_rows > deadShareMax * live_rows,
    )
    const details = { relations: sizes.map((size) => ({ ...size })) }
    if (bloated.length + unvacuumed.length === 0)
      return ok('tables and indexes are as large as they need to be', details)
    return problem('warning', { ...describeBloat(context.schema, { bloated, unvacuumed }), details })
  }

/** node-postgres returns a bigint as a text. */
type SizeRow = { readonly [Name in keyof Size]: Size[Name] extends number ? string : Size[Name] }

function toSize({ name, kind, ...row }: SizeRow): Size {
  return {
    name,
    kind,
    bytes: Number(row.bytes),
    needed_bytes: Number(row.needed_bytes),
    live_rows: Number(row.live_rows),
    dead_rows: Number(row.dead_rows),
  }
}

export const checkBloat = bloatFrom(bloatBytesMin)

function describeBloat(
  schema: string,
  { bloated, unvacuumed }: { readonly bloated: readonly Size[]; readonly unvacuumed: readonly Size[] },
): Pick<Finding, 'message'> & { cure: string } {
  const tables = new Set(
    [...unvacuumed, ...bloated.filter(({ kind }) => kind === 'table')].map(({ name }) => name),
  )
  const indexes = bloated.filter(({ kind }) => kind === 'index').map(({ name }) => name)
  return {
    message: [
      ...unvacuumed.map(
        ({ name, dead_rows, live_rows }) => `${name} has ${dead_rows} dead rows and ${live_rows} live rows`,
      ),
      ...bloated.map(
        ({ name, bytes, needed_bytes }) =>
          `${name} takes ${mebibytes(bytes)} and needs about ${mebibytes(needed_bytes)}`,
      ),
    ].join('; '),
    cure: [
      'fix the findings of autovacuum, long_transactions, prepared_transactions and replication_slots first.',
      ...[...tables].map((name) => `VACUUM ${quoted(schema)}.${name};`),
      ...indexes.map((name) => `REINDEX INDEX CONCURRENTLY ${quoted(schema)}.${name};`),
    ].join(' '),
  }
}

const sizesStatement = `
  WITH relation AS (
    SELECT c.oid, c.relname, c.relkind, c.reltuples::float8 AS rows, c.reloptions
      FROM pg_class AS c WHERE c.relnamespace = to_regnamespace($1) AND c.relkind IN ('r', 'i')
  ), width AS (
    SELECT r.oid,
           coalesce(sum((1 - coalesce(s.null_frac, 0)) * coalesce(s.avg_width, 16)), 0)::float8 AS bytes
      FROM relation AS r
      JOIN pg_attribute AS a ON a.attrelid = r.oid AND a.attnum > 0 AND NOT a.attisdropped
      LEFT JOIN pg_index AS x ON x.indexrelid = r.oid
      LEFT JOIN pg_class AS t ON t.oid = x.indrelid
      LEFT JOIN pg_stats AS s ON s.schemaname = $2 AND s.attname = a.attname
                             AND s.tablename IN (r.relname, coalesce(t.relname, r.relname))
     GROUP BY r.oid
  )
  SELECT r.relname::text AS name, CASE r.relkind WHEN 'r' THEN 'table' ELSE 'index' END AS kind,
         pg_relation_size(r.oid) AS bytes,
         CASE WHEN r.rows < 0 THEN pg_relation_size(r.oid)
              WHEN r.relkind = 'r' THEN round(r.rows * (28 + w.bytes) / coalesce(f.fill, 1))
              ELSE round(r.rows * (16 + w.bytes) / 0.9) END::bigint AS needed_bytes,
         coalesce(pg_stat_get_live_tuples(r.oid), 0) AS live_rows,
         coalesce(pg_stat_get_dead_tuples(r.oid), 0) AS dead_rows
    FROM relation AS r JOIN width AS w ON w.oid = r.oid
    LEFT JOIN LATERAL (
      SELECT o.option_value::float8 / 100 AS fill FROM pg_options_to_table(r.reloptions) AS o
       WHERE o.option_name = 'fillfactor'
    ) AS f ON true
   ORDER BY r.relname`
