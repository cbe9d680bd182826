// (nothing) → an operation. Called by every caller who may do what the operation does.
import { type RawBuilder, sql } from 'kysely'
import type { Actor } from '../domain/actor.ts'
import type { QueueDatabase } from '../database/connect.ts'
import { instantParameter } from '../database/instant.ts'
import type { MintIds } from '../database/id-mint.ts'
import { QueueError } from '../domain/errors.ts'
import { actCountedMax, callerOperationsMax, tenantOperationsMax } from '../domain/limits.ts'
import { aboveEveryId, smallestId } from '../reads/job-filter.ts'
import { type BulkAction, findChangeable, findLatest } from './acts-by-filter.ts'
import {
  decodeOperation,
  type Operation,
  operationColumns,
  type OperationRow,
  scopeText,
} from './operation-row.ts'

export interface StartDeps {
  /** Who starts it; undefined: a program, whose acts are not in the audit log. */
  readonly by: Actor | undefined
  readonly mintIds: MintIds
}

/** Writes an operation that covers the jobs that exist now. Throws `too_many_operations`. */
export async function startOperation(
  database: QueueDatabase,
  { act, filter, runAt, rate }: BulkAction & { readonly rate: number | null },
  { by, mintIds }: StartDeps,
): Promise<Operation> {
  const found = await findLatest(
    database,
    { act, filter, runAt },
    { scanMax: actCountedMax, max: actCountedMax },
  )
  const changeable = await findChangeable(database, { act, filter, runAt }, found)
  // Dead letters are not ordered by job. The instant at which the operation started bounds them instead.
  const upTo = act === 'requeue_dead_letters' ? aboveEveryId : (found.ids[0] ?? found.scanEnd ?? smallestId)
  const [id] = await mintIds(database, 1)
  const values = {
    tenant_id: sql`${by?.tenantId ?? database.scope?.tenantId ?? ''}`,
    id: sql`${id}::uuid`,
    act: sql`${act}`,
    filter: sql`${JSON.stringify(filter)}::jsonb`,
    run_at: runAt === null ? sql`NULL` : instantParameter(runAt),
    scope: sql`${scopeText(database.scope)}::jsonb`,
    actor_type: sql`${by?.type ?? null}`,
    actor: sql`${by?.id ?? null}`,
    actor_name: sql`${by?.name ?? null}`,
    address: sql`${by?.address ?? null}`,
    request_id: sql`${by?.requestId ?? null}`,
    rights_end_at: by?.rightsEndAt === undefined ? sql`NULL` : instantParameter(by.rightsEndAt),
    rate: sql`${rate}::int`,
    up_to: sql`${upTo}::uuid`,
    expected: sql`${changeable.length}::int`,
    expected_is_least: sql`${found.scanEnd !== null}::boolean`,
  }
  const [row] = await database.run(sql<OperationRow>`
    INSERT INTO ${database.names.operations} AS o (${sql.join(Object.keys(values).map((name) => sql.id(name)))})
    SELECT ${sql.join(Object.values(values))}${whereFewRun(database, by)} RETURNING ${operationColumns}`)
  if (row !== undefined) return decodeOperation(row)
  throw new QueueError(
    'too_many_operations',
    `${callerOperationsMax} operations of this caller, or ${tenantOperationsMax} of its tenant, have not ended: wait for one ` +
      'to end, or cancel one',
  )
}

/**
 * A condition, begun with WHERE: few operations of the caller and of its tenant are running. Starts at the same time do not
 * see each other, so they can exceed the bounds by their number. Whoever administers the queue is not bounded.
 */
function whereFewRun(database: QueueDatabase, by: Actor | undefined): RawBuilder<unknown> {
  if (by === undefined || (by.type !== 'key' && by.type !== 'subject')) return sql``
  const tenantId = by.tenantId ?? database.scope?.tenantId
  const isOfCaller = sql`r.actor_type = ${by.type} AND r.actor = ${by.id}`
  const bounds = [fewRun(database, isOfCaller, callerOperationsMax)]
  if (tenantId !== undefined)
    bounds.push(fewRun(database, sql`r.tenant_id = ${tenantId}`, tenantOperationsMax))
  return sql` WHERE ${sql.join(bounds, sql` AND `)}`
}

function fewRun({ names }: QueueDatabase, condition: RawBuilder<unknown>, max: number): RawBuilder<unknown> {
  return sql`(SELECT count(*) FROM ${names.operations} AS r WHERE r.state = 'running' AND ${condition}) < ${sql.lit(max)}`
}
