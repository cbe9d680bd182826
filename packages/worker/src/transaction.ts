import { type ConnectedDatabase, findJsonFault, type JsonValue, limits, type PgClient } from '@queue/core'
import { finishInTransaction } from '@queue/core/runtime'
import { AttemptAborted } from '@queue/executor'
import type pg from 'pg'
import type { Attempt } from './attempt.ts'
import { resultWrite } from './finisher.ts'

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
  attempt: Attempt,
  deps: TransactionDeps,
  work: (client: PgClient) => Promise<Result>,
): Promise<Result> {
  if (attempt.transaction !== 'unused') {
    throw new Error('ctx.transaction can be called once per attempt: it also finishes the job')
  }
  attempt.transaction = 'open'
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
    attempt.transaction = 'ending'
    await finishLast(client, attempt, { schema: deps.database.schema, result })
    await client.query('COMMIT')
    attempt.transaction = 'committed'
    return result
  } catch (error) {
    attempt.transaction = 'failed'
    await client.query('ROLLBACK').catch(onError)
    throw error
  } finally {
    client.off('error', onError)
    client.release(!healthy)
  }
}

/** The fence: throws, so that everything is rolled back, when the job is no longer this attempt's. */
async function finishLast(
  transaction: PgClient,
  attempt: Attempt,
  { schema, result }: { readonly schema: string; readonly result: unknown },
): Promise<void> {
  const write = { lease: attempt.job.lease, ...resultWrite(storable(result)) }
  const outcome = await finishInTransaction({ transaction, schema }, write)
  if (outcome === 'lease_lost') throw new AttemptAborted('lease_lost')
}

function storable(value: unknown): JsonValue {
  return value !== undefined && findJsonFault(value, limits.payloadDepthMax) === undefined
    ? (value as JsonValue)
    : null
}
