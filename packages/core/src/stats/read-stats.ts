import { epochMs } from '@queue/postgres'
import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import type { QueueDatabase } from '../database/connect.ts'
import { isWithin } from '../database/scope.ts'
import { type Percentiles, percentilesOf } from '../domain/histogram.ts'
import { jobFields } from '../domain/job.ts'
import { parseOrThrow } from '../domain/job-definition.ts'
import { statsHoursKeptMs, statsMinutesKeptMs } from '../domain/limits.ts'
import type { OptionsOf } from '../domain/options-of.ts'
import { type Counter, counters, noCounts } from './add-counts.ts'

/** How far the numbers of one point reach. */
export const statsSteps = ['minute', 'hour', 'day'] as const

export type StatsStep = (typeof statsSteps)[number]

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

/** What has happened to the jobs of one queue and kind. */
export interface StatsSeries extends Counts {
  /** Null, as the kind: all beyond those that are kept apart. */
  readonly queue: string | null
  readonly kind: string | null
}

/** The numbers of a time. Up to the last ten seconds of them may be missing still. */
export interface Stats {
  /** When the first step began: no earlier than numbers are kept. */
  readonly from: Date
  readonly to: Date
  readonly step: StatsStep
  /** One for each step, also where nothing has happened. */
  readonly points: readonly StatsPoint[]
  readonly total: Counts
  /** By queue and kind, those with numbers. */
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

/**
 * What has happened to jobs over time, from the counts that processes have added. It reads the rows of its time, at most
 * `statsSeriesMax` and one for each minute or hour, and no job. Throws `invalid_options` for a bad query.
 */
export async function readStats(database: QueueDatabase, query: StatsQuery = {}): Promise<Stats> {
  const asked = parseOrThrow(statsQuerySchema, query, 'invalid_options')
  const { step = 'minute' } = asked
  const rows = await database.run(statement(database, { ...asked, step }))
  const decoded = rows.map((row) => ({ row, counts: decodeCounts(row) }))
  const { low = 0, high = 0 } = rows[0] ?? {}
  const total = decoded.find(({ row }) => row.at === null && row.queue === null)?.counts ?? nothing
  const points = new Map(decoded.flatMap(({ row, counts }) => (row.at === null ? [] : [[row.at, counts]])))
  const instants = Array.from(
    { length: Math.max(0, Math.ceil((high - low) / steps[step].ms)) },
    (_, index) => low + index * steps[step].ms,
  )
  return {
    from: new Date(low),
    to: new Date(high),
    step,
    points: instants.map((at) => ({ at: new Date(at), ...(points.get(at) ?? nothing) })),
    total,
    series: decoded.flatMap(({ row, counts }) => {
      const { queue, kind } = row
      return row.at === null && queue !== null
        ? [{ queue: queue || null, kind: kind || null, ...counts }]
        : []
    }),
  }
}

const nothing: Counts = { ...noCounts, waitMs: null, runMs: null }

type Asked = z.output<typeof statsQuerySchema> & { readonly step: StatsStep }

/** The sums by instant, by queue and kind, and of everything: a row for each, told apart by what is null. */
function statement(database: QueueDatabase, asked: Asked): RawBuilder<Row> {
  const { period, keptMs, shownMs } = steps[asked.step]
  const unit = sql.lit(asked.step)
  const sums = counters.map((name) => sql`coalesce(sum(p.${sql.id(name)}), 0)::text AS ${sql.id(name)}`)
  const ms = (count: number) => sql`${sql.lit(count)} * interval '1 millisecond'`
  const low = sql`(SELECT b.low FROM bounds AS b)`
  const high = sql`(SELECT b.high FROM bounds AS b)`
  return sql<Row>`
    WITH bounds AS MATERIALIZED (
      SELECT date_trunc(${unit}, greatest(coalesce(${asked.from ?? null}::timestamptz, u.until - ${ms(shownMs)}),
               now() - ${ms(keptMs)}), 'UTC') AS low, u.until AS high
        FROM (SELECT least(coalesce(${asked.to ?? null}::timestamptz, now()), now()) AS until) AS u
    ), picked AS MATERIALIZED (
      SELECT date_trunc(${unit}, s.at, 'UTC') AS at, s.queue, s.kind, s.wait_buckets, s.run_buckets,
             ${sql.join(counters.map((name) => sql.ref(`s.${name}`)))}
        FROM ${database.names.stats} AS s
       WHERE s.period = ${sql.lit(period)} AND s.at >= ${low} AND s.at < ${high}
         AND ${sql.join(conditionsOf(database, asked), sql` AND `)}
    ), sums AS (
      SELECT p.at, p.queue, p.kind, ${sql.join(sums)}
        FROM picked AS p GROUP BY GROUPING SETS ((p.at), (p.queue, p.kind), ())
    ), durations AS (
      SELECT d.at, d.queue, d.kind, json_object_agg(d.bucket, d.count) FILTER (WHERE d.measure = 'wait') AS wait,
             json_object_agg(d.bucket, d.count) FILTER (WHERE d.measure = 'run') AS run
        FROM (SELECT p.at, p.queue, p.kind, e.measure, e.bucket, sum(e.count::bigint) AS count
                FROM picked AS p CROSS JOIN LATERAL (
                       SELECT 'wait', w.* FROM jsonb_each(p.wait_buckets) AS w
                       UNION ALL SELECT 'run', r.* FROM jsonb_each(p.run_buckets) AS r) AS e (measure, bucket, count)
               GROUP BY GROUPING SETS ((p.at, e.measure, e.bucket), (p.queue, p.kind, e.measure, e.bucket),
                 (e.measure, e.bucket))) AS d
       GROUP BY d.at, d.queue, d.kind
    )
    SELECT ${epochMs(low)} AS low, ${epochMs(high)} AS high, ${epochMs(sql`s.at`)} AS at, s.queue, s.kind,
           ${sql.join(counters.map((name) => sql.ref(`s.${name}`)))},
           coalesce(d.wait, '{}')::text AS wait, coalesce(d.run, '{}')::text AS run
      FROM sums AS s LEFT JOIN durations AS d
        ON coalesce(d.at, '-infinity') = coalesce(s.at, '-infinity')
       AND coalesce(d.queue, '/') = coalesce(s.queue, '/') AND coalesce(d.kind, '/') = coalesce(s.kind, '/')
     ORDER BY s.at, s.queue, s.kind`
}

/** Of a tenant where one is asked for, or the caller is bound to one: else of the rows that are about all. */
function conditionsOf(database: QueueDatabase, { queue, kind, tenantId }: Asked): RawBuilder<unknown>[] {
  const within = isWithin(database, 's')
  const isOfTenant = tenantId !== undefined || database.scope?.tenantId !== undefined
  return [
    ...(isOfTenant ? [] : [sql`s.tenant_id = ''`]),
    ...(tenantId === undefined ? [] : [sql`s.tenant_id = ${tenantId}`, sql`s.tenant_id <> ''`]),
    ...(within === undefined ? [] : [within]),
    ...(database.scope?.tenantId === undefined ? [] : [sql`s.tenant_id <> ''`]),
    ...(queue === undefined ? [] : [sql`s.queue = ${queue}`]),
    ...(kind === undefined ? [] : [sql`s.kind = ${kind}`]),
  ]
}

function decodeCounts(row: Row): Counts {
  const numbers = Object.fromEntries(counters.map((name) => [name, Number(row[name])]))
  return {
    ...(numbers as Record<Counter, number>),
    waitMs: percentilesOf(bucketsOf(row.wait)),
    runMs: percentilesOf(bucketsOf(row.run)),
  }
}

function bucketsOf(text: string): ReadonlyMap<number, number> {
  const counts = JSON.parse(text) as Record<string, number>
  return new Map(Object.entries(counts).map(([bucket, count]) => [Number(bucket), count]))
}
