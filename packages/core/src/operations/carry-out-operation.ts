// One batch of one operation: what it does to its next jobs, and how far it has come, in one transaction. Called by any worker.
// Whoever is killed in it has changed nothing; whoever comes meanwhile skips the operation.
import { isRefusal } from '@queue/postgres'
import { sql } from 'kysely'
import type { ConnectedDatabase, QueueDatabase } from '../database/connect.ts'
import type { ChangedJob } from '../database/chosen-jobs.ts'
import type { OperationAct, OperationState } from '../database/operation-tables.ts'
import { operationBatchMax } from '../domain/limits.ts'
import { eraseSamples } from '../errors/erase-samples.ts'
import { actsByFilter, change, findNext } from './acts-by-filter.ts'
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

/** A batch that has been carried out. */
export interface CarriedBatch {
  readonly operation: string
  readonly act: OperationAct
  readonly jobs: readonly ChangedJob[]
  readonly state: OperationState
  readonly reason: string | null
}

/** A batch at a `rate` takes so much of a second: short ones hold locks for shorter. */
const ratedBatchSeconds = 0.25
/** An operation whose batch has failed is left alone for so long, and others go on. */
const retrySeconds = 5

/**
 * Carries out the next batch of the operation that has waited longest; undefined where none is due. A check or trigger of the
 * database's owner that refuses a change ends its operation; any other error is thrown, and the batch is tried again later.
 */
export async function carryOutOperation(database: ConnectedDatabase): Promise<CarriedBatch | undefined> {
  const taken: { id?: string } = {}
  try {
    return await database.transaction(async (inside) => {
      const row = await lockDue(inside)
      if (row === undefined) return undefined
      taken.id = row.id
      return carryOut({ ...inside, scope: decodeScope(row.scope) }, row)
    })
  } catch (error) {
    if (taken.id === undefined) throw error
    if (!isRefusal(error)) {
      await putOff(database, taken.id).catch(() => undefined)
      throw error
    }
    return database.transaction((inside) => failOperation(inside, taken.id as string))
  }
}

/** Milliseconds until an operation is due; null where none is running. */
export async function nextOperationMs(database: QueueDatabase): Promise<number | null> {
  const [row] = await database.run(sql<{ ms: number | null }>`
    SELECT (extract(epoch FROM min(o.next_batch_at) - clock_timestamp()) * 1000)::float8 AS ms
      FROM ${database.names.operations} AS o WHERE o.state = 'running'`)
  return row?.ms ?? null
}

async function lockDue({ names, run }: QueueDatabase): Promise<LiveOperationRow | undefined> {
  const [row] = await run(sql<LiveOperationRow>`
    SELECT ${liveOperationColumns} FROM ${names.operations} AS o
     WHERE o.state = 'running' AND o.next_batch_at <= now()
     ORDER BY o.next_batch_at LIMIT 1 FOR UPDATE SKIP LOCKED`)
  return row
}

async function carryOut(database: QueueDatabase, row: LiveOperationRow): Promise<CarriedBatch> {
  const operation = decodeOperation(row)
  const refusal = await refusalOf(database, row)
  if (refusal !== undefined) return note(database, operation, { jobs: [], state: 'refused', reason: refusal })
  const asked = { act: operation.act, filter: operation.filter, runAt: operation.runAt }
  const found = await findNext(database, asked, {
    after: row.reached,
    upTo: row.up_to,
    before: operation.createdAt,
    max: batchSize(operation.rate),
  })
  const jobs = await change(database, asked, found.ids)
  if (operation.act === 'erase') {
    await eraseSamples(database, jobs)
    await eraseFromAudit(database, operation.id, jobs)
  }
  await noteBatch(database, operation.id, jobs)
  return note(database, operation, {
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
 * Why whoever asked may no longer do this; undefined: they may. A key must still have the permission, and the very same bounds.
 * Of a subject is known what its token said, for as long as that was to be believed.
 */
async function refusalOf(database: QueueDatabase, row: LiveOperationRow): Promise<string | undefined> {
  if (row.rights_ended) return 'the credential that asked for it has expired: ask again'
  if (row.actor_type !== 'key') return undefined
  const key = await findAsker(database, row.id)
  const { permission } = actsByFilter[row.act]
  if (key === undefined || key.revoked) return 'the key that asked for it is revoked'
  if (key.expiresInMs !== null && key.expiresInMs <= 0) return 'the key that asked for it has expired'
  if (!key.permissions.includes(permission))
    return `the key that asked for it has no longer the permission ${permission}`
  return scopeText(key.scope) === scopeText(database.scope)
    ? undefined
    : 'the key that asked for it has other bounds now'
}

interface Noted {
  readonly jobs: readonly ChangedJob[]
  readonly skipped?: number
  readonly reached?: string | null
  readonly state: OperationState
  readonly reason?: string
}

/** Writes how far the operation has come. */
async function note(
  { names, run }: QueueDatabase,
  { id, act, rate }: Operation,
  { jobs, skipped = 0, reached = null, state, reason }: Noted,
): Promise<CarriedBatch> {
  const seconds = rate === null ? 0 : jobs.length / rate
  await run(sql`
    UPDATE ${names.operations} AS o
       SET changed = o.changed + ${jobs.length}::int, skipped = o.skipped + ${skipped}::int,
           reached = coalesce(${reached}::uuid, o.reached), state = ${state}, reason = ${reason ?? null},
           next_batch_at = now() + ${seconds}::float8 * interval '1 second',
           finished_at = CASE WHEN ${state} = 'running' THEN NULL ELSE now() END
     WHERE o.id = ${id}::uuid`)
  return { operation: id, act, jobs, state, reason: reason ?? null }
}

async function putOff({ names, run }: QueueDatabase, id: string): Promise<void> {
  await run(sql`
    UPDATE ${names.operations} AS o SET next_batch_at = now() + ${sql.lit(retrySeconds)} * interval '1 second'
     WHERE o.id = ${id}::uuid AND o.state = 'running'`)
}

async function failOperation(database: QueueDatabase, id: string): Promise<CarriedBatch | undefined> {
  const [row] = await database.run(sql<LiveOperationRow>`
    SELECT ${liveOperationColumns} FROM ${database.names.operations} AS o
     WHERE o.id = ${id}::uuid AND o.state = 'running' FOR UPDATE`)
  if (row === undefined) return undefined
  const reason = 'the database refuses a change of its'
  return note(database, decodeOperation(row), { jobs: [], state: 'failed', reason })
}
