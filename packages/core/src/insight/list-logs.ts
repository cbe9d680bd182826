import { asText, epochMs } from '@queue/postgres'
import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import type { QueueDatabase } from '../database/connect.ts'
import { andWithin } from '../database/scope.ts'
import { parseOrThrow } from '../domain/job-definition.ts'
import { isJobId } from '../domain/job-id.ts'
import type { JsonValue } from '../domain/json.ts'
import { listLimitDefault, listLimitMax, listScanRowsMax } from '../domain/limits.ts'
import {
  decodeLogCursor,
  encodeLogCursor,
  levelsFrom,
  type LogLevel,
  type LogLine,
  type LogPosition,
  logLevels,
} from '../domain/log-line.ts'
import type { OptionsOf } from '../domain/options-of.ts'

const logFilterFields = {
  /** Lines of this level and of more severe ones. Default: all lines. */
  level: z.enum(logLevels).optional(),
  /** The most lines on one page, 1 to 200. Default 50. */
  limit: z.int().min(1).max(listLimitMax).optional(),
  /** Where the page begins: the `nextCursor` of the previous page. Default: at the first line. */
  cursor: z.string().optional(),
}
const logFilterSchema = z.strictObject(logFilterFields)

/** Selects log lines, and a page of them. */
export type LogFilter = OptionsOf<typeof logFilterFields>

export interface LogPage {
  /** In the order in which they were logged, attempt after attempt. */
  readonly lines: readonly LogLine[]
  /** Where the next page begins; null when there is none. A page may be short, or even empty, and still have a next one. */
  readonly nextCursor: string | null
}

interface Row {
  readonly line: number
  readonly lease_token: string
  readonly attempt: number
  readonly at: number
  readonly level: LogLevel
  readonly message: string
  readonly fields: string | null
}

/** `scanned`: the number of lines that were read; `scan_end`: the last of them. */
type PageRow = { readonly scanned: number; readonly scan_end: string | null } & (
  | Row
  | { readonly line: null }
)

/**
 * One page of the lines that a job's handler has logged; undefined where there is no such job. With a level, one page
 * reads at most `listScanRowsMax` lines, and the next page continues there.
 *
 * Throws `invalid_options` for an invalid filter and `invalid_cursor` for an invalid cursor.
 */
export async function listLogs(
  database: QueueDatabase,
  jobId: string,
  filter: LogFilter = {},
): Promise<LogPage | undefined> {
  const { limit = listLimitDefault, cursor, level } = parseOrThrow(logFilterSchema, filter, 'invalid_options')
  const after = cursor === undefined ? undefined : decodeLogCursor(cursor)
  if (!isJobId(jobId)) return undefined
  const rows = await database.run(pageStatement(database, { jobId, limit, after, level }))
  const [first] = rows
  if (first === undefined) return undefined
  const lineRows = rows.filter((row) => row.line !== null)
  const page = lineRows.slice(0, limit).map((row) => decodeLine(jobId, row))
  const last = page.at(-1)
  if (lineRows.length > limit && last !== undefined) {
    return { lines: page, nextCursor: encodeLogCursor(last) }
  }
  const isCut = level !== undefined && first.scanned === listScanRowsMax
  return { lines: page, nextCursor: isCut ? cursorAt(first.scan_end) : null }
}

interface PageRequest {
  readonly jobId: string
  readonly limit: number
  readonly after: LogPosition | undefined
  readonly level: LogLevel | undefined
}

function pageStatement(
  database: QueueDatabase,
  { jobId, limit, after, level }: PageRequest,
): RawBuilder<PageRow> {
  const { names } = database
  const afterPosition =
    after === undefined ? sql`` : sql` AND (l.lease_token, l.line) > (${after.leaseToken}, ${after.line})`
  const hasLevel = level === undefined ? sql`true` : sql`s.level = ANY(${levelsFrom(level)}::text[])`
  const scanMax = level === undefined ? limit + 1 : listScanRowsMax
  return sql<PageRow>`
    WITH scan AS MATERIALIZED (
      SELECT l.* FROM ${names.logs} AS l WHERE l.job_id = ${jobId}::uuid${afterPosition}
       ORDER BY l.lease_token, l.line LIMIT ${sql.lit(scanMax)}
    )
    SELECT end_of_scan.scanned, end_of_scan.scan_end, s.line, ${asText(sql`s.lease_token`)} AS lease_token, s.attempt,
           ${epochMs(sql`s.at`)} AS at, s.level, s.message, s.fields::text AS fields
      FROM ${names.allJobs} AS j
     CROSS JOIN (SELECT (SELECT count(*)::int FROM scan) AS scanned,
                        (SELECT s.lease_token || ' ' || s.line FROM scan AS s
                          ORDER BY s.lease_token DESC, s.line DESC LIMIT 1) AS scan_end) AS end_of_scan
      LEFT JOIN (SELECT s.* FROM scan AS s WHERE ${hasLevel}
                  ORDER BY s.lease_token, s.line LIMIT ${sql.lit(limit + 1)}) AS s ON true
     WHERE j.id = ${jobId}::uuid${andWithin(database, 'j')}
     ORDER BY s.lease_token, s.line`
}

function cursorAt(scanEnd: string | null): string | null {
  if (scanEnd === null) return null
  const [leaseToken = 0, line = 0] = scanEnd.split(' ').map(Number)
  return encodeLogCursor({ leaseToken, line })
}

function decodeLine(jobId: string, row: Row): LogLine {
  return {
    jobId,
    attempt: row.attempt,
    leaseToken: Number(row.lease_token),
    line: row.line,
    at: new Date(Math.round(row.at)),
    level: row.level,
    message: row.message,
    fields: row.fields === null ? null : (JSON.parse(row.fields) as JsonValue),
  }
}
