// Carries out one batch of an operation: changes its next jobs and stores its progress, in one transaction. Called by
// any worker. A worker that dies before the commit has changed nothing; other workers skip an operation that is locked.
import { isRefusal } from '@queue/postgres'
import { sql } from 'kysely'
import type { ConnectedDatabase, QueueDatabase } from '../database/connect.ts'
import type { ChangedJob } from '../database/chosen-jobs.ts'
import type { Scope } from '../database/scope.ts'
import type { OperationAct, OperationState } from '../database/operation-tables.ts'
import { operationBatchMax } from '../domain/limits.ts'
import { eraseSamples } from '../insight/erase-samples.ts'
import { actsByFilter, changeJobs, findNext } from './acts-by-filter.ts'
import { eraseLastJobs } from '../schedules/erase-last-jobs.ts'
import { eraseFromAudit } from './erase-from-audit.ts'
import { findAsker } from './find-asker.ts'
import { noteBatch } from './note-batch.ts'
import {
  decodeOperation,
  decodeScope,
  liveOperationColumns,
  type LiveOperationRow,
  type Operation,
  scopeText,
} from './operation-row.ts'

/** A batch that was carried out. */
export interface CarriedBatch {
  readonly operation: string
  readonly act: OperationAct
  readonly jobs: readonly ChangedJob[]
  readonly state: OperationState
  readonly reason: string | null
}

/** How many seconds of its rate one batch uses, where the operation has a rate: short batches hold locks for a shorter time. */
const ratedBatchSeconds = 0.25
/** How long an operation waits after a batch that failed. Other operations continue. */
const retrySeconds = 5

/** An operation that ended within this time still counts as a turn of its caller. */
const turnKeptSeconds = 60

/**
 * Carries out the next batch of an operation; undefined where none is due. Tenants take turns, and so do the callers of a
 * tenant, so that many operations of one caller delay another's only by single batches. If the database
 * refuses a change, by a check or a trigger of its owner, the operation fails. Any other error is thrown, and the batch
 * is tried again later.
 */
export async function carryOutOperation(database: ConnectedDatabase): Promise<CarriedBatch | undefined> {
  let lockedId: string | undefined
  try {
    return await database.transaction(async (inside) => {
      const row = await lockDue(inside)
      if (row === undefined) return undefined
      lockedId = row.id
      return carryOut({ ...inside, scope: decodeScope(row.scope) }, row)
    })
  } catch (error) {
    if (lockedId === undefined) throw error
    const id = lockedId
    if (!isRefusal(error)) {
      await postpone(database, id).catch(() => undefined)
      throw error
    }
    return database.transaction((inside) => failOperation(inside, id))
  }
}

/** Milliseconds until an operation is due, negative where one is late; null where none is running. */
export async function nextOperationMs(database: QueueDatabase): Promise<number | null> {
  const [row] = await database.run(sql<{ ms: number | null }>`
    SELECT extract(epoch FROM min(o.next_batch_at) - clock_timestamp()) * 1000::numeric AS ms
      FROM ${database.names.operations} AS o WHERE o.state = 'running'`)
  return row?.ms ?? null
}

async function lockDue({ names, run }: QueueDatabase): Promise<LiveOperationRow | undefined> {
  const [row] = await run(sql<LiveOperationRow>`
    WITH callers AS MATERIALIZED (
      SELECT r.tenant_id, coalesce(r.actor_type, '') AS actor_type, coalesce(r.actor, '') AS actor,
             max(r.last_batch_at) AS last_at
        FROM ${names.operations} AS r
       WHERE r.state = 'running' OR r.finished_at > now() - ${sql.lit(turnKeptSeconds)}::float8 * interval '1 second'
       GROUP BY 1, 2, 3
    ), turns AS MATERIALIZED (
      SELECT c.tenant_id, c.actor_type, c.actor, c.last_at, max(c.last_at) OVER (PARTITION BY c.tenant_id) AS tenant_last_at
        FROM callers AS c
    )
    SELECT ${liveOperationColumns} FROM ${names.operations} AS o JOIN turns AS t
        ON t.tenant_id = o.tenant_id AND t.actor_type = coalesce(o.actor_type, '') AND t.actor = coalesce(o.actor, '')
     WHERE o.state = 'running' AND o.next_batch_at <= now()
     ORDER BY t.tenant_last_at NULLS FIRST, t.last_at NULLS FIRST, o.next_batch_at LIMIT 1 FOR UPDATE OF o SKIP LOCKED`)
  return row
}

async function carryOut(database: QueueDatabase, row: LiveOperationRow): Promise<CarriedBatch> {
  const operation = decodeOperation(row)
  const refusal = await refusalReason(database, row)
  if (refusal !== undefined) {
    return storeProgress(database, operation, { jobs: [], state: 'refused', reason: refusal })
  }
  const action = {
    act: operation.act,
    filter: operation.filter,
    runAt: operation.runAt,
    before: sql<Date>`${row.created}::timestamptz`,
  }
  const found = await findNext(database, action, {
    after: row.reached,
    upTo: row.up_to,
    max: batchSize(operation.rate),
  })
  const jobs = await changeJobs(database, action, found.ids)
  if (operation.act === 'erase') {
    await eraseSamples(database, jobs)
    await eraseLastJobs(database, jobs)
    await eraseFromAudit(database, operation.id, jobs)
  }
  await noteBatch(database, operation.id, jobs)
  return storeProgress(database, operation, {
    jobs,
    skipped: found.ids.length - jobs.length,
    reached: found.scanEnd,
    state: found.scanEnd === null ? 'succeeded' : 'running',
  })
}

function batchSize(rate: number | null): number {
  if (rate === null) return operationBatchMax
  return Math.min(operationBatchMax, Math.max(1, Math.floor(rate * ratedBatchSeconds)))
}

/**
 * Why the caller who started the operation may no longer do this; undefined where the caller may. An API key must still
 * have the permission, and exactly the same bounds. For a subject of OpenID Connect only the claims of the token are
 * known, which are valid until the token expires.
 */
async function refusalReason(database: QueueDatabase, row: LiveOperationRow): Promise<string | undefined> {
  if (row.rights_ended) return 'the credential that started it has expired: start it again'
  if (row.actor_type !== 'key') return undefined
  const key = await findAsker(database, row.id)
  const { permission } = actsByFilter[row.act]
  if (key === undefined || key.revoked) return 'the API key that started it is revoked'
  if (key.expiresInMs !== null && key.expiresInMs <= 0) return 'the API key that started it has expired'
  if (!key.permissions.includes(permission))
    return `the API key that started it no longer has the permission ${permission}`
  return scopeText(narrowed(key.scope, database.scope?.tenantId)) === scopeText(database.scope)
    ? undefined
    : 'the bounds of the API key that started it have changed'
}

/** The bounds of a key whose request named this tenant: a key without a tenant of its own may name any. */
function narrowed(scope: Scope | undefined, tenantId: string | undefined): Scope | undefined {
  return tenantId === undefined ? scope : { tenantId, ...scope }
}

interface BatchProgress {
  readonly jobs: readonly ChangedJob[]
  readonly skipped?: number
  readonly reached?: string | null
  readonly state: OperationState
  readonly reason?: string
}

/** Stores the progress of an operation after a batch. */
async function storeProgress(
  { names, run }: QueueDatabase,
  { id, act, rate }: Operation,
  { jobs, skipped = 0, reached = null, state, reason }: BatchProgress,
): Promise<CarriedBatch> {
  const seconds = rate === null ? 0 : jobs.length / rate
  await run(sql`
    UPDATE ${names.operations} AS o
       SET changed = o.changed + ${jobs.length}::int, skipped = o.skipped + ${skipped}::int,
           reached = coalesce(${reached}::uuid, o.reached), state = ${state}, reason = ${reason ?? null},
           last_batch_at = statement_timestamp(),
           next_batch_at = statement_timestamp() + ${seconds}::float8 * interval '1 second',
           finished_at = CASE WHEN ${state} = 'running' THEN NULL ELSE statement_timestamp() END
     WHERE o.id = ${id}::uuid`)
  return { operation: id, act, jobs, state, reason: reason ?? null }
}

async function postpone({ names, run }: QueueDatabase, id: string): Promise<void> {
  await run(sql`
    UPDATE ${names.operations} AS o SET next_batch_at = now() + ${sql.lit(retrySeconds)}::float8 * interval '1 second'
     WHERE o.id = ${id}::uuid AND o.state = 'running'`)
}

async function failOperation(database: QueueDatabase, id: string): Promise<CarriedBatch | undefined> {
  const [row] = await database.run(sql<LiveOperationRow>`
    SELECT ${liveOperationColumns} FROM ${database.names.operations} AS o
     WHERE o.id = ${id}::uuid AND o.state = 'running' FOR UPDATE`)
  if (row === undefined) return undefined
  const reason = 'the database refused one of its changes'
  return storeProgress(database, decodeOperation(row), { jobs: [], state: 'failed', reason })
}
