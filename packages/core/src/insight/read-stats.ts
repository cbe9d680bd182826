import { epochMs } from '@queue/postgres'
import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import type { QueueDatabase } from '../database/connect.ts'
import { isWithin } from '../database/scope.ts'
import { type Buckets, type Percentiles, percentilesOf } from '../domain/histogram.ts'
import { jobFields } from '../domain/job.ts'
import { parseOrThrow } from '../domain/job-definition.ts'
import { statsHoursKeptMs, statsMinutesKeptMs } from '../domain/limits.ts'
import type { OptionsOf } from '../domain/options-of.ts'
import { allOf, type Counter, counters, noCounts } from './add-counts.ts'

/** The length of the time that one point covers. */
export const statsSteps = ['minute', 'hour', 'day'] as const

export type StatsStep = (typeof statsSteps)[number]

/** How the statistics are grouped. */
export const statsGroupings = ['time', 'series', 'queue'] as const

type StatsGrouping = (typeof statsGroupings)[number]

/**
 * For each step: its length, the rows that it is computed from, how long these are kept, and the default length of the
 * range.
 */
const steps = {
  minute: { ms: 60_000, period: 'minute', keptMs: statsMinutesKeptMs, shownMs: 3_600_000 },
  hour: { ms: 3_600_000, period: 'hour', keptMs: statsHoursKeptMs, shownMs: 86_400_000 },
  day: { ms: 86_400_000, period: 'hour', keptMs: statsHoursKeptMs, shownMs: 30 * 86_400_000 },
} as const

/** Counts of what happened to jobs. */
export interface Counts extends Readonly<Record<Counter, number>> {
  /** How long jobs were due before an attempt started, in milliseconds and within 5 %; null where none started. */
  readonly waitMs: Percentiles | null
  /** How long ended attempts ran, in milliseconds and within 5 %; null where none ended. */
  readonly runMs: Percentiles | null
}

/** What happened in one step. */
export interface StatsPoint extends Counts {
  /** When the step began. */
  readonly at: Date
}

/** What happened to the jobs of one queue and kind; grouped by queue, of all kinds of the queue. */
export interface StatsSeries extends Counts {
  /** Null: all series that are not counted separately. */
  readonly queue: string | null
  /** Null: all kinds. */
  readonly kind: string | null
}

/** The statistics of a time range. The last ten seconds may still be missing. */
export interface Stats {
  /** When the first step began. Not earlier than statistics are kept. */
  readonly from: Date
  readonly to: Date
  readonly step: StatsStep
  /** Grouped by time: one point for each step, also where nothing happened. Otherwise empty. */
  readonly points: readonly StatsPoint[]
  readonly total: Counts
  /** Grouped by series: each queue and kind with counts. Grouped by queue: each queue. Grouped by time: empty. */
  readonly series: readonly StatsSeries[]
}

const statsQueryFields = {
  /** Jobs of this queue. Default: all queues. */
  queue: jobFields.queue.optional(),
  /** Jobs of this kind. Default: all kinds. */
  kind: jobFields.kind.optional(),
  /** Jobs of this tenant. Default: all tenants, and none. */
  tenantId: jobFields.tenantId.optional(),
  /** From the step that contains this instant. Default: an hour by minutes, a day by hours, 30 days by days. */
  from: z.date().optional(),
  /**
   * Up to the start of the step that contains this instant, so that no later event is counted and adjoining ranges add up.
   * Default, and at most: now, within a step.
   */
  to: z.date().optional(),
  /** The length of each point. Minutes are kept for 48 hours, hours for 90 days. Default: `minute`. */
  step: z.enum(statsSteps).optional(),
  /**
   * The grouping. `time`: a point for each step. `queue`: each queue over the whole range, which reads a row per queue
   * for each minute or hour. `series`: each queue and kind, which reads a row per series for each. Default: `time`.
   */
  by: z.enum(statsGroupings).optional(),
}
const statsQuerySchema = z.strictObject(statsQueryFields)

/** Selects statistics. All conditions must hold. */
export type StatsQuery = OptionsOf<typeof statsQueryFields>

interface Row extends Readonly<Record<Counter, string>> {
  readonly low: number
  readonly high: number
  readonly at: number | null
  readonly queue: string | null
  readonly kind: string | null
  readonly wait: string
  readonly run: string
}

/** Counts that can be added up. */
interface CountSums {
  readonly numbers: Readonly<Record<Counter, number>>
  readonly wait: Buckets
  readonly run: Buckets
}

/**
 * What happened to jobs over time, from the counts that processes have added. Grouped by time it reads one row per
 * minute or hour, of all series or of one queue; filtered by kind, one for each of the kind's queues. Grouped by queue
 * or series it reads at most `statsSeriesMax` rows for each. It reads no job. Throws `invalid_options` for an invalid
 * query.
 */
export async function readStats(database: QueueDatabase, query: StatsQuery = {}): Promise<Stats> {
  const checked = parseOrThrow(statsQuerySchema, query, 'invalid_options')
  const { step = 'minute', by = 'time' } = checked
  const rows = await database.run(statement(database, { ...checked, step, by }))
  const { low = 0, high = 0 } = rows[0] ?? {}
  const groups = rows.flatMap((row) => (row.at === null ? [] : [{ row, at: row.at, sums: decodeSums(row) }]))
  const points = new Map(groups.map(({ at, sums }) => [at, countsOf(sums)]))
  const instants = Array.from(
    { length: by === 'time' ? Math.max(0, Math.ceil((high - low) / steps[step].ms)) : 0 },
    (_, index) => low + index * steps[step].ms,
  )
  return {
    from: new Date(low),
    to: new Date(high),
    step,
    points: instants.map((at) => ({ at: new Date(at), ...(points.get(at) ?? emptyCounts) })),
    total: countsOf(addUp(groups.map(({ sums }) => sums))),
    series: (by === 'time' ? [] : groups).map(({ row, sums }) => ({
      queue: row.queue || null,
      kind: row.kind || null,
      ...countsOf(sums),
    })),
  }
}

const emptyCounts: Counts = { ...noCounts, waitMs: null, runMs: null }

type StatsRequest = z.output<typeof statsQuerySchema> & {
  readonly step: StatsStep
  readonly by: StatsGrouping
}

/** The sums of each step or series, in at least one row, which has the start and the end of the range. */
function statement(database: QueueDatabase, request: StatsRequest): RawBuilder<Row> {
  const { period, keptMs, shownMs } = steps[request.step]
  const unit = sql.lit(request.step)
  const sums = counters.map((name) => sql`sum(p.${sql.id(name)})::text AS ${sql.id(name)}`)
  const ms = (count: number) => sql`${sql.lit(count)}::float8 * interval '1 millisecond'`
  const low = sql`(SELECT b.low FROM bounds AS b)`
  const high = sql`(SELECT b.high FROM bounds AS b)`
  const group = {
    time: sql`date_trunc(${unit}, s.at, 'UTC') AS at, '' AS queue, '' AS kind`,
    queue: sql`${low} AS at, s.queue, '' AS kind`,
    series: sql`${low} AS at, s.queue, s.kind`,
  }[request.by]
  return sql<Row>`
    WITH bounds AS MATERIALIZED (
      SELECT date_trunc(${unit}, greatest(coalesce(${request.from ?? null}::timestamptz, u.until - ${ms(shownMs)}),
               now() - ${ms(keptMs)}), 'UTC') AS low, u.until AS high
        FROM (SELECT CASE WHEN t.end_at < now() THEN date_trunc(${unit}, t.end_at, 'UTC') ELSE now() END AS until
                FROM (SELECT coalesce(${request.to ?? null}::timestamptz, now()) AS end_at) AS t) AS u
    ), picked AS MATERIALIZED (
      SELECT ${group}, s.wait_buckets, s.run_buckets,
             ${sql.join(counters.map((name) => sql.ref(`s.${name}`)))}
        FROM ${database.names.stats} AS s
       WHERE s.period = ${sql.lit(period)} AND s.at >= ${low} AND s.at < ${high}
         AND ${sql.join(conditionsOf(database, request), sql` AND `)}
    ), sums AS (
      SELECT p.at, p.queue, p.kind, ${sql.join(sums)} FROM picked AS p GROUP BY p.at, p.queue, p.kind
    ), durations AS (
      SELECT d.at, d.queue, d.kind, json_object_agg(d.bucket, d.count) FILTER (WHERE d.measure = 'wait') AS wait,
             json_object_agg(d.bucket, d.count) FILTER (WHERE d.measure = 'run') AS run
        FROM (SELECT p.at, p.queue, p.kind, e.measure, e.bucket, sum(e.count::bigint) AS count
                FROM picked AS p CROSS JOIN LATERAL (
                       SELECT 'wait', w.* FROM jsonb_each_text(p.wait_buckets) AS w
                       UNION ALL SELECT 'run', r.* FROM jsonb_each_text(p.run_buckets) AS r) AS e (measure, bucket, count)
               GROUP BY p.at, p.queue, p.kind, e.measure, e.bucket) AS d
       GROUP BY d.at, d.queue, d.kind
    )
    SELECT ${epochMs(sql`b.low`)} AS low, ${epochMs(sql`b.high`)} AS high, ${epochMs(sql`s.at`)} AS at, s.queue, s.kind,
           ${sql.join(counters.map((name) => sql.ref(`s.${name}`)))},
           coalesce(d.wait, '{}')::text AS wait, coalesce(d.run, '{}')::text AS run
      FROM bounds AS b LEFT JOIN sums AS s ON true
      LEFT JOIN durations AS d ON d.at = s.at AND d.queue = s.queue AND d.kind = s.kind
     ORDER BY s.at, s.queue, s.kind`
}

/**
 * The conditions of the rows to add up: the rows of a tenant where one is requested or the caller is bound to one, and
 * otherwise the rows of all tenants.
 */
function conditionsOf(
  database: QueueDatabase,
  { queue, kind, tenantId, by }: StatsRequest,
): RawBuilder<unknown>[] {
  const { scope = {} } = database
  const isOfTenant = tenantId !== undefined || scope.tenantId !== undefined
  const isSummed = by !== 'series' && kind === undefined && scope.kinds === undefined
  const isOfAll = isSummed && by === 'time' && queue === undefined && scope.queues === undefined
  const within = isWithin(database, 's')
  return [
    ...(isOfTenant ? [] : [sql`s.tenant_id = ''`]),
    ...(tenantId === undefined ? [] : [sql`s.tenant_id = ${tenantId}`, sql`s.tenant_id <> ''`]),
    ...(within === undefined ? [] : [within]),
    ...(scope.tenantId === undefined ? [] : [sql`s.tenant_id <> ''`]),
    isOfAll ? sql`s.queue = ${sql.lit(allOf)}` : sql`s.queue <> ${sql.lit(allOf)}`,
    // Grouped by queue, the series that are not counted separately have an empty queue.
    isSummed && by === 'queue'
      ? sql`s.kind IN (${sql.lit(allOf)}, '')`
      : isSummed
        ? sql`s.kind = ${sql.lit(allOf)}`
        : sql`s.kind <> ${sql.lit(allOf)}`,
    ...(queue === undefined ? [] : [sql`s.queue = ${queue}`]),
    ...(kind === undefined ? [] : [sql`s.kind = ${kind}`]),
  ]
}

function decodeSums(row: Row): CountSums {
  const numbers = Object.fromEntries(counters.map((name) => [name, Number(row[name])]))
  return {
    numbers: numbers as Record<Counter, number>,
    wait: bucketsOf(row.wait),
    run: bucketsOf(row.run),
  }
}

function addUp(sums: readonly CountSums[]): CountSums {
  const numbers: Record<Counter, number> = { ...noCounts }
  const [wait, run] = [new Map<number, number>(), new Map<number, number>()]
  for (const part of sums) {
    for (const name of counters) numbers[name] += part.numbers[name]
    for (const [bucket, count] of part.wait) wait.set(bucket, (wait.get(bucket) ?? 0) + count)
    for (const [bucket, count] of part.run) run.set(bucket, (run.get(bucket) ?? 0) + count)
  }
  return { numbers, wait, run }
}

function countsOf({ numbers, wait, run }: CountSums): Counts {
  return { ...numbers, waitMs: percentilesOf(wait), runMs: percentilesOf(run) }
}

function bucketsOf(text: string): Buckets {
  const counts = JSON.parse(text) as Record<string, number>
  return new Map(Object.entries(counts).map(([bucket, count]) => [Number(bucket), count]))
}
