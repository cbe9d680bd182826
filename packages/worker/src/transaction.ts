import { type ConnectedDatabase, findJsonFault, type JsonValue, limits, type PgClient } from '@queue/core'
import { finishInTransaction } from '@queue/core/runtime'
import { AttemptAborted } from '@queue/executor'
import type pg from 'pg'
import type { Attempt } from './attempt.ts'
import { resultWrite } from './finisher.ts'

/** How the one transaction of an attempt went; undefined until it has been tried. */
export interface TransactionState {
  used: boolean
  committed: boolean
}

export interface AttemptTransaction {
  readonly attempt: Attempt
  readonly state: TransactionState
}

export interface TransactionDeps {
  readonly database: ConnectedDatabase
  /** A pool of its own, so that handlers that hold transactions cannot starve the runtime. */
  readonly transactionPool: () => pg.Pool
}

/**
 * Runs the handler's writes and the finish of its attempt in one transaction. The fence comes last before COMMIT: if
 * the job has been taken over, or ended, everything rolls back. What `work` returns becomes the job's result where
 * JSON can hold it.
 */
export async function finishWith<Result>(
  { attempt, state }: AttemptTransaction,
  deps: TransactionDeps,
  work: (client: PgClient) => Promise<Result>,
): Promise<Result> {
  if (state.used) throw new Error('ctx.transaction can be called once per attempt: it also finishes the job')
  state.used = true
  const client = await deps.transactionPool().connect()
  let healthy = true
  const onError = (): void => {
    healthy = false
  }
  client.on('error', onError)
  try {
    await client.query('BEGIN')
    const result = await work(client)
    attempt.signal.throwIfAborted()
    const write = { lease: attempt.job.lease, ...resultWrite(storable(result)) }
    if (
      (await finishInTransaction({ transaction: client, schema: deps.database.schema }, write)) ===
      'lease_lost'
    ) {
      throw new AttemptAborted('lease_lost')
    }
    await client.query('COMMIT')
    state.committed = true
    return result
  } catch (error) {
    await client.query('ROLLBACK').catch(onError)
    throw error
  } finally {
    client.off('error', onError)
    client.release(!healthy)
  }
}

function storable(value: unknown): JsonValue {
  return value !== undefined && findJsonFault(value, limits.payloadDepthMax) === undefined
    ? (value as JsonValue)
    : null
}
