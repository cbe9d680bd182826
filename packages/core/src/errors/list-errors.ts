import { asText, epochMs } from '@queue/postgres'
import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import { isCausedBy } from '../database/caused-by.ts'
import type { QueueDatabase } from '../database/connect.ts'
import { isWithin } from '../database/scope.ts'
import { QueueError } from '../domain/errors.ts'
import { fingerprintsSchema } from '../domain/fingerprint.ts'
import { jobFields } from '../domain/job.ts'
import { parseOrThrow } from '../domain/job-definition.ts'
import { listLimitDefault, listLimitMax } from '../domain/limits.ts'
import type { OptionsOf } from '../domain/options-of.ts'

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
  /** The versions of the workers that saw it, at most 10. */
  readonly workerVersions: readonly string[]
  /** A job that failed so, within an hour of the last one; it may be gone. */
  readonly sampleJobId: string
  /** The error of that job, with its stack. */
  readonly sampleError: string
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
  /** Groups on one page at most, 1 to 200. Default 50. */
  limit: z.int().min(1).max(listLimitMax).optional(),
  /** Where the page begins: the `nextCursor` of the one before. Default: at the one that was seen last. */
  cursor: z.string().optional(),
}
const errorFilterSchema = z.strictObject(errorFilterFields)

/** All conditions hold at once. */
export type ErrorFilter = OptionsOf<typeof errorFilterFields>

export interface ErrorPage {
  /** The one that was seen last first. */
  readonly groups: readonly ErrorGroup[]
  readonly nextCursor: string | null
}

interface Row {
  readonly fingerprint: string
  readonly tenant_id: string
  readonly queue: string
  readonly kind: string
  readonly error_class: string
  readonly count: string
  readonly first_seen_at: number
  readonly last_seen_at: number
  readonly worker_versions: string
  readonly sample_job_id: string
  readonly sample_error: string
  readonly position: string
}

/**
 * One page of the groups of failures. It sorts all that there are, at most some ten thousand. A group that is seen again
 * meanwhile moves to the first page.
 *
 * Throws `invalid_options` for a bad filter and `invalid_cursor` for a bad cursor.
 */
export async function listErrors(database: QueueDatabase, filter: ErrorFilter = {}): Promise<ErrorPage> {
  const {
    limit = listLimitDefault,
    cursor,
    ...asked
  } = parseOrThrow(errorFilterSchema, filter, 'invalid_options')
  const conditions = conditionsOf(database, asked)
  if (cursor !== undefined) {
    const [instant, key] = decodeCursor(cursor)
    conditions.push(sql`(e.last_seen_at, ${keyOf}) < (${instant}::timestamptz, ${key}::text)`)
  }
  const rows = await database.run(sql<Row>`
    SELECT e.fingerprint, e.tenant_id, e.queue, e.kind, e.error_class, ${asText(sql`e.count`)} AS count,
           ${epochMs(sql`e.first_seen_at`)} AS first_seen_at, ${epochMs(sql`e.last_seen_at`)} AS last_seen_at,
           to_json(e.worker_versions)::text AS worker_versions, e.sample_job_id, e.sample_error,
           to_json(ARRAY[to_char(e.last_seen_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), ${keyOf}])::text
             AS position
      FROM ${database.names.errors} AS e WHERE ${sql.join([sql`true`, ...conditions], sql` AND `)}
     ORDER BY e.last_seen_at DESC, ${keyOf} DESC LIMIT ${sql.lit(limit + 1)}`)
  const page = rows.slice(0, limit)
  const last = rows.length > limit ? page.at(-1) : undefined
  return {
    groups: page.map(decodeGroup),
    nextCursor: last === undefined ? null : Buffer.from(last.position).toString('base64url'),
  }
}

const keyOf = sql`e.fingerprint || ' ' || e.queue || ' ' || e.tenant_id`

type Asked = Omit<z.output<typeof errorFilterSchema>, 'limit' | 'cursor'>

function conditionsOf(database: QueueDatabase, { fingerprint, kind, queue, tenantId }: Asked) {
  const within = isWithin(database, 'e')
  const conditions: RawBuilder<unknown>[] = within === undefined ? [] : [within]
  if (fingerprint !== undefined) conditions.push(isCausedBy(sql`e.fingerprint`, fingerprint))
  if (kind !== undefined) conditions.push(sql`e.kind = ${kind}`)
  if (queue !== undefined) conditions.push(sql`e.queue = ${queue}`)
  if (tenantId !== undefined) conditions.push(sql`e.tenant_id = ${tenantId}`)
  return conditions
}

const positionSchema = z.tuple([z.string().regex(/^\d{4}-\d\d-\d\dT[\d:.]{15}Z$/), z.string().max(512)])

function decodeCursor(cursor: string): readonly [string, string] {
  try {
    const [instant, key] = positionSchema.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()))
    if (!Number.isNaN(Date.parse(instant)) && !key.includes('\u0000') && key.isWellFormed())
      return [instant, key]
  } catch {
    // It is no cursor of ours.
  }
  throw new QueueError('invalid_cursor', 'the cursor is not one that a list has returned')
}

function decodeGroup(row: Row): ErrorGroup {
  return {
    fingerprint: row.fingerprint,
    tenantId: row.tenant_id === '' ? null : row.tenant_id,
    queue: row.queue,
    kind: row.kind,
    errorClass: row.error_class,
    count: Number(row.count),
    firstSeenAt: new Date(row.first_seen_at),
    lastSeenAt: new Date(row.last_seen_at),
    workerVersions: JSON.parse(row.worker_versions) as string[],
    sampleJobId: row.sample_job_id,
    sampleError: row.sample_error,
  }
}
