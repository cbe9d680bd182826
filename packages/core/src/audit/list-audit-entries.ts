import { epochMs } from '@queue/postgres'
import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import type { QueueDatabase } from '../database/connect.ts'
import { instantParameter, instantText } from '../database/instant.ts'
import { decodeCursor, encodeCursor } from '../database/cursor.ts'
import { parsePosition } from '../database/position.ts'
import { jobFields } from '../domain/job.ts'
import { parseOrThrow } from '../domain/job-definition.ts'
import { isJobId } from '../domain/job-id.ts'
import type { JsonValue } from '../domain/json.ts'
import { actorIdLengthMax, listLimitDefault, listLimitMax, listScanRowsMax } from '../domain/limits.ts'
import type { OptionsOf } from '../domain/options-of.ts'
import { pageRows, withinPageSize } from '../reads/page-size.ts'
import { type ActorType, type AuditedAct, auditedActs } from '../domain/actor.ts'

/** One act in the audit log, and who did it. */
export interface AuditEntry {
  readonly id: string
  /** The time of the act, by the database's clock. */
  readonly at: Date
  readonly act: AuditedAct
  readonly actorType: ActorType
  /** The id of the key, the subject, or the name of the role; for the other types, the type itself. */
  readonly actor: string
  readonly actorName: string | null
  /** The database role that wrote the entry. */
  readonly databaseRole: string
  /** The tenant that the actor was bound to; null: none. */
  readonly tenantId: string | null
  readonly address: string | null
  readonly requestId: string | null
  /** How many things the act changed. */
  readonly count: number
  /** The queue, the dead letter, the kinds or the key that the act named. */
  readonly target: string | null
  /** The filter that selected the jobs, where the act did not name them. */
  readonly filter: JsonValue
  /** The jobs that the act changed. */
  readonly jobIds: readonly string[]
}

const auditFilterFields = {
  /** Entries of this key, subject or role, by its id. */
  actor: z.string().min(1).max(actorIdLengthMax).optional(),
  /** Entries of this act. */
  act: z.enum(auditedActs).optional(),
  /** Entries about this job. */
  jobId: z.string().refine(isJobId, 'must be the id of a job').optional(),
  /** Entries of actors that were bound to this tenant. */
  tenantId: jobFields.tenantId.optional(),
  /** At or after this instant. */
  from: z.date().optional(),
  /** Before this instant. */
  to: z.date().optional(),
  /** The most entries on one page, 1 to 200. Default 50. */
  limit: z.int().min(1).max(listLimitMax).optional(),
  /** Where the page begins: the `nextCursor` of the previous page. Default: at the newest entry. */
  cursor: z.string().optional(),
}
const auditFilterSchema = z.strictObject(auditFilterFields)

/** Selects entries, and a page of them. All conditions must hold. */
export type AuditFilter = OptionsOf<typeof auditFilterFields>

export interface AuditPage {
  /** The newest first. */
  readonly entries: readonly AuditEntry[]
  /** Where the next page begins; null when there is none. A page may be short, or even empty, and still have a next one. */
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
 * One page of the audit log. An index finds entries by instant, tenant and job. With any other condition, one page
 * reads at most `listScanRowsMax` entries, and the next page continues there. A page ends as soon as its ids and names
 * come to `listPageBytesMax`.
 *
 * Throws `invalid_options` for an invalid filter and `invalid_cursor` for an invalid cursor.
 */
export async function listAuditEntries(
  database: QueueDatabase,
  filter: AuditFilter = {},
): Promise<AuditPage> {
  const { limit = listLimitDefault, ...conditions } = parseOrThrow(
    auditFilterSchema,
    filter,
    'invalid_options',
  )
  const rows = await database.run(pageStatement(database, conditions, limit))
  const entryRows = rows.filter((row) => row.id !== null)
  const page = entryRows.slice(0, limit)
  const isCut = (rows[0]?.page_rows ?? 0) > page.length
  const next = (isCut ? page.at(-1)?.position : rows[0]?.scan_end) ?? null
  return { entries: page.map(decodeEntry), nextCursor: next === null ? null : encodeCursor('audit', next) }
}

type PageFilter = Omit<z.output<typeof auditFilterSchema>, 'limit'>

/** The page and, from the same snapshot, the position that its scan has reached, as in the list of dead letters. */
function pageStatement(database: QueueDatabase, filter: PageFilter, limit: number): RawBuilder<PageRow> {
  const { actor, act } = filter
  const rowConditions = [
    ...(actor === undefined ? [] : [sql`a.actor = ${actor}`]),
    ...(act === undefined ? [] : [sql`a.act = ${act}`]),
  ]
  const source = sourceOf(database, filter)
  const scanEnd = sql`CASE WHEN ${pageRows} <= ${limit}
    THEN (SELECT ${position} FROM ${source} OFFSET ${sql.lit(listScanRowsMax - 1)} LIMIT 1) END`
  return sql<PageRow>`
    WITH page AS MATERIALIZED (
      SELECT a.* FROM (
        SELECT a.* FROM ${source} LIMIT ${sql.lit(rowConditions.length === 0 ? limit + 1 : listScanRowsMax)}
      ) AS a
       WHERE ${sql.join([sql`true`, ...rowConditions], sql` AND `)} ORDER BY a.at DESC, a.id DESC LIMIT ${sql.lit(limit + 1)}
    )
    SELECT scan.scan_end, scan.page_rows, ${selected}
      FROM (SELECT ${rowConditions.length === 0 ? sql`NULL::text` : scanEnd} AS scan_end, ${pageRows} AS page_rows) AS scan
      LEFT JOIN ${pageOfEntries} AS a ON true
     ORDER BY a.at DESC, a.id DESC`
}

/** The entries that an index finds, newest first. Entries about one job are few, and are sorted. */
function sourceOf({ schema }: QueueDatabase, filter: PageFilter): RawBuilder<unknown> {
  const { jobId, tenantId, from, to } = filter
  const table = sql.id(schema, 'audit_log')
  const entries =
    jobId === undefined
      ? table
      : sql`(SELECT j.* FROM ${table} AS j WHERE j.job_ids @> ARRAY[${jobId}::uuid] OFFSET 0)`
  const conditions = [
    tenantId === undefined ? beforeCursor(filter) : ofTenant(tenantId, filter),
    ...(from === undefined ? [] : [sql`a.at >= ${instantParameter(from)}`]),
    ...(to === undefined ? [] : [sql`a.at < ${instantParameter(to)}`]),
  ]
  const byTenant = tenantId === undefined ? sql`` : sql`a.tenant_id DESC, `
  return sql`${entries} AS a WHERE ${sql.join(conditions, sql` AND `)} ORDER BY ${byTenant}a.at DESC, a.id DESC`
}

function beforeCursor({ cursor }: PageFilter): RawBuilder<unknown> {
  if (cursor === undefined) return sql`true`
  const { instant, id } = parsePosition(decodeCursor('audit', cursor))
  return sql`(a.at, a.id) < (${instant}::timestamptz, ${id}::uuid)`
}

/** Compares the index key as a whole. Otherwise the planner might read the entries of all tenants in the order of time. */
function ofTenant(tenantId: string, { cursor }: PageFilter): RawBuilder<unknown> {
  const { instant, id } =
    cursor === undefined
      ? { instant: 'infinity', id: aboveEveryId }
      : parsePosition(decodeCursor('audit', cursor))
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

/**
 * The position of an entry in the list. The instant has PostgreSQL's full precision, so that a page does not begin a
 * microsecond off.
 */
const position = sql`${instantText(sql`a.at`)} || ' ' || a.id`

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
