import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import type { QueueDatabase } from '../database/connect.ts'
import { decodeCursor, encodeCursor, invalidCursor } from '../database/cursor.ts'
import { parseOrThrow } from '../domain/job-definition.ts'
import { listLimitDefault, listLimitMax } from '../domain/limits.ts'
import type { OptionsOf } from '../domain/options-of.ts'
import { decodeLimit, limitColumns, type LimitRow } from './limit-row.ts'
import { runningCounted, runningUnder } from './running-jobs.ts'
import { type Limit, limitFields, type LimitTarget, limitTargetSchema } from './limit-rule.ts'

const listFields = {
  /** Only limits of this queue. */
  queue: limitFields.queue.optional(),
  /** Only limits of this scope. */
  scope: limitFields.scope.optional(),
  /** Only limits of the kind, the key or the tenant with this name. */
  name: limitFields.name.optional(),
  /** The most limits on one page, 1 to 200. Default 50. */
  limit: z.int().min(1).max(listLimitMax).optional(),
  /** Where the page begins: the `nextCursor` of the previous page. */
  cursor: z.string().optional(),
}
const listSchema = z.strictObject(listFields)

/** Selects limits, and a page of them. */
export type LimitQuery = OptionsOf<typeof listFields>

/** A limit and its current use. */
export interface LimitInUse extends Limit {
  /**
   * The number of running jobs that it counts. For a key of several tenants, that of the tenant with the most. Null where the limit does not bound it, and for `each_key`: `queueKeys` returns that of each key.
   */
  readonly running: number | null
}

/** One page of limits. */
export interface LimitPage {
  /** By queue, scope and name. */
  readonly limits: readonly LimitInUse[]
  /** Where the next page begins; null when there is none. */
  readonly nextCursor: string | null
}

/**
 * One page of limits. Throws `invalid_options` for an invalid query and `invalid_cursor` for a cursor that no list has
 * returned.
 */
export async function listLimits(database: QueueDatabase, query: LimitQuery = {}): Promise<LimitPage> {
  const { names } = database
  const { limit = listLimitDefault, cursor, ...filter } = parseOrThrow(listSchema, query, 'invalid_options')
  const conditions: RawBuilder<unknown>[] = [
    ...(['queue', 'scope', 'name'] as const).flatMap((column) =>
      filter[column] === undefined ? [] : [sql`${sql.ref(`l.${column}`)} = ${filter[column]}`],
    ),
    ...(cursor === undefined ? [] : [afterCursor(cursor)]),
  ]
  const where = conditions.length === 0 ? sql`` : sql`WHERE ${sql.join(conditions, sql` AND `)}`
  const rows = await database.run(sql<LimitRow & Pick<LimitInUse, 'running'>>`
    WITH running AS MATERIALIZED (${runningCounted(names)})
    SELECT ${limitColumns('l')},
           CASE WHEN l.max_running IS NULL OR l.scope NOT IN ('queue', 'kind', 'key') THEN NULL
                WHEN l.scope IN ('queue', 'kind') THEN ${runningUnder}
                ELSE (SELECT coalesce(max(t.jobs), 0)::integer FROM (
                        SELECT sum(r.jobs) AS jobs FROM running AS r
                         WHERE r.queue = l.queue AND r.key = l.name AND r.counted & 4 <> 0 GROUP BY r.tenant_id) AS t)
                END AS running
      FROM ${names.limits} AS l ${where}
     ORDER BY l.queue, l.scope, l.name LIMIT ${sql.lit(limit + 1)}`)
  const limits = rows.slice(0, limit).map((row) => ({ ...decodeLimit(row), running: row.running }))
  const last = rows.length > limit ? limits.at(-1) : undefined
  return { limits, nextCursor: last === undefined ? null : cursorAfter(last) }
}

/** The limit of a target; undefined when there is none. */
export async function getLimit(database: QueueDatabase, target: LimitTarget): Promise<Limit | undefined> {
  const { names } = database
  const { queue, scope, name = '' } = parseOrThrow(limitTargetSchema, target, 'invalid_limit')
  const [row] = await database.run(sql<LimitRow>`
    SELECT ${limitColumns('l')} FROM ${names.limits} AS l
     WHERE l.queue = ${queue} AND l.scope = ${scope} AND l.name = ${name}`)
  return row === undefined ? undefined : decodeLimit(row)
}

/** Names of queues and scopes contain no spaces. */
function cursorAfter({ queue, scope, name }: Limit): string {
  return encodeCursor('limits', `${queue} ${scope} ${name ?? ''}`)
}

function afterCursor(cursor: string): RawBuilder<unknown> {
  const [, queue, scope, name] = /^([^ ]+) ([a-z_]+) (.*)$/s.exec(decodeCursor('limits', cursor)) ?? []
  if (queue === undefined) throw invalidCursor()
  return sql`(l.queue, l.scope, l.name) > (${queue}, ${scope}, ${name})`
}
