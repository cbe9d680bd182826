import { asText, epochMs } from '@queue/postgres'
import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import { hasFingerprint } from '../database/fingerprint-condition.ts'
import type { QueueDatabase } from '../database/connect.ts'
import { isWithin } from '../database/scope.ts'
import { QueueError } from '../domain/errors.ts'
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

/** What a list of causes begins with: what was seen last, what came last, or what failed most. */
export const errorSorts = ['last', 'first', 'count'] as const

type ErrorSort = (typeof errorSorts)[number]

/** What the trend of a cause is given by. */
export const errorGroupings = ['cause', 'version'] as const

/** Failures of one cause, in one queue and of one tenant. */
export interface ErrorGroup {
  /** What is the same of failures of one cause: of the kind, the error and where it was thrown. */
  readonly fingerprint: string
  readonly tenantId: string | null
  readonly queue: string
  readonly kind: string
  readonly errorClass: string
  /** Attempts that failed so. */
  readonly count: number
  readonly firstSeenAt: Date
  readonly lastSeenAt: Date
  /** The version of the worker that saw it first; null where that was forgotten by then. */
  readonly firstVersion: string | null
  /** The versions of the workers that saw it, at most 10. */
  readonly workerVersions: readonly string[]
  /** A job that failed so, within an hour of the last one; it may be gone. */
  readonly sampleJobId: string
  /** The error of that job, with its stack. */
  readonly sampleError: string
  /** Its failures in the time that was asked for; null where none was. */
  readonly inRange: ErrorsInRange | null
}

const errorFilterFields = {
  /** The failures of one cause, or of several. Default: of every cause. */
  fingerprint: fingerprintsSchema.optional(),
  /** Of this kind. Default: of every kind. */
  kind: jobFields.kind.optional(),
  /** In this queue. Default: in every queue. */
  queue: jobFields.queue.optional(),
  /** Of this tenant. Default: of every tenant, and of none. */
  tenantId: jobFields.tenantId.optional(),
  /**
   * Count the failures since this instant, from the beginning of its hour, and leave out the groups without any. Hours are kept for
   * 30 days; of a longer time than 47 hours the first may come up to a step earlier. Default: with `to`, as long as they are kept;
   * without it, no time.
   */
  from: z.date().optional(),
  /** Count them up to this instant, with its hour. Default: now. */
  to: z.date().optional(),
  /** `version`: the trend in that time also of each version of the workers. Default: `cause`. */
  by: z.enum(errorGroupings).optional(),
  /** `last`: the one that was seen last first. `first`: the one that came last. `count`: the one with most failures in that time, or of all. Default: `last`. */
  sort: z.enum(errorSorts).optional(),
  /** Groups on one page at most, 1 to 200. Default 50. */
  limit: z.int().min(1).max(listLimitMax).optional(),
  /** Where the page begins: the `nextCursor` of the one before, in the same order. Default: at the first. */
  cursor: z.string().optional(),
}
const errorFilterSchema = z.strictObject(errorFilterFields)

/** All conditions hold at once. */
export type ErrorFilter = OptionsOf<typeof errorFilterFields>

export interface ErrorPage {
  readonly groups: readonly ErrorGroup[]
  /** The time of which failures were counted; null where none was asked for. */
  readonly range: ErrorRange | null
  readonly nextCursor: string | null
}

/** A group as it stands. */
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
  readonly sample_job_id: string
  readonly sample_error: string
  readonly position: string
}

/** The same with its days in a time, and the attempts of its kind that ended in it. Where there is no group, the time alone. */
type RangedRow = RangeRow &
  (
    | { readonly fingerprint: null }
    | (GroupRow & { readonly ended: string | null; readonly days: string | null })
  )

/**
 * One page of the groups of failures. It sorts all that there are, at most some ten thousand. Of a time it also reads the days of
 * the groups of the page, and the numbers of each hour of their kinds; in the order of counts, or up to an instant, the days of all
 * groups. A group that is seen again meanwhile may move to another page.
 *
 * Throws `invalid_options` for a bad filter and `invalid_cursor` for a cursor that is bad, or of another order.
 */
export async function listErrors(database: QueueDatabase, filter: ErrorFilter = {}): Promise<ErrorPage> {
  const asked = parseOrThrow(errorFilterSchema, filter, 'invalid_options')
  const { limit = listLimitDefault, from, to } = asked
  if (from === undefined && to === undefined) {
    const rows = await database.run(plainStatement(database, asked))
    return {
      ...pageOf(rows, limit),
      groups: rows.slice(0, limit).map((row) => decodeGroup(row, null)),
      range: null,
    }
  }
  const rows = await database.run(rangedStatement(database, asked))
  const found = rows.flatMap((row) => (row.fingerprint === null ? [] : [row]))
  const [first] = rows
  return {
    ...pageOf(found, limit),
    groups: found.slice(0, limit).map((row) => {
      const { versions, ...trend } = trendsOf(row.days, row)
      const share = shareOf(trend.count, row.ended)
      return decodeGroup(row, { ...trend, share, versions: asked.by === 'version' ? versions : [] })
    }),
    range: first === undefined ? null : rangeOf(first),
  }
}

type Asked = z.output<typeof errorFilterSchema>

function pageOf(rows: readonly GroupRow[], limit: number): Pick<ErrorPage, 'nextCursor'> {
  const last = rows.length > limit ? rows[limit - 1] : undefined
  return { nextCursor: last === undefined ? null : Buffer.from(last.position).toString('base64url') }
}

function plainStatement(database: QueueDatabase, asked: Asked): RawBuilder<GroupRow> {
  return sql<GroupRow>`
    SELECT ${columns}, ${positionIn(asked, sql`e.count`)} AS position
      FROM ${database.names.errors} AS e
     WHERE ${sql.join([...conditionsOf(database, asked), ...isAfter(asked, sql`e.count`)], sql` AND `)}
     ORDER BY ${orderOf(asked, sql`e.count`)} LIMIT ${limitOf(asked)}`
}

/**
 * A group that was last seen since the time began has failures in it, unless that has ended. So failures are added up for all groups
 * only where the time has an end, or the order is by them; those of a page are added up by whoever reads its days.
 */
function rangedStatement(database: QueueDatabase, asked: Asked): RawBuilder<RangedRow> {
  const { names } = database
  const isSummed = asked.to !== undefined || asked.sort === 'count'
  const [count, sortedBy] = [sql`s.count`, sql`e.sorted_by`]
  const conditions = [
    ...conditionsOf(database, asked),
    sql`e.last_seen_at >= b.low`,
    ...(isSummed ? [sql`s.count > 0`] : []),
    ...isAfter(asked, count),
  ]
  return sql<RangedRow>`
    WITH ${boundsOf(asked)}, ${isSummed ? sql`${sumsOfGroups(database, asked)}, ` : sql``}page AS MATERIALIZED (
      SELECT e.*, ${sortOf(asked, count).by} AS sorted_by
        FROM bounds AS b CROSS JOIN ${names.errors} AS e${isSummed ? sql` JOIN sums AS s ON s.id = e.id` : sql``}
       WHERE ${sql.join(conditions, sql` AND `)}
       ORDER BY ${orderOf(asked, count)} LIMIT ${limitOf(asked)}
    ), runs AS MATERIALIZED (
      SELECT k.tenant_id, k.queue, k.kind, n.ended
        FROM (SELECT DISTINCT p.tenant_id, p.queue, p.kind FROM page AS p) AS k CROSS JOIN LATERAL (
          SELECT sum(n.succeeded + n.failed + n.retried) AS ended
            FROM ${names.stats} AS n
           WHERE n.period = 'hour' AND n.at = ANY(${hoursOfRange})
             AND n.tenant_id = k.tenant_id AND n.queue = k.queue AND n.kind = k.kind) AS n
    )
    SELECT ${epochMs(sql`b.low`)} AS low, ${epochMs(sql`b.high`)} AS high, date_part('epoch', b.step) * 1000 AS step_ms,
           ${columns}, ${positionIn(asked, sortedBy)} AS position, ${asText(sql`r.ended`)} AS ended, ${daysOfGroup(database)} AS days
      FROM bounds AS b LEFT JOIN page AS e ON true LEFT JOIN runs AS r USING (tenant_id, queue, kind)
     ORDER BY ${orderOf(asked, sortedBy)}`
}

/** `sums (id, count)`: the failures of each group in the time. */
function sumsOfGroups(database: QueueDatabase, asked: Asked): RawBuilder<unknown> {
  const [always, ...conditions] = conditionsOf(database, asked)
  const ofGroups =
    conditions.length === 0
      ? sql``
      : sql` WHERE d.error_id IN (SELECT e.id FROM ${database.names.errors} AS e WHERE ${sql.join([always, ...conditions], sql` AND `)})`
  return sql`sums AS (
      SELECT d.error_id AS id, sum(d.count)::bigint AS count
        FROM (${countsOfDays(database)}) AS d${ofGroups} GROUP BY d.error_id
    )`
}

const columns = sql`e.fingerprint, e.tenant_id, e.queue, e.kind, e.error_class, ${asText(sql`e.count`)} AS count,
           ${epochMs(sql`e.first_seen_at`)} AS first_seen_at, ${epochMs(sql`e.last_seen_at`)} AS last_seen_at, e.first_version,
           to_json(e.worker_versions)::text AS worker_versions, e.sample_job_id, e.sample_error`

/** Attempts are counted in their processes and added a while later: there may be more failures than that. */
function shareOf(count: number, ended: string | null): number | null {
  return ended === null ? null : count / Math.max(Number(ended), count)
}

function limitOf({ limit = listLimitDefault }: Asked): RawBuilder<unknown> {
  return sql.lit(limit + 1)
}

/** What groups are sorted by, as its column, as its text, and as the type of that. */
function sortOf({ sort = 'last' }: Asked, count: RawBuilder<unknown>) {
  if (sort === 'count') return { sort, by: count, text: asText(count), type: sql`bigint` }
  const by = sort === 'last' ? sql`e.last_seen_at` : sql`e.first_seen_at`
  return {
    sort,
    by,
    text: sql`to_char(${by} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`,
    type: sql`timestamptz`,
  }
}

function orderOf(asked: Asked, count: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`${sortOf(asked, count).by} DESC, ${keyOf} DESC`
}

function positionIn(asked: Asked, count: RawBuilder<unknown>): RawBuilder<unknown> {
  const { sort, text } = sortOf(asked, count)
  return sql`to_json(ARRAY[${sql.lit(sort)}, ${text}, ${keyOf}])::text`
}

function isAfter(asked: Asked, count: RawBuilder<unknown>): RawBuilder<unknown>[] {
  if (asked.cursor === undefined) return []
  const { sort, by, type } = sortOf(asked, count)
  const { value, key } = decodeCursor(asked.cursor, sort)
  return [sql`(${by}, ${keyOf}) < (${value}::${type}, ${key}::text)`]
}

const keyOf = sql`e.fingerprint || ' ' || e.queue || ' ' || e.tenant_id`

function conditionsOf(database: QueueDatabase, { fingerprint, kind, queue, tenantId }: Asked) {
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

function decodeCursor(cursor: string, sort: ErrorSort): { readonly value: string; readonly key: string } {
  try {
    const [, value, key] = positionSchemas[sort].parse(
      JSON.parse(Buffer.from(cursor, 'base64url').toString()),
    )
    const isValue = sort === 'count' || !Number.isNaN(Date.parse(value))
    if (isValue && !key.includes('\u0000') && key.isWellFormed()) return { value, key }
  } catch {
    // It is no cursor of ours.
  }
  throw new QueueError('invalid_cursor', 'the cursor is not one that a list has returned')
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
