import { epochMs } from '@queue/postgres'
import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import type { QueueDatabase } from '../database/connect.ts'
import { instantParameter } from '../database/instant.ts'
import { decodePosition, encodePosition } from '../database/position.ts'
import { jobFields } from '../domain/job.ts'
import { parseOrThrow } from '../domain/job-definition.ts'
import { isJobId } from '../domain/job-id.ts'
import type { JsonValue } from '../domain/json.ts'
import { actorIdLengthMax, listLimitDefault, listLimitMax, listScanRowsMax } from '../domain/limits.ts'
import type { OptionsOf } from '../domain/options-of.ts'
import { pageRows, withinPageSize } from '../reads/page-size.ts'
import { type ActorType, type AuditedAct, auditedActs } from './actor.ts'

/** One act, and who did it. */
export interface AuditEntry {
  readonly id: string
  /** By the clock of the database: the instant of the act itself. */
  readonly at: Date
  readonly act: AuditedAct
  readonly actorType: ActorType
  /** The id of the key, the subject, or the name of the role; otherwise the type once more. */
  readonly actor: string
  readonly actorName: string | null
  /** The role of the database that wrote the entry. */
  readonly databaseRole: string
  /** The tenant that the actor was held to; null: none. */
  readonly tenantId: string | null
  readonly address: string | null
  readonly requestId: string | null
  /** How many things it has changed. */
  readonly count: number
  /** The queue, the dead letter, the kinds or the key that the act named. */
  readonly target: string | null
  /** What chose the jobs, where nobody named them. */
  readonly filter: JsonValue
  /** The jobs whose course it has changed. */
  readonly jobIds: readonly string[]
}

const auditFilterFields = {
  /** Entries of this key, subject or role, by its id. */
  actor: z.string().min(1).max(actorIdLengthMax).optional(),
  /** Entries of this act. */
  act: z.enum(auditedActs).optional(),
  /** Entries about this job. */
  jobId: z.string().refine(isJobId, 'must be the id of a job').optional(),
  /** Entries of actors that were held to this tenant. */
  tenantId: jobFields.tenantId.optional(),
  /** At or after this instant. */
  from: z.date().optional(),
  /** Before this instant. */
  to: z.date().optional(),
  /** Entries on one page at most, 1 to 200. Default 50. */
  limit: z.int().min(1).max(listLimitMax).optional(),
  /** Where the page begins: the `nextCursor` of the one before. Default: at the latest entry. */
  cursor: z.string().optional(),
}
const auditFilterSchema = z.strictObject(auditFilterFields)

/** All conditions hold at once. */
export type AuditFilter = OptionsOf<typeof auditFilterFields>

export interface AuditPage {
  /** The latest first. */
  readonly entries: readonly AuditEntry[]
  /** Where the next page begins; null when there is none. A page may be short, even empty, and still have one. */
  readonly nextCursor: string | null
}

interface Row extends Pick<AuditEntry, 'id' | 'act' | 'actor' | 'address' | 'count' | 'target'> {
  readonly at: number
  readonly actor_type: ActorType
  readonly actor_name: string | null
  readonly database_role: string
  readonly tenant_id: string
  readonly request_id: string | null
  readonly filter: string | null
  readonly job_ids: string
  readonly position: string
}

type PageRow = { readonly scan_end: string | null; readonly page_rows: number } & (
  | Row
  | { readonly id: null }
)

/**
 * One page of the audit log. An instant, a tenant and a job are found by an index; what else is asked for reads at most
 * `listScanRowsMax` entries and goes on from there at the next page. A page ends as soon as the ids and names in it come to
 * `listPageBytesMax`.
 *
 * Throws `invalid_options` for a bad filter and `invalid_cursor` for a bad cursor.
 */
export async function listAuditEntries(
  database: QueueDatabase,
  filter: AuditFilter = {},
): Promise<AuditPage> {
  const { limit = listLimitDefault, ...asked } = parseOrThrow(auditFilterSchema, filter, 'invalid_options')
  const rows = await database.run(pageStatement(database, asked, limit))
  const found = rows.filter((row) => row.id !== null)
  const page = found.slice(0, limit)
  const isCut = (rows[0]?.page_rows ?? 0) > page.length
  const next = (isCut ? page.at(-1)?.position : rows[0]?.scan_end) ?? null
  return { entries: page.map(decodeEntry), nextCursor: next === null ? null : encodePosition(next) }
}

type Asked = Omit<z.output<typeof auditFilterSchema>, 'limit'>

/** The page, and in the same snapshot where its scan has come to, as for the list of dead letters. */
function pageStatement(database: QueueDatabase, asked: Asked, limit: number): RawBuilder<PageRow> {
  const { actor, act } = asked
  const rest = [
    ...(actor === undefined ? [] : [sql`a.actor = ${actor}`]),
    ...(act === undefined ? [] : [sql`a.act = ${act}`]),
  ]
  const source = sourceOf(database, asked)
  const scanEnd = sql`CASE WHEN ${pageRows} <= ${limit}
    THEN (SELECT ${position} FROM ${source} OFFSET ${sql.lit(listScanRowsMax - 1)} LIMIT 1) END`
  return sql<PageRow>`
    WITH page AS MATERIALIZED (
      SELECT a.* FROM (
        SELECT a.* FROM ${source} LIMIT ${sql.lit(rest.length === 0 ? limit + 1 : listScanRowsMax)}
      ) AS a
       WHERE ${sql.join([sql`true`, ...rest], sql` AND `)} ORDER BY a.at DESC, a.id DESC LIMIT ${sql.lit(limit + 1)}
    )
    SELECT scan.scan_end, scan.page_rows, ${selected}
      FROM (SELECT ${rest.length === 0 ? sql`NULL::text` : scanEnd} AS scan_end, ${pageRows} AS page_rows) AS scan
      LEFT JOIN ${pageOfEntries} AS a ON true
     ORDER BY a.at DESC, a.id DESC`
}

/** The entries that an index finds, the latest first. Those about one job are few, and are sorted. */
function sourceOf({ schema }: QueueDatabase, asked: Asked): RawBuilder<unknown> {
  const { jobId, tenantId, from, to } = asked
  const table = sql.id(schema, 'audit_log')
  const about =
    jobId === undefined
      ? table
      : sql`(SELECT j.* FROM ${table} AS j WHERE j.job_ids @> ARRAY[${jobId}::uuid] OFFSET 0)`
  const conditions = [
    tenantId === undefined ? beforeCursor(asked) : ofTenant(tenantId, asked),
    ...(from === undefined ? [] : [sql`a.at >= ${instantParameter(from)}`]),
    ...(to === undefined ? [] : [sql`a.at < ${instantParameter(to)}`]),
  ]
  const byTenant = tenantId === undefined ? sql`` : sql`a.tenant_id DESC, `
  return sql`${about} AS a WHERE ${sql.join(conditions, sql` AND `)} ORDER BY ${byTenant}a.at DESC, a.id DESC`
}

function beforeCursor({ cursor }: Asked): RawBuilder<unknown> {
  if (cursor === undefined) return sql`true`
  const { instant, id } = decodePosition(cursor)
  return sql`(a.at, a.id) < (${instant}::timestamptz, ${id}::uuid)`
}

/** The key is compared and ordered as a whole, or the planner might read everybody's entries in the order of time. */
function ofTenant(tenantId: string, { cursor }: Asked): RawBuilder<unknown> {
  const { instant, id } =
    cursor === undefined ? { instant: 'infinity', id: aboveEveryId } : decodePosition(cursor)
  const key = sql`(a.tenant_id, a.at, a.id)`
  return sql`${key} > (${tenantId}, '-infinity'::timestamptz, ${smallestId}::uuid)
    AND ${key} < (${tenantId}, ${instant}::timestamptz, ${id}::uuid)`
}

const smallestId = '00000000-0000-0000-0000-000000000000'
const aboveEveryId = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

const pageOfEntries = withinPageSize({
  documents: [sql`page.job_ids`, sql`page.filter`, sql`page.target`],
  order: sql`page.at DESC, page.id DESC`,
})

/** Its place in the list: the instant as exact as PostgreSQL has it, for a page must not begin a microsecond off. */
const position = sql`to_char(a.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') || ' ' || a.id`

const selected = sql`a.id, ${epochMs(sql`a.at`)} AS at, a.act, a.actor_type, a.actor, a.actor_name, a.database_role,
  a.tenant_id, a.address, a.request_id, a.count, a.target, a.filter::text AS filter,
  to_json(a.job_ids)::text AS job_ids, ${position} AS position`

function decodeEntry(row: Row): AuditEntry {
  return {
    id: row.id,
    at: new Date(row.at),
    act: row.act,
    actorType: row.actor_type,
    actor: row.actor,
    actorName: row.actor_name,
    databaseRole: row.database_role,
    tenantId: row.tenant_id === '' ? null : row.tenant_id,
    address: row.address,
    requestId: row.request_id,
    count: row.count,
    target: row.target,
    filter: row.filter === null ? null : (JSON.parse(row.filter) as JsonValue),
    jobIds: JSON.parse(row.job_ids) as string[],
  }
}
