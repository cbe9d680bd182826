// The failures of error groups in a time range, from the hourly counts: how many, and when.
import { epochMs } from '@queue/postgres'
import { type RawBuilder, sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'
import { errorHoursKeptMs, errorTrendPointsMax, errorVersionsMax } from '../domain/limits.ts'

/** A time range in which failures are counted, in whole hours. */
export interface ErrorRange {
  /** When the first point of each trend begins: at most 30 days ago, as long as hourly counts are kept. */
  readonly from: Date
  readonly to: Date
  /** The length of each point of a trend: the smallest number of hours with which there are at most 48 points. */
  readonly stepMs: number
}

/** Failures over time. */
export interface ErrorTrend {
  readonly count: number
  /** The number of failures in each step, oldest first. */
  readonly trend: readonly number[]
}

/** The failures that workers of one version saw. */
export interface ErrorTrendOfVersion extends ErrorTrend {
  /** Null: the versions beyond the 10 that saw most, and workers that the registry no longer listed. */
  readonly version: string | null
}

/** The failures of an error group in a time range. */
export interface ErrorsInRange extends ErrorTrend {
  /**
   * Their share of the attempts of the same kind and queue that ended in the range, from 0 to 1. For a group with a
   * tenant, only the tenant's attempts count. Null where the statistics do not count the kind separately.
   */
  readonly share: number | null
  /** With `by: 'version'`: each version, the one that saw most failures first. Otherwise empty. */
  readonly versions: readonly ErrorTrendOfVersion[]
}

const hourMs = 3_600_000
/**
 * The number of hours that a point can have. Each divides a day, so that the points of a week begin at the same hours
 * each day.
 */
const stepHours = [1, 2, 3, 4, 6, 12, 24] as const

interface RequestedRange {
  readonly from?: Date | undefined
  readonly to?: Date | undefined
}

/**
 * `bounds`: the start of the range (`low`, at the start of a point), its end (`high`), and the length of a point
 * (`step`). The range may start up to one step early, and its length allows for that.
 *
 * The days from `low` that begin before `whole_until` count as a whole. The `cut_days` count in part: they are at most
 * the day in which the range starts, from its `first_hour`, and the day in which it ends, up to its `last_hour`. Where
 * the range has no end, today counts as a whole.
 */
export function boundsOf({ from, to }: RequestedRange): RawBuilder<unknown> {
  const points = sql.lit(errorTrendPointsMax - 1)
  const hours = sql.join(stepHours.map((count) => sql.lit(count)))
  return sql`bounds AS MATERIALIZED (
      SELECT b.low, b.high, b.step, least(b.high, date_trunc('day', b.until, 'UTC')) AS whole_until,
             ARRAY[nullif(date_trunc('day', b.low, 'UTC'), b.low), nullif(date_trunc('day', b.until, 'UTC'), b.until)] AS cut_days,
             date_part('hour', b.low AT TIME ZONE 'UTC')::integer + 1 AS first_hour,
             ceil(date_part('epoch', b.high - date_trunc('day', b.high, 'UTC')) / 3600::float8)::integer AS last_hour
        FROM (SELECT date_bin(s.step, r.low, to_timestamp(0)) AS low, r.high, r.until, s.step
                FROM (SELECT greatest(${from ?? null}::timestamptz, now() - ${sql.lit(errorHoursKeptMs)}::float8 * interval '1 millisecond') AS low,
                             least(${to ?? null}::timestamptz, now()) AS high,
                             coalesce(${to ?? null}::timestamptz, 'infinity') AS until) AS r
               CROSS JOIN LATERAL (SELECT h.hours::float8 * interval '1 hour' AS step FROM unnest(ARRAY[${hours}]) AS h (hours)
                                    WHERE r.low + (${points} * h.hours)::float8 * interval '1 hour' >= r.high OR h.hours = 24
                                    ORDER BY h.hours LIMIT 1) AS s) AS b
    )`
}

/**
 * The hours of the range, as an array: an index finds all of them in one scan, where a join would descend the index for
 * each.
 */
export const hoursOfRange = sql`ARRAY(SELECT h.at FROM bounds AS b CROSS JOIN generate_series(b.low, b.high, '1 hour') AS h (at) WHERE h.at < b.high)`

/** Whether the day `d` has hours in the range `b`. */
const isDayOfRange = sql`d.day > b.low - interval '24 hours' AND d.day < b.high`

/**
 * `(error_id, count)` of each day with hours in the range. Nearly all days count as a whole: the scan compares them
 * with constants, because a join would cost more than the addition. Only the hours of the other days are added up.
 */
export function countsOfDays({ names }: QueueDatabase): RawBuilder<unknown> {
  return sql`SELECT d.error_id, d.count FROM ${names.errorDays} AS d
         WHERE d.day >= (SELECT b.low FROM bounds AS b) AND d.day < (SELECT b.whole_until FROM bounds AS b)
        UNION ALL
        SELECT d.error_id, (SELECT sum(h) FROM unnest(d.hours[CASE WHEN d.day < b.low THEN b.first_hour ELSE 1 END :
                                                             CASE WHEN d.day >= b.whole_until THEN b.last_hour ELSE 24 END]) AS h)
          FROM bounds AS b CROSS JOIN ${names.errorDays} AS d WHERE d.day = ANY(b.cut_days) AND ${isDayOfRange}`
}

/** `[instant, version, hours]` of each day of the group `e` in the range `b`, as the text of an array. */
export function daysOfGroup({ names }: QueueDatabase): RawBuilder<unknown> {
  return sql`(SELECT json_agg(json_build_array(${epochMs(sql`d.day`)}, d.version, d.hours))::text
                FROM ${names.errorDays} AS d WHERE d.error_id = e.id AND ${isDayOfRange})`
}

/** A day in the result of `daysOfGroup`. */
type Day = readonly [atMs: number, version: string, hours: readonly number[]]

/** The range as the statement returns it. */
export interface RangeRow {
  readonly low: number
  readonly high: number
  readonly step_ms: number
}

export function rangeOf({ low, high, step_ms: stepMs }: RangeRow): ErrorRange {
  return { from: new Date(low), to: new Date(high), stepMs }
}

/** The trend of all days, and that of each version. `days` is null where there are none. */
export function trendsOf(days: string | null, range: RangeRow): Omit<ErrorsInRange, 'share'> {
  const parsed = JSON.parse(days ?? '[]') as readonly Day[]
  const trend = trendOf(parsed, range)
  const byVersion = [...Map.groupBy(parsed, ([, version]) => version)]
    .filter(([version]) => version !== '')
    .map(([version, versionDays]) => ({ version, ...withCount(trendOf(versionDays, range)) }))
    .toSorted((a, b) => b.count - a.count || (a.version < b.version ? -1 : 1))
    .slice(0, errorVersionsMax)
    .filter(({ count }) => count > 0)
  const others = trend.map((all, index) => all - sum(byVersion.map((entry) => entry.trend[index] ?? 0)))
  const rest = { version: null, ...withCount(others) }
  return { ...withCount(trend), versions: rest.count > 0 ? [...byVersion, rest] : byVersion }
}

function withCount(trend: readonly number[]): ErrorTrend {
  return { count: sum(trend), trend }
}

function trendOf(days: readonly Day[], { low, high, step_ms: stepMs }: RangeRow): readonly number[] {
  const length = Math.max(0, Math.ceil((high - low) / stepMs))
  const points = Array.from({ length }, () => 0)
  for (const [dayAtMs, , hours] of days) {
    for (const [hour, count] of hours.entries()) {
      const atMs = dayAtMs + hour * hourMs
      const index = Math.floor((atMs - low) / stepMs)
      const before = points[index]
      if (before !== undefined && atMs < high) points[index] = before + count
    }
  }
  return points
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0)
}
