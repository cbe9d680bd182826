import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import type { QueueDatabase } from '../database/connect.ts'
import { decodeJob, type JobRow, jobColumns } from '../database/job-row.ts'
import { QueueError } from '../domain/errors.ts'
import type { Job } from '../domain/job.ts'
import { parseOrThrow } from '../domain/job-definition.ts'
import type { OptionsOf } from '../domain/options-of.ts'
import { isJobId, createdMsOf } from '../domain/job-id.ts'
import { listLimitDefault, listLimitMax, listScanRowsMax } from '../domain/limits.ts'
import {
  aboveEveryId,
  type CheckedJobFilter,
  idBounds,
  idsOf,
  type IndexScan,
  type JobFilter,
  jobFilterFields,
  restOfList,
  type Scanned,
  scanOf,
} from './job-filter.ts'
import type { MetadataScan } from './metadata-scan.ts'
import { pageRows, withinPageSize } from './page-size.ts'

const pageFields = {
  /** Jobs on one page at most, 1 to 200. Default 50. */
  limit: z.int().min(1).max(listLimitMax).optional(),
  /** Where the page begins: the `nextCursor` of the one before. Default: at the newest job. */
  cursor: z.string().optional(),
}
const listFilterSchema = z.strictObject({ ...jobFilterFields, ...pageFields })

/** All conditions hold at once. */
export type ListFilter = JobFilter & OptionsOf<typeof pageFields>

export interface JobPage {
  /** Newest first. */
  readonly jobs: readonly Job[]
  /** Where the next page begins; null when there is none. A page may be short, even empty, and still have one. */
  readonly nextCursor: string | null
  /** How far the page has looked, where it has read as many rows as it may; null where that did not end it. */
  readonly scanned: Scanned | null
}

/**
 * One page of jobs, newest first, by id: id order is creation order. The cursor is the last id seen, so pages stay
 * right while jobs are written: one that changes its state between two pages may be on neither, and no job that keeps
 * it is missed or comes twice.
 *
 * A filter that an index serves (waiting, failed and cancelled states; a tenant; metadata) reads what it returns; one of what runs,
 * or of a worker, all that runs there.
 * Any other reads at most `listScanRowsMax` rows by id and goes on from there at the next page. A page ends as soon as its
 * payloads, results and errors come to `listPageBytesMax`.
 *
 * Throws `invalid_options` for a bad filter and `invalid_cursor` for a cursor that is not one of ours.
 */
export async function listJobs(database: QueueDatabase, filter: ListFilter = {}): Promise<JobPage> {
  const {
    limit = listLimitDefault,
    cursor,
    ...checked
  } = parseOrThrow(listFilterSchema, filter, 'invalid_options')
  const scan = scanOfPage(database, checked, cursor)
  const isOneIndex = scan.ids === undefined && (scan.byId || scan.rest === undefined)
  const statement = isOneIndex ? pageStatement : pageOfIdsStatement
  const rows = await database.run(statement(database, scan, limit))
  const found = rows.filter((row) => row.id !== null)
  const jobs = found.slice(0, limit).map(decodeJob)
  const isCut = (rows[0]?.page_rows ?? 0) > jobs.length
  const scanEnd = isCut ? null : (rows[0]?.scan_end ?? null)
  const last = isCut ? jobs.at(-1)?.id : scanEnd
  return {
    jobs,
    nextCursor: last === undefined || last === null ? null : encodeCursor(last),
    scanned: scanEnd === null ? null : { rows: listScanRowsMax, backTo: new Date(createdMsOf(scanEnd)) },
  }
}

type PageRow = { readonly scan_end: string | null; readonly page_rows: number } & (
  | JobRow
  | { readonly id: null }
)

interface Scan extends IndexScan {
  /** Conditions that are tested on each row read, as `s`; undefined when the index serves them all. */
  readonly rest: RawBuilder<unknown> | undefined
  /** What gives the ids in place of an index of the jobs. */
  readonly ids?: MetadataScan | undefined
}

function scanOfPage(database: QueueDatabase, filter: CheckedJobFilter, cursor?: string): Scan {
  const own = { ...filter, tenantId: database.scope?.tenantId ?? filter.tenantId }
  const bounds = idBounds(own, cursor === undefined ? aboveEveryId : decodeCursor(cursor))
  const rest = restOfList(database, own)
  return {
    ...scanOf(database, own, bounds),
    ids: idsOf(database, own, bounds),
    rest: rest.length === 0 ? undefined : sql.join(rest, sql` AND `),
  }
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

function encodeCursor(id: string): string {
  return Buffer.from(id.replaceAll('-', ''), 'hex').toString('base64url')
}

function decodeCursor(cursor: string): string {
  const hex = Buffer.from(cursor, 'base64url').toString('hex')
  const id = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
  if (isJobId(id) && encodeCursor(id) === cursor) return id
  throw new QueueError('invalid_cursor', 'the cursor is not one that a list has returned')
}
