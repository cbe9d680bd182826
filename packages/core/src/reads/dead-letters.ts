import { decodeInTurns, epochMs } from '@queue/postgres'
import { type Expression, expressionBuilder, type RawBuilder, sql, type SqlBool } from 'kysely'
import { z } from 'zod'
import { hasFingerprint } from '../database/fingerprint-condition.ts'
import type { QueueDatabase } from '../database/connect.ts'
import { andWithin, withoutTenant, isWithin } from '../database/scope.ts'
import { instantParameter, instantText } from '../database/instant.ts'
import { decodeCursor, encodeCursor } from '../database/cursor.ts'
import { parsePosition, type Position } from '../database/position.ts'
import { columnReader, type RowOf } from '../database/job-row.ts'
import { type Database, type DeadLetterColumn, deadLetterColumns } from '../database/tables.ts'
import type { CamelCase } from '../domain/names.ts'
import { fingerprintsSchema } from '../domain/fingerprint.ts'
import { type Execution, type ExecutionOutcome, type Job, jobFields } from '../domain/job.ts'
import { parseOrThrow } from '../domain/job-definition.ts'
import { isJobId } from '../domain/job-id.ts'
import type { OptionsOf } from '../domain/options-of.ts'
import { listLimitDefault, listLimitMax, listScanRowsMax, requeueBatchMax } from '../domain/limits.ts'
import { pageRows, withinPageSize } from './page-size.ts'

/** A job that has used up its attempts or failed permanently, with everything that is needed to see why. */
export interface DeadLetter extends Pick<Job, CamelCase<DeadLetterColumn>> {
  readonly id: string
  readonly jobId: string
  /** The fingerprint of the last failure; null where the job's worker was lost. */
  readonly fingerprint: string | null
  /** The ended attempts, oldest first, including the one that dead-lettered the job. */
  readonly executionHistory: readonly Execution[]
  readonly deadLetteredAt: Date
}

const selectionFields = {
  /** Dead letters of jobs of this kind. */
  kind: jobFields.kind.optional(),
  /** Dead letters of this queue. */
  queue: jobFields.queue.optional(),
  /** Dead letters whose last failure has this fingerprint, or one of these. */
  fingerprint: fingerprintsSchema.optional(),
  /** Dead letters of this tenant. */
  tenantId: jobFields.tenantId.optional(),
  /** Dead-lettered at or after this instant. */
  deadLetteredAfter: z.date().optional(),
  /** Dead-lettered before this instant. */
  deadLetteredBefore: z.date().optional(),
}
export const deadLetterSelectionSchema = z.strictObject(selectionFields)

export type CheckedDeadLetterSelection = z.output<typeof deadLetterSelectionSchema>

/** Selects dead letters. All conditions must hold; without any, all dead letters are selected. */
export type DeadLetterSelection = OptionsOf<typeof selectionFields>

const pageFields = {
  /** The most dead letters on one page, 1 to 200. Default 50. */
  limit: z.int().min(1).max(listLimitMax).optional(),
  /** Where the page begins: the `nextCursor` of the previous page. Default: at the newest dead letter. */
  cursor: z.string().optional(),
}
const deadLetterFilterSchema = z.strictObject({ ...selectionFields, ...pageFields })

/** Selects dead letters, and a page of them. */
export type DeadLetterFilter = DeadLetterSelection & OptionsOf<typeof pageFields>

export interface DeadLetterPage {
  /** The newest first. */
  readonly deadLetters: readonly DeadLetter[]
  readonly nextCursor: string | null
}

interface DeadLetterRow extends RowOf<DeadLetterColumn> {
  readonly id: string
  readonly job_id: string
  readonly fingerprint: string | null
  readonly execution_history: string
  readonly dead_lettered_at: number
  /** Its position in the list. The instant has PostgreSQL's full precision, so that a page does not begin a microsecond off. */
  readonly position: string
}

const jobColumnsReader = columnReader(deadLetterColumns)

/** The dead letter, or undefined where there is none. */
export async function getDeadLetter(database: QueueDatabase, id: string): Promise<DeadLetter | undefined> {
  if (!isJobId(id)) return undefined
  const rows = await database.run(
    sql<DeadLetterRow>`SELECT ${selected} FROM ${database.names.deadLetters} AS d WHERE d.id = ${id}::uuid${andWithin(database, 'd')}`,
  )
  return rows[0] === undefined ? undefined : decodeDeadLetter(rows[0])
}

/**
 * One page of dead letters. An index has the dead letters, and those of each tenant, in the order in which they were
 * dead-lettered, so instants bound the scan. With any other condition, one page reads at most `listScanRowsMax` dead
 * letters, and the next page continues there. So a page may be short, or even empty, and still have a next one. A page
 * ends as soon as its payloads, histories and errors come to `listPageBytesMax`.
 *
 * Throws `invalid_options` for an invalid filter and `invalid_cursor` for an invalid cursor.
 */
export async function listDeadLetters(
  database: QueueDatabase,
  filter: DeadLetterFilter = {},
): Promise<DeadLetterPage> {
  const {
    limit = listLimitDefault,
    cursor,
    ...selection
  } = parseOrThrow(deadLetterFilterSchema, filter, 'invalid_options')
  const scopedSelection = { ...selection, tenantId: database.scope?.tenantId ?? selection.tenantId }
  const rows = await database.run(pageStatement(database, { selection: scopedSelection, cursor, limit }))
  const deadLetterRows = rows.filter((row) => row.id !== null)
  const page = deadLetterRows.slice(0, limit)
  const isCut = (rows[0]?.page_rows ?? 0) > page.length
  const next = (isCut ? page.at(-1)?.position : rows[0]?.scan_end) ?? null
  return {
    deadLetters: await decodeInTurns(page, decodeDeadLetter),
    nextCursor: next === null ? null : encodeCursor('dead_letters', next),
  }
}

interface Page {
  readonly selection: z.output<typeof deadLetterSelectionSchema>
  readonly cursor: string | undefined
  readonly limit: number
}

/**
 * `scan_end`: the position at which a scan that was cut short continues; null when it has read everything. `page_rows`:
 * the rows of the page, more than are returned where the page was cut.
 */
type PageRow = { readonly scan_end: string | null; readonly page_rows: number } & (
  | DeadLetterRow
  | { readonly id: null }
)

/** The page and, from the same snapshot, the position that its scan has reached, as in the list of jobs. */
function pageStatement(database: QueueDatabase, { selection, cursor, limit }: Page): RawBuilder<PageRow> {
  const { kind, queue, fingerprint } = selection
  const within = isWithin(withoutTenant(database), 'd')
  const isFiltered =
    kind !== undefined || queue !== undefined || fingerprint !== undefined || within !== undefined
  const filter = sql`${selectionConditions({ kind, queue, fingerprint })}${within === undefined ? sql`` : sql` AND ${within}`}`
  const { conditions, order } = deadLetterScan(selection, cursor)
  const source = sql`${database.names.deadLetterList} AS d
     WHERE ${conditions} ORDER BY ${order}`
  const scanEnd = sql`CASE WHEN ${pageRows} <= ${limit}
    THEN (SELECT ${position} FROM ${source} OFFSET ${sql.lit(listScanRowsMax - 1)} LIMIT 1) END`
  return sql<PageRow>`
    WITH page AS MATERIALIZED (
      SELECT d.* FROM (
        SELECT d.* FROM ${source} LIMIT ${sql.lit(isFiltered ? listScanRowsMax : limit + 1)}
      ) AS d
       WHERE ${filter} ORDER BY d.dead_lettered_at DESC, d.id DESC LIMIT ${sql.lit(limit + 1)}
    )
    SELECT scan.scan_end, scan.page_rows, ${selected}
      FROM (SELECT ${isFiltered ? scanEnd : sql`NULL::text`} AS scan_end, ${pageRows} AS page_rows) AS scan
      LEFT JOIN ${pageOfDeadLetters} AS d ON true
     ORDER BY d.dead_lettered_at DESC, d.id DESC`
}

interface Scan {
  readonly conditions: RawBuilder<unknown>
  readonly order: RawBuilder<unknown>
}

/** The part of an index to read, from its end: the index of all dead letters, or that of one tenant. */
export function deadLetterScan(
  { tenantId, deadLetteredAfter, deadLetteredBefore }: Page['selection'],
  cursor?: string,
): Scan {
  const start = cursor === undefined ? undefined : parsePosition(decodeCursor('dead_letters', cursor))
  if (tenantId === undefined) {
    const before =
      start === undefined ? sql`true` : sql`(d.dead_lettered_at, d.id) < (${positionValues(start)})`
    return {
      conditions: sql`${selectionConditions({ deadLetteredAfter, deadLetteredBefore })} AND ${before}`,
      order: sql`d.dead_lettered_at DESC, d.id DESC`,
    }
  }
  // The index key is compared and ordered as a whole, like that of a tenant's jobs.
  const instant = (bound: Date | undefined, unboundedValue: string) =>
    bound === undefined ? sql`${sql.lit(unboundedValue)}::timestamptz` : instantParameter(bound)
  const before =
    start === undefined
      ? sql``
      : sql` AND (d.tenant_id, d.dead_lettered_at, d.id) < (${tenantId}, ${positionValues(start)})`
  return {
    conditions: sql`d.tenant_id IS NOT NULL
       AND (d.tenant_id, d.dead_lettered_at) >= (${tenantId}, ${instant(deadLetteredAfter, '-infinity')})
       AND (d.tenant_id, d.dead_lettered_at) < (${tenantId}, ${instant(deadLetteredBefore, 'infinity')})${before}`,
    order: sql`d.tenant_id DESC, d.dead_lettered_at DESC, d.id DESC`,
  }
}

const pageOfDeadLetters = withinPageSize({
  documents: [sql`page.payload`, sql`page.execution_history`, sql`page.last_error`],
  order: sql`page.dead_lettered_at DESC, page.id DESC`,
})

/** How many dead letters a requeue with this selection would requeue in one call, at most `requeueBatchMax`. */
export async function countDeadLetters(
  database: QueueDatabase,
  selection: DeadLetterSelection,
): Promise<number> {
  const checked = parseOrThrow(deadLetterSelectionSchema, selection, 'invalid_options')
  const { db } = database.names
  const within = isWithin(database, 'd')
  const selected = db
    .selectFrom('dead_letter_jobs as d')
    .select('d.id')
    .where(selectionConditions(checked))
    .$call((query) => (within === undefined ? query : query.where(within)))
    .limit(sql.lit(requeueBatchMax))
  const [row] = await database.run(
    db.selectFrom(selected.as('d')).select(sql<number>`count(*)::int`.as('count')),
  )
  return row?.count ?? 0
}

/** The selection as conditions on the row named `d`. */
export function selectionConditions(
  selection: z.output<typeof deadLetterSelectionSchema>,
): Expression<SqlBool> {
  const { kind, queue, fingerprint, tenantId, deadLetteredAfter, deadLetteredBefore } = selection
  const eb = expressionBuilder<{ readonly d: Database['dead_letter_jobs'] }, 'd'>()
  const conditions: Expression<SqlBool>[] = [eb.lit(true)]
  if (kind !== undefined) conditions.push(eb('d.kind', '=', kind))
  if (queue !== undefined) conditions.push(eb('d.queue', '=', queue))
  if (fingerprint !== undefined) conditions.push(hasFingerprint(sql.ref('d.fingerprint'), fingerprint))
  if (tenantId !== undefined) conditions.push(eb('d.tenant_id', '=', tenantId))
  if (deadLetteredAfter !== undefined)
    conditions.push(eb('d.dead_lettered_at', '>=', instantParameter(deadLetteredAfter)))
  if (deadLetteredBefore !== undefined)
    conditions.push(eb('d.dead_lettered_at', '<', instantParameter(deadLetteredBefore)))
  return eb.and(conditions)
}

const position = sql`${instantText(sql`d.dead_lettered_at`)} || ' ' || d.id`

const selected = sql`d.id, d.job_id, d.fingerprint, ${jobColumnsReader.select('d')}, d.execution_history::text AS execution_history,
  ${epochMs(sql`d.dead_lettered_at`)} AS dead_lettered_at, ${position} AS position`

function decodeDeadLetter(row: DeadLetterRow): DeadLetter {
  return {
    ...jobColumnsReader.decode(row),
    id: row.id,
    jobId: row.job_id,
    fingerprint: row.fingerprint,
    executionHistory: decodeHistory(row),
    deadLetteredAt: new Date(row.dead_lettered_at),
  }
}

/** An attempt in a dead letter, as the statement that dead-lettered the job wrote it. */
interface RecordedAttempt {
  readonly lease_token: number
  readonly attempt: number
  readonly worker_id: string
  readonly started_at: string
  readonly finished_at: string
  readonly outcome: ExecutionOutcome
  readonly error: string | null
  readonly error_class?: string | null
  readonly fingerprint?: string | null
}

function decodeHistory({ job_id: jobId, execution_history: history }: DeadLetterRow): Execution[] {
  return (JSON.parse(history) as RecordedAttempt[]).map((recorded) => ({
    jobId,
    attempt: recorded.attempt,
    leaseToken: recorded.lease_token,
    workerId: recorded.worker_id,
    startedAt: new Date(recorded.started_at),
    finishedAt: new Date(recorded.finished_at),
    outcome: recorded.outcome,
    error: recorded.error,
    errorClass: recorded.error_class ?? null,
    fingerprint: recorded.fingerprint ?? null,
  }))
}

function positionValues({ instant, id }: Position): RawBuilder<unknown> {
  return sql`${instant}::timestamptz, ${id}::uuid`
}
