// The failures of causes within a time, from the hours in which they were counted: how many, and when.
import { epochMs } from '@queue/postgres'
import { type RawBuilder, sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'
import { errorHoursKeptMs, errorTrendPointsMax, errorVersionsMax } from '../domain/limits.ts'

/** A time of which failures are counted, in whole hours. */
export interface ErrorRange {
  /** When the first point of each trend begins: no earlier than hours are kept, 30 days. */
  readonly from: Date
  readonly to: Date
  /** How far each point of a trend reaches: a whole number of hours, so that there are at most 48 points. */
  readonly stepMs: number
}

/** Failures over time. */
export interface ErrorTrend {
  readonly count: number
  /** How many of them are of each step, the oldest first. */
  readonly trend: readonly number[]
}

/** Those that workers of one version saw. */
export interface ErrorTrendOfVersion extends ErrorTrend {
  /** Null: of the versions beyond the 10 that saw most, and of workers that were forgotten. */
  readonly version: string | null
}

/** The failures of one cause within a time. */
export interface ErrorsInRange extends ErrorTrend {
  /**
   * Of the attempts of its kind and queue that ended in that time, from 0 to 1: of a group with a tenant of those of this tenant,
   * else of all. Null where the numbers do not keep the kind apart.
   */
  readonly share: number | null
  /** By version: each, the one that saw most first. Else none. */
  readonly versions: readonly ErrorTrendOfVersion[]
}

const hourMs = 3_600_000
/** Hours that a point may have: parts of a day, so that the points of a week begin at the same hours each day. */
const stepHours = [1, 2, 3, 4, 6, 12, 24] as const

interface Asked {
  readonly from?: Date | undefined
  readonly to?: Date | undefined
}

/**
 * `bounds`: where the time begins (`low`, at the beginning of a point) and ends (`high`), and how long a point is (`step`). The first
 * point begins up to a step early, and has room for that.
 *
 * Every hour counts of the days from `low` that begin before `whole_until`. Others count in part: those of `cut_days`, which are at
 * most the day in which the time begins, from its `first_hour`, and the day in which it ends, up to its `last_hour`. Today is whole
 * where the time has no end.
 */
export function boundsOf({ from, to }: Asked): RawBuilder<unknown> {
  const points = sql.lit(errorTrendPointsMax - 1)
  const hours = sql.join(stepHours.map((one) => sql.lit(one)))
  return sql`bounds AS MATERIALIZED (
      SELECT b.low, b.high, b.step, least(b.high, date_trunc('day', b.until, 'UTC')) AS whole_until,
             ARRAY[nullif(date_trunc('day', b.low, 'UTC'), b.low), nullif(date_trunc('day', b.until, 'UTC'), b.until)] AS cut_days,
             date_part('hour', b.low AT TIME ZONE 'UTC')::integer + 1 AS first_hour,
             ceil(date_part('epoch', b.high - date_trunc('day', b.high, 'UTC')) / 3600)::integer AS last_hour
        FROM (SELECT date_bin(s.step, r.low, to_timestamp(0)) AS low, r.high, r.until, s.step
                FROM (SELECT greatest(${from ?? null}::timestamptz, now() - ${sql.lit(errorHoursKeptMs)} * interval '1 millisecond') AS low,
                             least(${to ?? null}::timestamptz, now()) AS high,
                             coalesce(${to ?? null}::timestamptz, 'infinity') AS until) AS r
               CROSS JOIN LATERAL (SELECT h.hours * interval '1 hour' AS step FROM unnest(ARRAY[${hours}]) AS h (hours)
                                    WHERE r.low + ${points} * h.hours * interval '1 hour' >= r.high OR h.hours = 24
                                    ORDER BY h.hours LIMIT 1) AS s) AS b
    )`
}

/** The hours of the time, as an array: an index finds all of them in one scan, where a join would descend it for each. */
export const hoursOfRange = sql`ARRAY(SELECT h.at FROM bounds AS b CROSS JOIN generate_series(b.low, b.high, '1 hour') AS h (at) WHERE h.at < b.high)`

/** Whether day `d` has hours of the time `b`. */
const isDayOfRange = sql`d.day > b.low - interval '24 hours' AND d.day < b.high`

/**
 * `(error_id, count)` of each day that has hours of the time. Nearly all days are whole: their bounds are constants of the scan,
 * because a join would cost more than the addition, and hours are added up only of those that are not.
 */
export function countsOfDays({ names }: QueueDatabase): RawBuilder<unknown> {
  return sql`SELECT d.error_id, d.count FROM ${names.errorDays} AS d
         WHERE d.day >= (SELECT b.low FROM bounds AS b) AND d.day < (SELECT b.whole_until FROM bounds AS b)
        UNION ALL
        SELECT d.error_id, (SELECT sum(h) FROM unnest(d.hours[CASE WHEN d.day < b.low THEN b.first_hour ELSE 1 END :
                                                             CASE WHEN d.day >= b.whole_until THEN b.last_hour ELSE 24 END]) AS h)
          FROM bounds AS b CROSS JOIN ${names.errorDays} AS d WHERE d.day = ANY(b.cut_days) AND ${isDayOfRange}`
}

/** `[instant, version, hours]` of each day of group `e` in the time `b`, as the text of an array. */
export function daysOfGroup({ names }: QueueDatabase): RawBuilder<unknown> {
  return sql`(SELECT json_agg(json_build_array(${epochMs(sql`d.day`)}, d.version, d.hours))::text
                FROM ${names.errorDays} AS d WHERE d.error_id = e.id AND ${isDayOfRange})`
}

/** As `daysOfGroup` gives them. */
type Day = readonly [atMs: number, version: string, hours: readonly number[]]

/** The time as the statement gives it. */
export interface RangeRow {
  readonly low: number
  readonly high: number
  readonly step_ms: number
}

export function rangeOf({ low, high, step_ms: stepMs }: RangeRow): ErrorRange {
  return { from: new Date(low), to: new Date(high), stepMs }
}

/** The trend of all days, and that of each version. `days` null: there are none. */
export function trendsOf(days: string | null, range: RangeRow): Omit<ErrorsInRange, 'share'> {
  const parsed = JSON.parse(days ?? '[]') as readonly Day[]
  const trend = trendOf(parsed, range)
  const named = [...Map.groupBy(parsed, ([, version]) => version)]
    .filter(([version]) => version !== '')
    .map(([version, some]) => ({ version, ...counted(trendOf(some, range)) }))
    .toSorted((a, b) => b.count - a.count || (a.version < b.version ? -1 : 1))
    .slice(0, errorVersionsMax)
    .filter(({ count }) => count > 0)
  const others = trend.map((all, index) => all - sum(named.map((one) => one.trend[index] ?? 0)))
  const rest = { version: null, ...counted(others) }
  return { ...counted(trend), versions: rest.count > 0 ? [...named, rest] : named }
}

function counted(trend: readonly number[]): ErrorTrend {
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
