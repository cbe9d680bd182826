import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import type { QueueDatabase } from '../database/connect.ts'
import { beyondTenant, isWithin } from '../database/scope.ts'
import { decodeJob, type JobRow, jobColumns } from '../database/job-row.ts'
import type { SchemaNames } from '../database/schema-names.ts'
import { QueueError } from '../domain/errors.ts'
import { type Job, jobFields, type JobStatus, jobStatuses } from '../domain/job.ts'
import { parseOrThrow } from '../domain/job-definition.ts'
import type { OptionsOf } from '../domain/options-of.ts'
import { isJobId, smallestJobIdAt } from '../domain/job-id.ts'
import { listLimitDefault, listLimitMax, listScanRowsMax } from '../domain/limits.ts'
import { conditionsOf, type IdBounds, idsByMetadata, type MetadataScan } from './metadata-scan.ts'
import { pageRows, withinPageSize } from './page-size.ts'

const listFilterFields = {
  /** Jobs in this state. */
  status: z.enum(jobStatuses).optional(),
  /** Jobs of this kind. */
  kind: jobFields.kind.optional(),
  /** Jobs of this queue. */
  queue: jobFields.queue.optional(),
  /** Jobs of this tenant. */
  tenantId: jobFields.tenantId.optional(),
  /** Jobs that have all of these: a number and its text are one. */
  metadata: jobFields.metadata.optional(),
  /** Jobs created at or after this instant, to the millisecond. */
  createdAfter: z.date().optional(),
  /** Jobs created before this instant, to the millisecond. */
  createdBefore: z.date().optional(),
  /** Jobs on one page at most, 1 to 200. Default 50. */
  limit: z.int().min(1).max(listLimitMax).optional(),
  /** Where the page begins: the `nextCursor` of the one before. Default: at the newest job. */
  cursor: z.string().optional(),
}
const listFilterSchema = z.strictObject(listFilterFields)

/** All conditions hold at once. */
export type ListFilter = OptionsOf<typeof listFilterFields>

export interface JobPage {
  /** Newest first. */
  readonly jobs: readonly Job[]
  /** Where the next page begins; null when there is none. A page may be short, even empty, and still have one. */
  readonly nextCursor: string | null
}

/**
 * One page of jobs, newest first, by id: id order is creation order. The cursor is the last id seen, so pages stay
 * right while jobs are written: one that changes its state between two pages may be on neither, and no job that keeps
 * it is missed or comes twice.
 *
 * A filter that an index serves (waiting, running, failed and cancelled states; a tenant; metadata) reads what it returns.
 * Any other reads at most `listScanRowsMax` rows by id and goes on from there at the next page. A page ends as soon as its
 * payloads, results and errors come to `listPageBytesMax`.
 *
 * Throws `invalid_options` for a bad filter and `invalid_cursor` for a cursor that is not one of ours.
 */
export async function listJobs(database: QueueDatabase, filter: ListFilter = {}): Promise<JobPage> {
  const checked = parseOrThrow(listFilterSchema, filter, 'invalid_options')
  const limit = checked.limit ?? listLimitDefault
  const scan = scanOf(database, { ...checked, tenantId: database.scope?.tenantId ?? checked.tenantId })
  const isOneIndex = scan.ids === undefined && (scan.byId || scan.rest === undefined)
  const statement = isOneIndex ? pageStatement : pageOfIdsStatement
  const rows = await database.run(statement(database, scan, limit))
  const found = rows.filter((row) => row.id !== null)
  const jobs = found.slice(0, limit).map(decodeJob)
  const last = (rows[0]?.page_rows ?? 0) > jobs.length ? jobs.at(-1)?.id : rows[0]?.scan_end
  return { jobs, nextCursor: last === undefined || last === null ? null : encodeCursor(last) }
}

type CheckedFilter = z.output<typeof listFilterSchema>

type PageRow = { readonly scan_end: string | null; readonly page_rows: number } & (
  | JobRow
  | { readonly id: null }
)

/** One scan of one index. */
interface Scan {
  /** Conditions on `j` that the index serves. */
  readonly indexed: RawBuilder<unknown>
  /** The order of that index, on the row named `alias`. */
  readonly order: (alias: string) => RawBuilder<unknown>
  /** Conditions that are tested on each row read, as `s`; undefined when the index serves them all. */
  readonly rest: RawBuilder<unknown> | undefined
  /** Whether the index is the primary key's. */
  readonly byId: boolean
  /** What gives the ids, newest first, in place of an index of the jobs. */
  readonly ids?: MetadataScan | undefined
}

/**
 * More rows than are given say that there is a next page: one more than the limit, or those that this page has no room
 * for. A page that is short because its scan had read all that it may goes on after the last row read: `scan_end`, found
 * in the same snapshot, since rows that come or go between two statements would shift it.
 */
function pageStatement({ names }: QueueDatabase, scan: Scan, limit: number): RawBuilder<PageRow> {
  const { indexed, order, rest } = scan
  const source = sql`${names.jobList} AS j WHERE ${indexed} ORDER BY ${order('j')}`
  const scanEnd = sql`CASE WHEN ${pageRows} <= ${limit}
    THEN (SELECT j.id FROM ${source} OFFSET ${sql.lit(listScanRowsMax - 1)} LIMIT 1) END`
  return sql<PageRow>`
    WITH page AS MATERIALIZED (
      SELECT s.* FROM (
        SELECT j.* FROM ${source} LIMIT ${sql.lit(rest === undefined ? limit + 1 : listScanRowsMax)}
      ) AS s
       WHERE ${rest ?? sql`true`} ORDER BY ${order('s')} LIMIT ${sql.lit(limit + 1)}
    )
    SELECT scan.scan_end, scan.page_rows, ${jobColumns('p')}
      FROM (SELECT ${rest === undefined ? sql`NULL::uuid` : scanEnd} AS scan_end, ${pageRows} AS page_rows) AS scan
      LEFT JOIN ${pageOfJobs} AS p ON true
     ORDER BY p.id DESC`
}

/**
 * The same for the index of a state or a tenant, with conditions on top. The planner takes the rows behind a compared key
 * for few, and would read and sort all of them, however many there are, to have the newest; ids alone it takes from the
 * index in their order. Each id is one of the page's rows at most, and the last one that was read is the scan's end. So are
 * the ids that metadata gives.
 */
function pageOfIdsStatement(
  { names }: QueueDatabase,
  { indexed, order, rest, ids }: Scan,
  limit: number,
): RawBuilder<PageRow> {
  const read =
    ids?.(rest === undefined ? limit + 1 : listScanRowsMax) ??
    sql`
        SELECT j.id FROM ${names.jobList} AS j WHERE ${indexed} ORDER BY ${order('j')} LIMIT ${sql.lit(listScanRowsMax)}`
  return sql<PageRow>`
    WITH scan AS MATERIALIZED (
      SELECT ARRAY(${read}
      ) AS ids
    ), page AS MATERIALIZED (
      SELECT s.* FROM ${names.jobs} AS s
       WHERE s.id = ANY((SELECT scan.ids FROM scan)::uuid[]) AND ${rest ?? sql`true`} ORDER BY s.id DESC LIMIT ${sql.lit(limit + 1)}
    )
    SELECT found.scan_end, found.page_rows, ${jobColumns('p')}
      FROM (
        SELECT CASE WHEN ${pageRows} <= ${limit} THEN scan.ids[${sql.lit(listScanRowsMax)}] END AS scan_end,
               ${pageRows} AS page_rows
          FROM scan
      ) AS found
      LEFT JOIN ${pageOfJobs} AS p ON true
     ORDER BY p.id DESC`
}

const pageOfJobs = withinPageSize({
  documents: [sql`page.payload`, sql`page.result`, sql`page.last_error`],
  order: sql`page.id DESC`,
})

/** The index that bounds the scan: that of metadata, else a tenant's, else a state's, else the primary key. */
function scanOf(database: QueueDatabase, filter: CheckedFilter): Scan {
  const { names } = database
  const rest: RawBuilder<unknown>[] = []
  if (filter.kind !== undefined) rest.push(sql`s.kind = ${filter.kind}`)
  if (filter.queue !== undefined) rest.push(sql`s.queue = ${filter.queue}`)
  const { status, tenantId, metadata = {} } = filter
  const bounds = idBounds(filter)
  const ids = idsByMetadata(names, { metadata, tenantId, bounds })
  rest.push(...conditionsOf(metadata))
  const indexedState =
    ids === undefined && tenantId === undefined && status !== undefined && status !== 'succeeded'
  if (status !== undefined && (!indexedState || status === 'running')) {
    rest.push(sql`s.status = ${names.status[status]}`)
  }
  const within = isWithin(beyondTenant(database), 's')
  if (within !== undefined) rest.push(within)
  return {
    ...(indexedState ? byState(names, status, bounds) : byTenantOrId(tenantId, bounds)),
    ...(ids !== undefined && { ids, byId: false }),
    rest: rest.length === 0 ? undefined : sql.join(rest, sql` AND `),
  }
}

const smallestId = '00000000-0000-0000-0000-000000000000'
const aboveEveryId = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

function idBounds({ cursor, createdAfter, createdBefore }: CheckedFilter): IdBounds {
  const cursorId = cursor === undefined ? aboveEveryId : decodeCursor(cursor)
  const before = createdBefore === undefined ? aboveEveryId : smallestJobIdAt(createdBefore.getTime())
  return {
    from: createdAfter === undefined ? smallestId : smallestJobIdAt(createdAfter.getTime()),
    below: cursorId < before ? cursorId : before,
  }
}

/**
 * The key of the index is compared and ordered as a whole. Were its first column merely equal to a value, the order
 * by id would be the primary key's too, and the planner would walk that where it believes the value to be common:
 * through the whole table, when all of it is old.
 */
function keyset(first: RawBuilder<unknown>, value: RawBuilder<unknown>, { from, below }: IdBounds) {
  return sql`(${first}, j.id) >= (${value}, ${from}::uuid) AND (${first}, j.id) < (${value}, ${below}::uuid)`
}

function byState(
  names: SchemaNames,
  status: Exclude<JobStatus, 'succeeded'>,
  bounds: IdBounds,
): Omit<Scan, 'rest'> {
  const { queued, retrying, failed_permanent, cancelled } = names.status
  if (status === 'running') {
    const locked = sql`SELECT r.id FROM ${names.jobs} AS r WHERE r.locked_by IS NOT NULL`
    return {
      ...byTenantOrId(undefined, bounds),
      indexed: sql`j.id = ANY(ARRAY(${locked})) AND ${withinIds(bounds)}`,
    }
  }
  return {
    indexed: sql`j.status IN (${queued}, ${retrying}, ${failed_permanent}, ${cancelled})
      AND ${keyset(sql`j.status`, names.status[status], bounds)}`,
    order: (alias) => sql`${sql.ref(`${alias}.status`)} DESC, ${sql.ref(`${alias}.id`)} DESC`,
    byId: false,
  }
}

function byTenantOrId(tenantId: string | undefined, bounds: IdBounds): Omit<Scan, 'rest'> {
  if (tenantId === undefined) {
    return { indexed: withinIds(bounds), order: (alias) => sql`${sql.ref(`${alias}.id`)} DESC`, byId: true }
  }
  return {
    indexed: sql`j.tenant_id IS NOT NULL AND ${keyset(sql`j.tenant_id`, sql`${tenantId}`, bounds)}`,
    order: (alias) => sql`${sql.ref(`${alias}.tenant_id`)} DESC, ${sql.ref(`${alias}.id`)} DESC`,
    byId: false,
  }
}

function withinIds({ from, below }: IdBounds): RawBuilder<unknown> {
  return sql`j.id >= ${from}::uuid AND j.id < ${below}::uuid`
}

function encodeCursor(id: string): string {
  return Buffer.from(id.replaceAll('-', ''), 'hex').toString('base64url')
}

function decodeCursor(cursor: string): string {
  const hex = Buffer.from(cursor, 'base64url').toString('hex')
  const id = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
  if (isJobId(id) && encodeCursor(id) === cursor) return id
  throw new QueueError('invalid_cursor', 'the cursor is not one that a list has returned')
}
