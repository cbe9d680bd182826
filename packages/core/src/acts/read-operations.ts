import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import type { QueueDatabase } from '../database/connect.ts'
import { invalidCursor } from '../database/cursor.ts'
import { operationStates } from '../database/operation-tables.ts'
import { parseOrThrow } from '../domain/job-definition.ts'
import { isJobId } from '../domain/job-id.ts'
import { listLimitDefault, listLimitMax } from '../domain/limits.ts'
import type { OptionsOf } from '../domain/options-of.ts'
import { aboveEveryId, smallestId } from '../reads/job-filter.ts'
import {
  decodeOperation,
  type Operation,
  operationColumns,
  type OperationRow,
  scopeText,
} from './operation-row.ts'

const filterFields = {
  /** Operations in this state. */
  state: z.enum(operationStates).optional(),
  /** The most operations on one page, 1 to 200. Default 50. */
  limit: z.int().min(1).max(listLimitMax).optional(),
  /** Where the page begins: the `nextCursor` of the previous page. Default: at the newest. */
  cursor: z.string().optional(),
}

export type OperationFilter = OptionsOf<typeof filterFields>

export interface OperationPage {
  /** The newest first. */
  readonly operations: readonly Operation[]
  readonly nextCursor: string | null
}

/** The operation; undefined where there is none within the scope. */
export async function getOperation(database: QueueDatabase, id: string): Promise<Operation | undefined> {
  if (!isJobId(id)) return undefined
  const [row] = await database.run(sql<OperationRow>`
    SELECT ${operationColumns} FROM ${database.names.operations} AS o WHERE o.id = ${id}::uuid${andVisible(database)}`)
  return row && decodeOperation(row)
}

/** One page of operations. Throws `invalid_options` and `invalid_cursor`. */
export async function listOperations(
  database: QueueDatabase,
  filter: OperationFilter = {},
): Promise<OperationPage> {
  const checked = parseOrThrow(z.strictObject(filterFields), filter, 'invalid_options')
  const { state, cursor = aboveEveryId, limit = listLimitDefault } = checked
  if (!isJobId(cursor)) throw invalidCursor()
  const tenantId = database.scope?.tenantId
  // The index key is compared and ordered as a whole, like that of a tenant's jobs.
  const before =
    tenantId === undefined
      ? sql`o.id < ${cursor}::uuid`
      : sql`(o.tenant_id, o.id) >= (${tenantId}, ${smallestId}::uuid) AND (o.tenant_id, o.id) < (${tenantId}, ${cursor}::uuid)`
  const order = tenantId === undefined ? sql`o.id DESC` : sql`o.tenant_id DESC, o.id DESC`
  const inState = state === undefined ? sql`` : sql` AND o.state = ${state}`
  const rows = await database.run(sql<OperationRow>`
    SELECT ${operationColumns} FROM ${database.names.operations} AS o
     WHERE ${before}${inState}${andVisible(database)} ORDER BY ${order} LIMIT ${limit + 1}`)
  const operations = rows.slice(0, limit).map(decodeOperation)
  return { operations, nextCursor: rows.length > limit ? (operations.at(-1)?.id ?? null) : null }
}

/**
 * A condition, begun with AND. A caller who is bound to a tenant sees the operations of that tenant. A caller who is
 * bound to queues or kinds sees only operations that were started within exactly the same bounds.
 */
export function andVisible({ scope }: QueueDatabase): RawBuilder<unknown> {
  if (scope === undefined) return sql``
  const { tenantId, queues, kinds } = scope
  const ofTenant = tenantId === undefined ? sql`` : sql` AND ${sql.ref('o.tenant_id')} = ${tenantId}`
  if (queues === undefined && kinds === undefined) return ofTenant
  return sql`${ofTenant} AND o.scope = ${scopeText(scope)}::jsonb`
}
