// Adds the counts of a process to the statistics of their minutes and hours. Called by workers, and by processes that
// cancel jobs.
import { sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'
import { statsHoursKeptMs, statsMinutesKeptMs, statsSeriesMax } from '../domain/limits.ts'

export const counters = ['enqueued', 'started', 'succeeded', 'failed', 'retried', 'cancelled'] as const

export type Counter = (typeof counters)[number]

/** All counters at 0. */
export const noCounts: Readonly<Record<Counter, number>> = {
  enqueued: 0,
  started: 0,
  succeeded: 0,
  failed: 0,
  retried: 0,
  cancelled: 0,
}

/** In place of a queue or a kind: all of them. No queue or kind can have this name. */
export const allOf = '*'

/** The counts to add to one row. */
export interface CountsRow extends Readonly<Record<Counter, number>> {
  readonly period: 'minute' | 'hour'
  /** When the minute or hour began, in milliseconds since 1970. */
  readonly at: number
  /** Both empty: all series that are not counted separately. `*`: all queues, or all kinds of the queue. */
  readonly queue: string
  readonly kind: string
  readonly tenant_id: string
  /** The number of jobs, by the number of the bucket. */
  readonly wait_buckets: Readonly<Record<string, number>>
  readonly run_buckets: Readonly<Record<string, number>>
}

/**
 * Adds these counts in one statement, at most one `CountsRow` per row. Processes lock the rows in the order of their
 * keys, so they cannot deadlock. Counts that are older than statistics are kept are left out. A repeated call would
 * count twice.
 */
export async function addCounts(database: QueueDatabase, rows: readonly CountsRow[]): Promise<void> {
  const { names } = database
  const columns = sql.join(counters.map((name) => sql.id(name)))
  const keptMs = sql`CASE x.period WHEN 'minute' THEN ${sql.lit(statsMinutesKeptMs)}::float8
                                 ELSE ${sql.lit(statsHoursKeptMs)}::float8 END`
  await database.run(sql`
    INSERT INTO ${names.stats} AS s (period, at, queue, kind, tenant_id, ${columns}, wait_buckets, run_buckets)
    SELECT x.period, to_timestamp(x.at / 1000::float8), x.queue, x.kind, x.tenant_id,
           ${sql.join(counters.map((name) => sql.ref(`x.${name}`)))}, x.wait_buckets, x.run_buckets
      FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        AS x (period text, at float8, queue text, kind text, tenant_id text,
              ${sql.join(counters.map((name) => sql`${sql.id(name)} bigint`))}, wait_buckets jsonb, run_buckets jsonb)
     WHERE to_timestamp(x.at / 1000::float8) >= now() - ${keptMs} * interval '1 millisecond'
     ORDER BY x.period, x.at, x.tenant_id, x.queue, x.kind
    ON CONFLICT (period, at, tenant_id, queue, kind) DO UPDATE SET
      ${sql.join(counters.map((name) => sql`${sql.id(name)} = s.${sql.id(name)} + EXCLUDED.${sql.id(name)}`))},
      ${addedBuckets('wait_buckets')}, ${addedBuckets('run_buckets')}`)
}

function addedBuckets(name: string) {
  const [before, added] = [sql`s.${sql.id(name)}`, sql`EXCLUDED.${sql.id(name)}`]
  return sql`${sql.id(name)} = CASE WHEN ${added} = '{}' THEN ${before} WHEN ${before} = '{}' THEN ${added} ELSE (
        SELECT jsonb_object_agg(b.key, b.count) FROM (
          SELECT e.key, sum(e.value::bigint) AS count
            FROM (SELECT * FROM jsonb_each(${before}) UNION ALL SELECT * FROM jsonb_each(${added})) AS e
           GROUP BY e.key) AS b) END`
}

/** The name of the series of a queue and a kind. Neither contains a slash. */
export function seriesOf({ queue, kind }: { readonly queue: string; readonly kind: string }): string {
  return `${queue}/${kind}`
}

/**
 * The series that are counted separately, with `requested` ones added while there is room. A series that no process has
 * requested for as long as its statistics are kept makes room.
 *
 * All series are in one row, so that concurrent requests keep to the maximum: each decides on the row as the previous
 * one has left it.
 */
export async function separateSeries(
  database: QueueDatabase,
  requested: readonly string[],
): Promise<ReadonlySet<string>> {
  const { names } = database
  const today = sql`floor(extract(epoch FROM now()) / 86400::numeric)::integer`
  const merged = (known: ReturnType<typeof sql>) => sql`(
      SELECT jsonb_object_agg(n.name, n.day) FROM (
        SELECT e.name, max(e.day) AS day, bool_or(e.known) AS known FROM (
          SELECT o.key AS name, o.value::integer AS day, true AS known FROM jsonb_each(${known}) AS o
           WHERE o.value::integer >= ${today} - ${sql.lit(statsHoursKeptMs / 86_400_000)}
          UNION ALL SELECT w.name, ${today}, false FROM unnest(${requested}::text[]) AS w (name)
        ) AS e GROUP BY e.name ORDER BY known DESC, e.name LIMIT ${sql.lit(statsSeriesMax)}
      ) AS n)`
  const rows = await database.run(sql<{ names: string }>`
    INSERT INTO ${names.statsSeries} AS s (last_used) SELECT ${merged(sql`'{}'::jsonb`)}
    ON CONFLICT (id) DO UPDATE SET last_used = ${merged(sql`s.last_used`)}
    RETURNING (SELECT coalesce(json_agg(o.key), '[]') FROM jsonb_each(s.last_used) AS o)::text AS names`)
  return new Set(rows.flatMap((row) => JSON.parse(row.names) as string[]))
}
