import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import type { QueueDatabase } from '../database/connect.ts'
import { decodeJob, type JobRow, jobColumns } from '../database/job-row.ts'
import { QueueError } from '../domain/errors.ts'
import { type Job, jobFields, jobStatuses } from '../domain/job.ts'
import { parseOrThrow } from '../domain/job-definition.ts'
import { isJobId, smallestJobIdAt } from '../domain/job-id.ts'
import { listLimitDefault, listLimitMax, listScanRowsMax } from '../domain/limits.ts'

export const listFilterSchema = z.strictObject({
  status: z.enum(jobStatuses).optional(),
  kind: jobFields.kind.optional(),
  queue: jobFields.queue.optional(),
  tenantId: jobFields.tenantId.optional(),
  /** Jobs created at or after this instant, to the millisecond. */
  createdAfter: z.date().optional(),
  /** Jobs created before this instant, to the millisecond. */
  createdBefore: z.date().optional(),
  limit: z.int().min(1).max(listLimitMax).optional(),
  cursor: z.string().optional(),
})

/** All conditions hold at once. */
export type ListFilter = z.input<typeof listFilterSchema>

export interface JobPage {
  /** Newest first. */
  readonly jobs: readonly Job[]
  /** Where the next page begins; null when there is none. A page may be short, even empty, and still have one. */
  readonly nextCursor: string | null
}

/**
 * One page of jobs, newest first, by id: id order is creation order. The cursor is the last id seen, so pages stay
 * right while jobs are written.
 *
 * A filter that an index serves (waiting, running, failed and cancelled states; a tenant) reads what it returns.
 * Any other reads at most `listScanRowsMax` rows by id and goes on from there at the next page.
 *
 * Throws `invalid_options` for a bad filter and `invalid_cursor` for a cursor that is not one of ours.
 */
export async function listJobs(database: QueueDatabase, filter: ListFilter = {}): Promise<JobPage> {
  const checked = parseOrThrow(listFilterSchema, filter, 'invalid_options')
  const limit = checked.limit ?? listLimitDefault
  const scan = scanOf(database, checked)
  const rows = await database.run(sql<JobRow>`
    SELECT ${jobColumns('s')} FROM (
      SELECT j.* FROM ${database.names.jobs} AS j WHERE ${scan.indexed} ORDER BY j.id DESC LIMIT ${sql.lit(scan.rowsMax)}
    ) AS s
     WHERE ${scan.rest} ORDER BY s.id DESC LIMIT ${limit + 1}`)
  const jobs = rows.slice(0, limit).map(decodeJob)
  return {
    jobs,
    nextCursor: await nextCursor(database, { scan, more: rows.length > limit, last: jobs.at(-1)?.id }),
  }
}

type CheckedFilter = z.output<typeof listFilterSchema>

interface Scan {
  /** Conditions on `j` that bound the scan by an index. */
  readonly indexed: RawBuilder<unknown>
  /** Conditions on `s` that are tested on each row read. */
  readonly rest: RawBuilder<unknown>
  readonly rowsMax: number
}

function scanOf(database: QueueDatabase, filter: CheckedFilter): Scan {
  const { names } = database
  const indexed: RawBuilder<unknown>[] = [sql`true`]
  const rest: RawBuilder<unknown>[] = [sql`true`]
  if (filter.cursor !== undefined) indexed.push(sql`j.id < ${decodeCursor(filter.cursor)}::uuid`)
  if (filter.createdAfter !== undefined) indexed.push(sql`j.id >= ${idAt(filter.createdAfter)}::uuid`)
  if (filter.createdBefore !== undefined) indexed.push(sql`j.id < ${idAt(filter.createdBefore)}::uuid`)
  if (filter.tenantId !== undefined) indexed.push(sql`j.tenant_id = ${filter.tenantId}`)
  if (filter.status !== undefined) {
    const condition = (alias: string) =>
      sql`${sql.ref(`${alias}.status`)} = ${names.status[filter.status as 'queued']}`
    if (filter.status === 'running') indexed.push(sql`j.locked_by IS NOT NULL`)
    // With a tenant given, the tenant's index bounds the scan and the state is tested on what it reads.
    else if (filter.status !== 'succeeded' && filter.tenantId === undefined) indexed.push(condition('j'))
    rest.push(condition('s'))
  }
  if (filter.kind !== undefined) rest.push(sql`s.kind = ${filter.kind}`)
  if (filter.queue !== undefined) rest.push(sql`s.queue = ${filter.queue}`)
  return {
    indexed: sql.join(indexed, sql` AND `),
    rest: sql.join(rest, sql` AND `),
    rowsMax: listScanRowsMax,
  }
}

function idAt(instant: Date): string {
  return smallestJobIdAt(instant.getTime())
}

/** A full page goes on after its last job; a short one after the last row that its scan was allowed to read. */
async function nextCursor(
  database: QueueDatabase,
  page: { readonly scan: Scan; readonly more: boolean; readonly last: string | undefined },
): Promise<string | null> {
  if (page.more && page.last !== undefined) return encodeCursor(page.last)
  const rows = await database.run(sql<{ id: string }>`
    SELECT j.id FROM ${database.names.jobs} AS j WHERE ${page.scan.indexed}
     ORDER BY j.id DESC OFFSET ${sql.lit(page.scan.rowsMax - 1)} LIMIT 1`)
  return rows[0] === undefined ? null : encodeCursor(rows[0].id)
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
