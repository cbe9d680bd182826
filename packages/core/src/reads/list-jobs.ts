import { decodeInTurns } from '@queue/postgres'
import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import { isOneOf } from '../database/archive.ts'
import type { QueueDatabase } from '../database/connect.ts'
import { invalidCursor } from '../database/cursor.ts'
import { decodeJob, type JobRow, jobColumns } from '../database/job-row.ts'
import type { Job } from '../domain/job.ts'
import { parseOrThrow } from '../domain/job-definition.ts'
import type { OptionsOf } from '../domain/options-of.ts'
import { isJobId, createdMsOf } from '../domain/job-id.ts'
import {
  createdBeforeScanRowsMax,
  listLimitDefault,
  listLimitMax,
  listScanRowsMax,
} from '../domain/limits.ts'
import {
  aboveEveryId,
  type CheckedJobFilter,
  idBounds,
  metadataScanOf,
  type IndexScan,
  orderedScan,
  type JobFilter,
  jobFilterFields,
  listConditions,
  type Scanned,
  scanOf,
} from './job-filter.ts'
import type { MetadataScan } from './metadata-scan.ts'
import { pageRows, withinPageSize } from './page-size.ts'

const pageFields = {
  /** The most jobs on one page, 1 to 200. Default 50. */
  limit: z.int().min(1).max(listLimitMax).optional(),
  /** Where the page begins: the `nextCursor` of the previous page. Default: at the newest job. */
  cursor: z.string().optional(),
}
const listFilterSchema = z.strictObject({ ...jobFilterFields, ...pageFields })

/** Selects jobs, and a page of them. All conditions must hold. */
export type ListFilter = JobFilter & OptionsOf<typeof pageFields>

export interface JobPage {
  /** Newest first. */
  readonly jobs: readonly Job[]
  /** Where the next page begins; null when there is none. A page may be short, or even empty, and still have a next one. */
  readonly nextCursor: string | null
  /** How far the scan got, where it ended because it had read the most rows that a page may read; null otherwise. */
  readonly scanned: Scanned | null
}

/**
 * One page of jobs, newest first, which is the order of the ids. The cursor is the last id that was read, so pages stay
 * consistent while jobs are written: no job that keeps its state is missing or comes twice. A job that changes its
 * state between two pages may be on neither.
 *
 * A filter with an index (waiting, failed and cancelled states; a tenant; metadata) reads the rows that it returns. A
 * filter by running jobs or by a worker reads all jobs that run there. Any other filter reads at most `listScanRowsMax`
 * rows by id, and the next page continues there. A page ends as soon as its payloads, results and errors come to
 * `listPageBytesMax`.
 *
 * Throws `invalid_options` for an invalid filter and `invalid_cursor` for a cursor that no list has returned.
 */
export async function listJobs(database: QueueDatabase, filter: ListFilter = {}): Promise<JobPage> {
  const {
    limit = listLimitDefault,
    cursor,
    ...checked
  } = parseOrThrow(listFilterSchema, filter, 'invalid_options')
  const scan = scanOfPage(database, checked, cursor)
  const isOneIndex = scan.metadataIds === undefined && (scan.byId || scan.conditions === undefined)
  const statement = isOneIndex ? pageStatement : pageOfIdsStatement
  const rows = await database.run(statement(database, scan, limit))
  const jobRows = rows.filter((row) => row.id !== null)
  const jobs = await decodeInTurns(jobRows.slice(0, limit), decodeJob)
  const isCut = (rows[0]?.page_rows ?? 0) > jobs.length
  const scanEnd = isCut ? null : (rows[0]?.scan_end ?? null)
  const last = isCut ? jobs.at(-1)?.id : scanEnd
  return {
    jobs,
    nextCursor: last === undefined || last === null ? null : encodeCursor(last),
    scanned:
      scanEnd === null
        ? null
        : {
            rows: isOneIndex ? scan.rowsMax : scannedIdsMax(scan, limit),
            backTo: new Date(createdMsOf(scanEnd)),
          },
  }
}

type PageRow = { readonly scan_end: string | null; readonly page_rows: number } & (
  | JobRow
  | { readonly id: null }
)

interface Scan extends IndexScan {
  /** The conditions that are tested on each row, named `s`; undefined where the index serves them all. */
  readonly conditions: RawBuilder<unknown> | undefined
  /** The most rows that are read and tested. */
  readonly rowsMax: number
  /** The scan of ids by metadata, in place of an index of jobs. */
  readonly metadataIds?: MetadataScan | undefined
}

function scanOfPage(database: QueueDatabase, filter: CheckedJobFilter, cursor?: string): Scan {
  const scoped = { ...filter, tenantId: database.scope?.tenantId ?? filter.tenantId }
  const bounds = idBounds(scoped, cursor === undefined ? aboveEveryId : decodeCursor(cursor))
  const conditions = listConditions(database, scoped)
  const isCreatedBefore = scoped.createdBefore !== undefined && conditions.length === 1
  return {
    rowsMax: isCreatedBefore ? createdBeforeScanRowsMax : listScanRowsMax,
    ...scanOf(database, scoped, bounds),
    metadataIds: metadataScanOf(database, scoped, bounds),
    conditions: conditions.length === 0 ? undefined : sql.join(conditions, sql` AND `),
  }
}

/**
 * A page reads more rows than it returns where there is a next page: one more than the limit, or the rows that did not
 * fit into its size. A page that is short because its scan had read the most rows that it may continues after the last
 * row read: `scan_end`. That row comes from the same snapshot, because rows that are written or removed between two
 * statements would shift it.
 */
function pageStatement({ names }: QueueDatabase, scan: Scan, limit: number): RawBuilder<PageRow> {
  const { indexed, order, conditions, rowsMax } = scan
  const ordered = (columns: RawBuilder<unknown>, max: number) =>
    orderedScan(names, { columns, indexed, order, max })
  const scanEnd = sql`CASE WHEN ${pageRows} <= ${limit}
    THEN (SELECT j.id FROM ${ordered(sql`j.id`, rowsMax)} AS j ORDER BY j.id DESC OFFSET ${sql.lit(rowsMax - 1)} LIMIT 1) END`
  return sql<PageRow>`
    WITH page AS MATERIALIZED (
      SELECT s.* FROM (
        SELECT j.* FROM ${ordered(sql`j.*`, conditions === undefined ? limit + 1 : rowsMax)} AS j
      ) AS s
       WHERE ${conditions ?? sql`true`} ORDER BY ${order('s')} LIMIT ${sql.lit(limit + 1)}
    )
    SELECT scan.scan_end, scan.page_rows, ${jobColumns('p')}
      FROM (SELECT ${conditions === undefined ? sql`NULL::uuid` : scanEnd} AS scan_end, ${pageRows} AS page_rows) AS scan
      LEFT JOIN ${pageOfJobs} AS p ON true
     ORDER BY p.id DESC`
}

/**
 * The same for the index of a state or a tenant with further conditions, and for ids by metadata. The planner expects
 * few rows behind a compared key, and would read and sort all of them, however many there are, to find the newest. It
 * reads ids alone in the order of the index. Each page has at most one row for each id, and the last id that was read
 * is the end of the scan.
 */
function pageOfIdsStatement({ names }: QueueDatabase, scan: Scan, limit: number): RawBuilder<PageRow> {
  const { indexed, order, conditions, metadataIds } = scan
  const idsMax = scannedIdsMax(scan, limit)
  const scannedIds =
    metadataIds?.(idsMax) ??
    sql`
        SELECT j.id FROM ${orderedScan(names, { indexed, order, max: idsMax })} AS j`
  return sql<PageRow>`
    WITH scan AS MATERIALIZED (
      SELECT ARRAY(${scannedIds}
      ) AS ids
    ), page AS MATERIALIZED (
      SELECT s.* FROM ${names.allJobs} AS s
       WHERE ${isOneOf('s', sql`SELECT scan.ids FROM scan`)} AND ${conditions ?? sql`true`} ORDER BY s.id DESC LIMIT ${sql.lit(limit + 1)}
    )
    SELECT found.scan_end, found.page_rows, ${jobColumns('p')}
      FROM (
        SELECT CASE WHEN ${pageRows} <= ${limit} THEN scan.ids[${sql.lit(idsMax)}] END AS scan_end,
               ${pageRows} AS page_rows
          FROM scan
      ) AS found
      LEFT JOIN ${pageOfJobs} AS p ON true
     ORDER BY p.id DESC`
}

/**
 * How many ids a page reads first. An id by metadata can have no job, if somebody has deleted that with SQL. So a page without a row
 * for each id is not the last one.
 */
function scannedIdsMax({ conditions, metadataIds, rowsMax }: Scan, limit: number): number {
  return metadataIds !== undefined && conditions === undefined ? limit + 1 : rowsMax
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
  throw invalidCursor()
}
