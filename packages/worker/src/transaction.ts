import { setTimeout as sleep } from 'node:timers/promises'
import { type PgClient, QueueError } from '@queue/core'
import {
  checkOut,
  isUnavailable,
  queryWithin,
  returnConnection,
  settingText,
  sqlState,
  sqlStateOf,
} from '@queue/postgres'
import {
  type ConnectedDatabase,
  finishInTransaction,
  type PgConnection,
  tenantSetting,
} from '@queue/core/internal'
import { AttemptAborted, storableResult, type Succeeded } from '@queue/executor'
import type { Logger } from '@queue/loop'
import type pg from 'pg'
import type { Attempt } from './attempt.ts'
import { AwaitedPromise } from './awaited-promise.ts'
import { finishOf } from './finisher.ts'
import { HandlerTransaction } from './handler-transaction.ts'
import type { TransactionPool } from './transaction-pool.ts'

export interface TransactionDeps {
  readonly logger: Logger
  readonly database: ConnectedDatabase
  /** A separate pool, so that handlers with open transactions cannot starve the runtime. */
  readonly transactions: TransactionPool
  /** How long a statement of the runtime may take; the handler's own statements have no limit. */
  readonly queryTimeoutMs: number
  /** How long the transaction may stay open once it holds the row of its job. */
  readonly leaseMs: number
}

/**
 * Runs the handler's writes and the finish of its attempt in one transaction. The fenced finish is the last statement before
 * COMMIT: if the job has been taken over, or has ended, everything is rolled back. The transaction is READ COMMITTED; `work` may
 * choose another isolation. Where that meets a serialization failure, everything is rolled back, and `work` runs once more after
 * a wait, up to `transactionTriesMax` times in all. The value that `work` returns becomes the job's result; if it is not JSON, a note says so. Throws `database_unavailable` if the reply of the COMMIT was lost; the transaction is then
 * `unknown` until the end of the attempt is recorded.
 */
export function finishWith<Result>(
  attempt: Attempt,
  deps: TransactionDeps,
  work: (client: PgConnection) => Promise<Result>,
): Promise<Result> {
  const refusal = refusalOf(attempt, work)
  if (refusal !== undefined) {
    const { id: job_id, kind } = attempt.job
    deps.logger.warn(refusal, { job_id, kind, attempt: attempt.job.attempt })
    return AwaitedPromise.of(Promise.reject(new QueueError('invalid_options', refusal)), ignore)
  }
  const transaction = new HandlerTransaction()
  attempt.transaction = transaction
  return AwaitedPromise.of(run({ attempt, transaction, work }, deps), () => (transaction.isAwaited = true))
}

/** Why no transaction can begin now; undefined if one can. */
function refusalOf({ executing, transaction }: Attempt, work: unknown): string | undefined {
  if (typeof work !== 'function')
    return 'ctx.transaction takes a function, as in ctx.transaction(async (tx) => { … })'
  if (!executing)
    return 'ctx.transaction was called after its handler had ended: await ctx.transaction in the handler'
  if (transaction === undefined) return undefined
  return 'ctx.transaction can be called once per attempt, because it also finishes the job: use one for all writes'
}

interface TransactionRun<Result> {
  readonly attempt: Attempt
  readonly transaction: HandlerTransaction
  readonly work: (client: PgConnection) => Promise<Result>
}

async function run<Result>(transactionRun: TransactionRun<Result>, deps: TransactionDeps): Promise<Result> {
  const { attempt, transaction } = transactionRun
  const pool = deps.transactions.get()
  let client: pg.PoolClient | undefined
  let reusable = false
  try {
    // Once the transaction has its snapshot, only its own finish may change the row of the job.
    await attempt.progressWrite?.catch(ignore)
    client = await begin(pool, { ...deps, tenantId: attempt.job.tenantId })
    transaction.connected(client)
    const { result, unknownCommit } = await finishRepeatedly(client, transactionRun, deps)
    transaction.enter(unknownCommit === undefined ? 'committed' : 'unknown')
    if (unknownCommit !== undefined) throw unknownCommit
    attempt.progress = undefined
    reusable = true
    return result
  } catch (error) {
    transaction.fail(error)
    // A broken or silent connection would not answer a rollback.
    reusable =
      client !== undefined &&
      !transaction.isConnectionClosed &&
      !isOutage(error) &&
      (await rollBack(client, deps))
    throw error
  } finally {
    if (client !== undefined) returnConnection(pool, client, reusable)
  }
}

interface Finished<Result> {
  readonly result: Result
  /** The error for the handler if the reply of the COMMIT was lost. */
  readonly unknownCommit: QueueError | undefined
}

/** How often the function of a transaction runs at most, where PostgreSQL cannot serialize it. */
const transactionTriesMax = 8
/** The longest wait before the second run. It doubles with each further one. */
const repeatWaitMs = 20

/** Works and finishes. A serialization failure has changed nothing, so everything is done once more, in a new transaction. */
async function finishRepeatedly<Result>(
  client: pg.PoolClient,
  transactionRun: TransactionRun<Result>,
  deps: TransactionDeps,
): Promise<Finished<Result>> {
  const { attempt, transaction } = transactionRun
  for (let tries = 1; ; tries += 1) {
    try {
      return await finishOnce(client, transactionRun, deps)
    } catch (error) {
      const repeats = sqlStateOf(error) === sqlState.serializationFailure && tries < transactionTriesMax
      if (!repeats || !(await rollBack(client, deps))) throw error
      await sleep(Math.random() * repeatWaitMs * 2 ** tries)
      attempt.signal.throwIfAborted()
      transaction.enter('open')
      await queryWithin(client, { text: beginText(attempt.job.tenantId) }, deps.queryTimeoutMs)
    }
  }
}

async function finishOnce<Result>(
  client: pg.PoolClient,
  transactionRun: TransactionRun<Result>,
  deps: TransactionDeps,
): Promise<Finished<Result>> {
  const { attempt, transaction } = transactionRun
  const result = await workUntilStopped(client, transactionRun)
  // Stored before the finish locks the row of the job, because the lines would wait for that lock.
  await attempt.log?.flush()
  transaction.enter('finishing')
  transaction.kept = storableResult(result)
  await finishLast(client, attempt, { ...deps, kept: transaction.kept })
  transaction.enter('committing')
  return { result, unknownCommit: await commit(client, deps) }
}

/**
 * Runs `work` until it ends or its attempt is aborted. An aborted transaction cannot be committed any more, and its connection
 * is terminated: a statement that waits for a lock, or for an answer that never comes, must not keep the handler and its slot.
 */
async function workUntilStopped<Result>(
  client: pg.PoolClient,
  { attempt: { signal }, transaction, work }: TransactionRun<Result>,
): Promise<Result> {
  const stop = (): void => transaction.abort(signal.reason)
  signal.addEventListener('abort', stop)
  try {
    signal.throwIfAborted()
    return await Promise.race([work(transaction.guardedClient(client)), transaction.aborted])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

interface BeginDeps extends TransactionDeps {
  /** The tenant of the job, passed to the handler's row security policies as the setting `queue.tenant`; null: no setting. */
  readonly tenantId: string | null
}

/** An idle connection may be dead. Nothing is written yet, so a second try on a new connection is safe. */
async function begin(pool: pg.Pool, deps: BeginDeps): Promise<pg.PoolClient> {
  try {
    return await beginOn(pool, deps)
  } catch (error) {
    if (!isOutage(error)) throw error
    return beginOn(pool, deps)
  }
}

async function beginOn(pool: pg.Pool, { queryTimeoutMs, tenantId }: BeginDeps): Promise<pg.PoolClient> {
  const client = await checkOut(pool, queryTimeoutMs)
  try {
    await queryWithin(client, { text: beginText(tenantId) }, queryTimeoutMs)
    return client
  } catch (error) {
    returnConnection(pool, client, false)
    throw error
  }
}

/** The isolation is that of PostgreSQL's default, whatever the default of this database is (docs/decisions/0138). */
function beginText(tenantId: string | null): string {
  const text = 'BEGIN ISOLATION LEVEL READ COMMITTED'
  return tenantId === null ? text : `${text}; ${settingText(tenantSetting, tenantId)}`
}

/**
 * The fenced finish. It throws if the job no longer belongs to this attempt, so that everything is rolled back. From here on
 * the transaction holds the row of the job until its COMMIT. The server ends the transaction if that takes longer than a lease.
 */
async function finishLast(
  client: pg.PoolClient,
  attempt: Attempt,
  {
    database,
    queryTimeoutMs,
    leaseMs,
    kept,
  }: TransactionDeps & { readonly kept: Pick<Succeeded, 'result' | 'note'> },
): Promise<void> {
  const transaction = timed(client, queryTimeoutMs)
  const { job, progress } = attempt
  const write = { ...finishOf(job.lease, kept), progress }
  const target = { transaction, schema: database.schema, idleMsMax: leaseMs }
  const outcome = await finishInTransaction(target, write)
  if (outcome === 'lease_lost') throw new AttemptAborted('lease_lost')
}

/** Returns the error for the handler if the reply was lost. Throws if the transaction was rolled back. */
async function commit(
  client: pg.PoolClient,
  { queryTimeoutMs }: TransactionDeps,
): Promise<QueueError | undefined> {
  try {
    const { command } = await queryWithin(client, { text: 'COMMIT' }, queryTimeoutMs)
    // PostgreSQL answers ROLLBACK, without an error, if a statement failed that the handler did not await.
    if (command !== 'COMMIT') throw new Error('the transaction was rolled back: a statement in it has failed')
    return undefined
  } catch (error) {
    if (!isUnavailable(error)) throw error
    const message = 'the reply of the COMMIT was lost: it may have taken effect'
    return new QueueError('database_unavailable', message, { cause: error })
  }
}

/** Whether the connection can be used again. */
function rollBack(client: pg.PoolClient, { queryTimeoutMs }: TransactionDeps): Promise<boolean> {
  return queryWithin(client, { text: 'ROLLBACK' }, queryTimeoutMs).then(
    () => true,
    () => false,
  )
}

/** The client for the runtime's own statements, with a time limit on each. */
function timed(client: pg.PoolClient, queryTimeoutMs: number): PgClient {
  const query = (config: pg.QueryConfig) => queryWithin(client, config, queryTimeoutMs)
  return { query: query as PgClient['query'] }
}

/** Whether the database was unavailable, as node-postgres or core reports it. */
function isOutage(error: unknown): boolean {
  return isUnavailable(error) || (error instanceof QueueError && error.code === 'database_unavailable')
}

function ignore(): void {}
