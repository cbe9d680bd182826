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

/** How far the numbers of one point reach. */
export const statsSteps = ['minute', 'hour', 'day'] as const

export type StatsStep = (typeof statsSteps)[number]

/** What the numbers are added up by. */
export const statsGroupings = ['time', 'series', 'queue'] as const

type StatsGrouping = (typeof statsGroupings)[number]

/** Where they come from, how long that is kept, and how much of it is shown where the caller does not say. */
const steps = {
  minute: { ms: 60_000, period: 'minute', keptMs: statsMinutesKeptMs, shownMs: 3_600_000 },
  hour: { ms: 3_600_000, period: 'hour', keptMs: statsHoursKeptMs, shownMs: 86_400_000 },
  day: { ms: 86_400_000, period: 'hour', keptMs: statsHoursKeptMs, shownMs: 30 * 86_400_000 },
} as const

/** What has happened to jobs. */
export interface Counts extends Readonly<Record<Counter, number>> {
  /** How long jobs were due before an attempt began, in milliseconds and within 5 %; null where none began. */
  readonly waitMs: Percentiles | null
  /** How long attempts ran that have ended; null where none has. */
  readonly runMs: Percentiles | null
}

/** What has happened within one step. */
export interface StatsPoint extends Counts {
  /** When the step began. */
  readonly at: Date
}

/** What has happened to the jobs of one queue and kind; by queue, of all its kinds. */
export interface StatsSeries extends Counts {
  /** Null: all beyond those that are kept apart. */
  readonly queue: string | null
  /** Null: of all kinds. */
  readonly kind: string | null
}

/** The numbers of a time. Up to the last ten seconds of them may be missing still. */
export interface Stats {
  /** When the first step began: no earlier than numbers are kept. */
  readonly from: Date
  readonly to: Date
  readonly step: StatsStep
  /** By time: one for each step, also where nothing has happened. Else none. */
  readonly points: readonly StatsPoint[]
  readonly total: Counts
  /** By series: each queue and kind with numbers. By queue: each queue. By time: none. */
  readonly series: readonly StatsSeries[]
}

const statsQueryFields = {
  /** Of this queue. Default: of every queue. */
  queue: jobFields.queue.optional(),
  /** Of this kind. Default: of every kind. */
  kind: jobFields.kind.optional(),
  /** Of this tenant. Default: of every tenant, and of none. */
  tenantId: jobFields.tenantId.optional(),
  /** From the step that holds this instant. Default: an hour by minutes, a day by hours, 30 days by days. */
  from: z.date().optional(),
  /** Up to this instant. Default: now. */
  to: z.date().optional(),
  /** How far each point reaches. Minutes are kept for 48 hours, hours for 90 days. Default: `minute`. */
  step: z.enum(statsSteps).optional(),
  /**
   * What they are added up by: `time`, for a point of each step; `queue`, for each queue over the whole time, which reads a row of each of
   * them for each minute or hour; or `series`, for each queue and kind, which reads one of each of these. Default: `time`.
   */
  by: z.enum(statsGroupings).optional(),
}
const statsQuerySchema = z.strictObject(statsQueryFields)

/** All conditions hold at once. */
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

/** Counts as they can be added up. */
interface Summed {
  readonly numbers: Readonly<Record<Counter, number>>
  readonly wait: Buckets
  readonly run: Buckets
}

/**
 * What has happened to jobs over time, from the counts that processes have added. By time it reads one row for each minute or hour,
 * of all series or of those of a queue, and of a kind one for each of its queues; by queue and by series at most `statsSeriesMax`
 * for each. It reads no job. Throws `invalid_options` for a bad query.
 */
export async function readStats(database: QueueDatabase, query: StatsQuery = {}): Promise<Stats> {
  const asked = parseOrThrow(statsQuerySchema, query, 'invalid_options')
  const { step = 'minute', by = 'time' } = asked
  const rows = await database.run(statement(database, { ...asked, step, by }))
  const { low = 0, high = 0 } = rows[0] ?? {}
  const found = rows.flatMap((row) => (row.at === null ? [] : [{ row, at: row.at, sums: decodeSums(row) }]))
  const points = new Map(found.map(({ at, sums }) => [at, countsOf(sums)]))
  const instants = Array.from(
    { length: by === 'time' ? Math.max(0, Math.ceil((high - low) / steps[step].ms)) : 0 },
    (_, index) => low + index * steps[step].ms,
  )
  return {
    from: new Date(low),
    to: new Date(high),
    step,
    points: instants.map((at) => ({ at: new Date(at), ...(points.get(at) ?? nothing) })),
    total: countsOf(addedUp(found.map(({ sums }) => sums))),
    series: (by === 'time' ? [] : found).map(({ row, sums }) => ({
      queue: row.queue || null,
      kind: row.kind || null,
      ...countsOf(sums),
    })),
  }
}

const nothing: Counts = { ...noCounts, waitMs: null, runMs: null }

type Asked = z.output<typeof statsQuerySchema> & { readonly step: StatsStep; readonly by: StatsGrouping }

/** The sums of each step, or of each series: in any case at least one row, which says where they begin and end. */
function statement(database: QueueDatabase, asked: Asked): RawBuilder<Row> {
  const { period, keptMs, shownMs } = steps[asked.step]
  const unit = sql.lit(asked.step)
  const sums = counters.map((name) => sql`sum(p.${sql.id(name)})::text AS ${sql.id(name)}`)
  const ms = (count: number) => sql`${sql.lit(count)} * interval '1 millisecond'`
  const low = sql`(SELECT b.low FROM bounds AS b)`
  const high = sql`(SELECT b.high FROM bounds AS b)`
  const group = {
    time: sql`date_trunc(${unit}, s.at, 'UTC') AS at, '' AS queue, '' AS kind`,
    queue: sql`${low} AS at, s.queue, '' AS kind`,
    series: sql`${low} AS at, s.queue, s.kind`,
  }[asked.by]
  return sql<Row>`
    WITH bounds AS MATERIALIZED (
      SELECT date_trunc(${unit}, greatest(coalesce(${asked.from ?? null}::timestamptz, u.until - ${ms(shownMs)}),
               now() - ${ms(keptMs)}), 'UTC') AS low, u.until AS high
        FROM (SELECT least(coalesce(${asked.to ?? null}::timestamptz, now()), now()) AS until) AS u
    ), picked AS MATERIALIZED (
      SELECT ${group}, s.wait_buckets, s.run_buckets,
             ${sql.join(counters.map((name) => sql.ref(`s.${name}`)))}
        FROM ${database.names.stats} AS s
       WHERE s.period = ${sql.lit(period)} AND s.at >= ${low} AND s.at < ${high}
         AND ${sql.join(conditionsOf(database, asked), sql` AND `)}
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

/** Of a tenant where one is asked for, or the caller is bound to one: else of the rows that are about all. */
function conditionsOf(database: QueueDatabase, { queue, kind, tenantId, by }: Asked): RawBuilder<unknown>[] {
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
    // By queue, those beyond the series that are kept apart have no queue.
    isSummed && by === 'queue'
      ? sql`s.kind IN (${sql.lit(allOf)}, '')`
      : isSummed
        ? sql`s.kind = ${sql.lit(allOf)}`
        : sql`s.kind <> ${sql.lit(allOf)}`,
    ...(queue === undefined ? [] : [sql`s.queue = ${queue}`]),
    ...(kind === undefined ? [] : [sql`s.kind = ${kind}`]),
  ]
}

function decodeSums(row: Row): Summed {
  const numbers = Object.fromEntries(counters.map((name) => [name, Number(row[name])]))
  return {
    numbers: numbers as Record<Counter, number>,
    wait: bucketsOf(row.wait),
    run: bucketsOf(row.run),
  }
}

function addedUp(sums: readonly Summed[]): Summed {
  const numbers: Record<Counter, number> = { ...noCounts }
  const [wait, run] = [new Map<number, number>(), new Map<number, number>()]
  for (const one of sums) {
    for (const name of counters) numbers[name] += one.numbers[name]
    for (const [bucket, count] of one.wait) wait.set(bucket, (wait.get(bucket) ?? 0) + count)
    for (const [bucket, count] of one.run) run.set(bucket, (run.get(bucket) ?? 0) + count)
  }
  return { numbers, wait, run }
}

function countsOf({ numbers, wait, run }: Summed): Counts {
  return { ...numbers, waitMs: percentilesOf(wait), runMs: percentilesOf(run) }
}

function bucketsOf(text: string): Buckets {
  const counts = JSON.parse(text) as Record<string, number>
  return new Map(Object.entries(counts).map(([bucket, count]) => [Number(bucket), count]))
}
