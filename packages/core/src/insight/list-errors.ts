import { asText, epochMs } from '@queue/postgres'
import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import { hasFingerprint } from '../database/fingerprint-condition.ts'
import { instantText } from '../database/instant.ts'
import type { QueueDatabase } from '../database/connect.ts'
import { decodeCursor, encodeCursor, invalidCursor } from '../database/cursor.ts'
import { isWithin } from '../database/scope.ts'
import { fingerprintsSchema } from '../domain/fingerprint.ts'
import { jobFields } from '../domain/job.ts'
import { parseOrThrow } from '../domain/job-definition.ts'
import { listLimitDefault, listLimitMax } from '../domain/limits.ts'
import type { OptionsOf } from '../domain/options-of.ts'
import {
  boundsOf,
  countsOfDays,
  daysOfGroup,
  type ErrorRange,
  type ErrorsInRange,
  hoursOfRange,
  rangeOf,
  type RangeRow,
  trendsOf,
} from './error-trends.ts'

/**
 * The order of a list of error groups: by when they were last seen, by when they were first seen, or by their number of
 * failures.
 */
export const errorSorts = ['last', 'first', 'count'] as const

type ErrorSort = (typeof errorSorts)[number]

/** Whether trends are given only for each error group, or also for each version. */
export const errorGroupings = ['cause', 'version'] as const

/** An error group: the failures with one fingerprint, in one queue and of one tenant. */
export interface ErrorGroup {
  /** Equal for failures of one kind with the same error, thrown at the same place. */
  readonly fingerprint: string
  readonly tenantId: string | null
  readonly queue: string
  readonly kind: string
  readonly errorClass: string
  /** Number of failed attempts. */
  readonly count: number
  readonly firstSeenAt: Date
  readonly lastSeenAt: Date
  /** The version of the worker that saw it first; null where the registry no longer listed that worker. */
  readonly firstVersion: string | null
  /** The versions of the workers that saw it, at most 10. */
  readonly workerVersions: readonly string[]
  /**
   * A job with this failure, at most an hour older than the last one. It may no longer exist. Null where it was erased:
   * the next failure becomes the sample.
   */
  readonly sampleJobId: string | null
  /** The error of that job, with its stack. */
  readonly sampleError: string
  /** Its failures in the requested time range; null where none was requested. */
  readonly inRange: ErrorsInRange | null
}

const errorFilterFields = {
  /** Failures with this fingerprint, or with one of several. Default: all. */
  fingerprint: fingerprintsSchema.optional(),
  /** Failures of jobs of this kind. Default: all kinds. */
  kind: jobFields.kind.optional(),
  /** Failures in this queue. Default: all queues. */
  queue: jobFields.queue.optional(),
  /** Failures of this tenant. Default: all tenants, and none. */
  tenantId: jobFields.tenantId.optional(),
  /**
   * Counts the failures since the hour of this instant, and leaves out groups without any. Hourly counts are kept for
   * 30 days. A range longer than 47 hours may start up to one step earlier. Default: with `to`, as long as counts are
   * kept; without it, no range.
   */
  from: z.date().optional(),
  /** Counts failures up to this instant, including its hour. Default: now. */
  to: z.date().optional(),
  /** `version`: also returns the trend of each worker version in the range. Default: `cause`. */
  by: z.enum(errorGroupings).optional(),
  /**
   * `last`: by when a group was last seen, newest first. `first`: by when it was first seen, newest first. `count`: by
   * the number of failures in the range, or of all, largest first. Default: `last`.
   */
  sort: z.enum(errorSorts).optional(),
  /** The most groups on one page, 1 to 200. Default 50. */
  limit: z.int().min(1).max(listLimitMax).optional(),
  /** Where the page begins: the `nextCursor` of the previous page, in the same order. Default: at the first group. */
  cursor: z.string().optional(),
}
const errorFilterSchema = z.strictObject(errorFilterFields)

/** Selects error groups, and a page of them. All conditions must hold. */
export type ErrorFilter = OptionsOf<typeof errorFilterFields>

export interface ErrorPage {
  readonly groups: readonly ErrorGroup[]
  /** The range in which failures were counted; null where none was requested. */
  readonly range: ErrorRange | null
  readonly nextCursor: string | null
}

/** The row of an error group. */
interface GroupRow {
  readonly fingerprint: string
  readonly tenant_id: string
  readonly queue: string
  readonly kind: string
  readonly error_class: string
  readonly count: string
  readonly first_seen_at: number
  readonly last_seen_at: number
  readonly first_version: string | null
  readonly worker_versions: string
  readonly sample_job_id: string | null
  readonly sample_error: string
  readonly position: string
}

/**
 * The same with the group's days in the range, and the attempts of its kind that ended in the range. Where there is no
 * group, only the range.
 */
type RangedRow = RangeRow &
  (
    | { readonly fingerprint: null }
    | (GroupRow & { readonly ended: string | null; readonly days: string | null })
  )

/**
 * One page of error groups. It sorts all groups, at most about ten thousand. With a range, it also reads the days of
 * the page's groups and the hourly statistics of their kinds. Sorted by counts, or with an end of the range, it reads
 * the days of all groups. A group that is seen again between two pages may move to another page.
 *
 * Throws `invalid_options` for an invalid filter and `invalid_cursor` for a cursor that is invalid or belongs to
 * another order.
 */
export async function listErrors(database: QueueDatabase, filter: ErrorFilter = {}): Promise<ErrorPage> {
  const checked = parseOrThrow(errorFilterSchema, filter, 'invalid_options')
  const { limit = listLimitDefault, from, to } = checked
  if (from === undefined && to === undefined) {
    const rows = await database.run(plainStatement(database, checked))
    return {
      ...pageOf(rows, limit),
      groups: rows.slice(0, limit).map((row) => decodeGroup(row, null)),
      range: null,
    }
  }
  const rows = await database.run(rangedStatement(database, checked))
  const groupRows = rows.flatMap((row) => (row.fingerprint === null ? [] : [row]))
  const [first] = rows
  return {
    ...pageOf(groupRows, limit),
    groups: groupRows.slice(0, limit).map((row) => {
      const { versions, ...trend } = trendsOf(row.days, row)
      const share = shareOf(trend.count, row.ended)
      return decodeGroup(row, { ...trend, share, versions: checked.by === 'version' ? versions : [] })
    }),
    range: first === undefined ? null : rangeOf(first),
  }
}

type CheckedFilter = z.output<typeof errorFilterSchema>

function pageOf(rows: readonly GroupRow[], limit: number): Pick<ErrorPage, 'nextCursor'> {
  const last = rows.length > limit ? rows[limit - 1] : undefined
  return { nextCursor: last === undefined ? null : encodeCursor('errors', last.position) }
}

function plainStatement(database: QueueDatabase, filter: CheckedFilter): RawBuilder<GroupRow> {
  return sql<GroupRow>`
    SELECT ${columns}, ${positionIn(filter, sql`e.count`)} AS position
      FROM ${database.names.errors} AS e
     WHERE ${sql.join([...conditionsOf(database, filter), ...isAfter(filter, sql`e.count`)], sql` AND `)}
     ORDER BY ${orderOf(filter, sql`e.count`)} LIMIT ${limitOf(filter)}`
}

/**
 * A group that was last seen since the start of the range has failures in the range, unless the range has an end. So
 * failures are added up for all groups only where the range has an end, or the groups are sorted by them. Those of a
 * page come from the days that are read for it.
 */
function rangedStatement(database: QueueDatabase, filter: CheckedFilter): RawBuilder<RangedRow> {
  const { names } = database
  const isSummed = filter.to !== undefined || filter.sort === 'count'
  const [count, sortedBy] = [sql`s.count`, sql`e.sorted_by`]
  const conditions = [
    ...conditionsOf(database, filter),
    sql`e.last_seen_at >= b.low`,
    ...(isSummed ? [sql`s.count > 0`] : []),
    ...isAfter(filter, count),
  ]
  return sql<RangedRow>`
    WITH ${boundsOf(filter)}, ${isSummed ? sql`${sumsOfGroups(database, filter)}, ` : sql``}page AS MATERIALIZED (
      SELECT e.*, ${sortOf(filter, count).by} AS sorted_by
        FROM bounds AS b CROSS JOIN ${names.errors} AS e${isSummed ? sql` JOIN sums AS s ON s.id = e.id` : sql``}
       WHERE ${sql.join(conditions, sql` AND `)}
       ORDER BY ${orderOf(filter, count)} LIMIT ${limitOf(filter)}
    ), runs AS MATERIALIZED (
      SELECT k.tenant_id, k.queue, k.kind, n.ended
        FROM (SELECT DISTINCT p.tenant_id, p.queue, p.kind FROM page AS p) AS k CROSS JOIN LATERAL (
          SELECT sum(n.succeeded + n.failed + n.retried) AS ended
            FROM ${names.stats} AS n
           WHERE n.period = 'hour' AND n.at = ANY(${hoursOfRange})
             AND n.tenant_id = k.tenant_id AND n.queue = k.queue AND n.kind = k.kind) AS n
    )
    SELECT ${epochMs(sql`b.low`)} AS low, ${epochMs(sql`b.high`)} AS high, ${epochMs(sql`b.step`)} AS step_ms,
           ${columns}, ${positionIn(filter, sortedBy)} AS position, ${asText(sql`r.ended`)} AS ended, ${daysOfGroup(database)} AS days
      FROM bounds AS b LEFT JOIN page AS e ON true LEFT JOIN runs AS r USING (tenant_id, queue, kind)
     ORDER BY ${orderOf(filter, sortedBy)}`
}

/** `sums (id, count)`: the failures of each group in the range. */
function sumsOfGroups(database: QueueDatabase, filter: CheckedFilter): RawBuilder<unknown> {
  const [withinScope, ...conditions] = conditionsOf(database, filter)
  const ofGroups =
    conditions.length === 0
      ? sql``
      : sql` WHERE d.error_id IN (SELECT e.id FROM ${database.names.errors} AS e WHERE ${sql.join([withinScope, ...conditions], sql` AND `)})`
  return sql`sums AS (
      SELECT d.error_id AS id, sum(d.count)::bigint AS count
        FROM (${countsOfDays(database)}) AS d${ofGroups} GROUP BY d.error_id
    )`
}

const columns = sql`e.fingerprint, e.tenant_id, e.queue, e.kind, e.error_class, ${asText(sql`e.count`)} AS count,
           ${epochMs(sql`e.first_seen_at`)} AS first_seen_at, ${epochMs(sql`e.last_seen_at`)} AS last_seen_at, e.first_version,
           to_json(e.worker_versions)::text AS worker_versions, e.sample_job_id, e.sample_error`

/**
 * The share of failures among the ended attempts. Processes add their counts of attempts a while later, so failures may
 * exceed them.
 */
function shareOf(count: number, ended: string | null): number | null {
  return ended === null ? null : count / Math.max(Number(ended), count)
}

function limitOf({ limit = listLimitDefault }: CheckedFilter): RawBuilder<unknown> {
  return sql.lit(limit + 1)
}

/** The value by which groups are sorted: as a column, as its text, and the type of that text. */
function sortOf({ sort = 'last' }: CheckedFilter, count: RawBuilder<unknown>) {
  if (sort === 'count') return { sort, by: count, text: asText(count), type: sql`bigint` }
  const by = sort === 'last' ? sql`e.last_seen_at` : sql`e.first_seen_at`
  return {
    sort,
    by,
    text: instantText(by),
    type: sql`timestamptz`,
  }
}

function orderOf(filter: CheckedFilter, count: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`${sortOf(filter, count).by} DESC, ${keyOf} DESC`
}

function positionIn(filter: CheckedFilter, count: RawBuilder<unknown>): RawBuilder<unknown> {
  const { sort, text } = sortOf(filter, count)
  return sql`to_json(ARRAY[${sql.lit(sort)}, ${text}, ${keyOf}])::text`
}

function isAfter(filter: CheckedFilter, count: RawBuilder<unknown>): RawBuilder<unknown>[] {
  if (filter.cursor === undefined) return []
  const { sort, by, type } = sortOf(filter, count)
  const { value, key } = positionOf(filter.cursor, sort)
  return [sql`(${by}, ${keyOf}) < (${value}::${type}, ${key}::text)`]
}

const keyOf = sql`e.fingerprint || ' ' || e.queue || ' ' || e.tenant_id`

function conditionsOf(database: QueueDatabase, { fingerprint, kind, queue, tenantId }: CheckedFilter) {
  const within = isWithin(database, 'e')
  const conditions: RawBuilder<unknown>[] = [within ?? sql`true`]
  if (fingerprint !== undefined) conditions.push(hasFingerprint(sql`e.fingerprint`, fingerprint))
  if (kind !== undefined) conditions.push(sql`e.kind = ${kind}`)
  if (queue !== undefined) conditions.push(sql`e.queue = ${queue}`)
  if (tenantId !== undefined) conditions.push(sql`e.tenant_id = ${tenantId}`)
  return conditions
}

const keySchema = z.string().max(512)
const instantSchema = z.string().regex(/^\d{4}-\d\d-\d\dT[\d:.]{15}Z$/)
const positionSchemas = {
  last: z.tuple([z.literal('last'), instantSchema, keySchema]),
  first: z.tuple([z.literal('first'), instantSchema, keySchema]),
  count: z.tuple([z.literal('count'), z.string().regex(/^\d{1,18}$/), keySchema]),
} as const satisfies Record<ErrorSort, z.ZodType>

function positionOf(cursor: string, sort: ErrorSort): { readonly value: string; readonly key: string } {
  try {
    const [, value, key] = positionSchemas[sort].parse(JSON.parse(decodeCursor('errors', cursor)))
    const isValue = sort === 'count' || !Number.isNaN(Date.parse(value))
    if (isValue && !key.includes('\u0000') && key.isWellFormed()) return { value, key }
  } catch {
    // Not a cursor that a list has returned.
  }
  throw invalidCursor()
}

function decodeGroup(row: GroupRow, inRange: ErrorsInRange | null): ErrorGroup {
  return {
    fingerprint: row.fingerprint,
    tenantId: row.tenant_id === '' ? null : row.tenant_id,
    queue: row.queue,
    kind: row.kind,
    errorClass: row.error_class,
    count: Number(row.count),
    firstSeenAt: new Date(row.first_seen_at),
    lastSeenAt: new Date(row.last_seen_at),
    firstVersion: row.first_version,
    workerVersions: JSON.parse(row.worker_versions) as string[],
    sampleJobId: row.sample_job_id,
    sampleError: row.sample_error,
    inRange,
  }
}
