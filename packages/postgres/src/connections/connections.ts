// The connections of a pool: checked out, returned, and ended when they break, fall silent, or wait for too long. A
// connection that is being ended counts until the server has ended its session, so that a pool never exceeds its maximum
// (docs/decisions/0055).
import type pg from 'pg'
import { rememberStream, requestCancel, wireOf } from './cancel-request.ts'
import { QueueError } from '../errors.ts'
import { isUnavailable, rethrow, sqlState, sqlStateOf } from '../pg-error.ts'
import { answerMsMax, destroy, timedOutAs, queryWithin, within } from './timed-query.ts'

/** How many callers of `tolerateBreaks` a pool has. */
const toleratingCallers = new WeakMap<pg.Pool, number>()

/** Prevents the breaking of an unused connection of the pool from ending the process, until the returned function is called. */
export function tolerateBreaks(pool: pg.Pool): () => void {
  const callerCount = toleratingCallers.get(pool) ?? 0
  toleratingCallers.set(pool, callerCount + 1)
  // One listener for all callers: many queues may share a pool, and a listener for each would make Node warn of a leak.
  if (callerCount === 0) pool.on('error', ignore).on('connect', tolerateEnd)
  return () => {
    const remainingCallers = (toleratingCallers.get(pool) ?? 1) - 1
    toleratingCallers.set(pool, remainingCallers)
    if (remainingCallers === 0) pool.off('error', ignore).off('connect', tolerateEnd)
  }
}

/**
 * A new connection may end at once, when the pool no longer listens to it and its borrower does not listen yet. An error event
 * without a listener would end the process. The statement that the connection was made for fails in any case.
 */
function tolerateEnd(client: pg.PoolClient): void {
  client.on('error', ignore)
}

function ignore(): void {}

/** How many connections of a pool have broken or fallen silent so far. */
const generations = new WeakMap<pg.Pool, number>()
/** The generation in which a connection was made. */
const madeIn = new WeakMap<pg.PoolClient, number>()

function generationOf(pool: pg.Pool): number {
  return generations.get(pool) ?? 0
}

/** How many callers of a pool got no connection within their time. */
const acquireTimeouts = new WeakMap<pg.Pool, number>()

/** How many statements of this package have failed because no connection of the pool was free in time. */
export function acquireTimeoutsOf(pool: pg.Pool): number {
  return acquireTimeouts.get(pool) ?? 0
}

/** Whether a caller waited in the pool's queue too long. A connection that is not made in time has another message. */
function isAcquireTimeout(error: unknown): boolean {
  return error instanceof Error && error.message === 'timeout exceeded when trying to connect'
}

/** The connections of a pool that are checked out. */
const connectionsInUse = new WeakMap<pg.Pool, Set<pg.PoolClient>>()

function inUseOf(pool: pg.Pool): Set<pg.PoolClient> {
  const existing = connectionsInUse.get(pool) ?? new Set()
  connectionsInUse.set(pool, existing)
  return existing
}

/**
 * Checks a connection out of the pool. The connection was made after the last one broke, because an outage has probably broken
 * the older ones too, and each would cost a timeout. Throws `database_unavailable` if no connection is free within the time limit
 * of the pool, or within `limitMs` if the pool has none.
 */
export async function checkOut(pool: pg.Pool, limitMs: number): Promise<pg.PoolClient> {
  for (;;) {
    const client = await connectWithin(pool, limitMs).catch((error: unknown) => {
      if (pool.ending) throw poolIsClosed(error)
      if (isAcquireTimeout(error)) acquireTimeouts.set(pool, acquireTimeoutsOf(pool) + 1)
      return rethrow(error)
    })
    const current = generationOf(pool)
    const generation = madeIn.get(client)
    if (generation === undefined) {
      madeIn.set(client, current)
      rememberStream(client, pool.options.stream)
    }
    if (generation === undefined || generation === current) {
      // An error event between two queries would otherwise end the process.
      client.on('error', ignore)
      inUseOf(pool).add(client)
      return client
    }
    await closeGracefully(client, idleCloseMsMax)
    client.release(true)
  }
}

function poolIsClosed(cause: unknown): QueueError {
  const message = 'the pool has been closed, so nothing was sent: let every call end before it is closed'
  return new QueueError('database_unavailable', message, { cause })
}

/** Opening a connection may take longer than a short statement timeout. */
const acquireMsMin = 5_000

/**
 * Limits the wait for a connection. A pool without a limit waits forever, and any pool waits for its owner's `onConnect`. A
 * connection that comes too late is returned to the pool.
 */
async function connectWithin(pool: pg.Pool, limitMs: number): Promise<pg.PoolClient> {
  const connecting = pool.connect()
  const { connectionTimeoutMillis: poolMs, onConnect } = pool.options
  // An idle connection is returned at once, so a timer is not needed.
  const hasIdle = pool.idleCount >= Math.max(1, pool.waitingCount)
  if (hasIdle || (poolMs && onConnect === undefined)) return connecting
  const client = await within(connecting, Math.max(limitMs, acquireMsMin) + 2 * (poolMs ?? 0))
  if (client !== undefined) return client
  void connecting.then(
    (late) => late.release(),
    () => undefined,
  )
  throw new Error('timeout exceeded when trying to connect')
}

/**
 * Returns a connection to its pool. An unusable connection is closed, and counts for the pool until the server has ended its
 * session, because otherwise the pool would exceed its maximum. Only if the server does not answer may a new connection replace
 * it at once.
 */
export function returnConnection(pool: pg.Pool, client: pg.PoolClient, usable: boolean): void {
  inUseOf(pool).delete(client)
  if (usable && isSound(client)) {
    client.off('error', ignore)
    client.release()
    return
  }
  // This must happen at once, so that the next caller does not get a connection from before the break.
  if (isSilent(client)) generations.set(pool, generationOf(pool) + 1)
  void close(client).then(() => {
    client.off('error', ignore)
    client.release(true)
  })
}

/** Connections that are being ended, and the promises of their end. */
const closing = new WeakMap<pg.PoolClient, Promise<void>>()

function isSound(client: pg.PoolClient): boolean {
  return timedOutAs(client) === undefined && !closing.has(client)
}

/** Whether the server has stopped answering on it, as far as is known. */
function isSilent(client: pg.PoolClient): boolean {
  return timedOutAs(client) !== 'answered' && !closing.has(client)
}

async function close(client: pg.PoolClient): Promise<void> {
  if (closing.has(client)) return closing.get(client)
  if (timedOutAs(client) === 'answered') await closeGracefully(client)
  else destroy(client)
}

/** Sends Terminate, and waits until the server closes the connection: its session is over then. Destroys a silent one. */
export async function closeGracefully(client: pg.ClientBase, limitMs = closeMsMax): Promise<void> {
  const ended = (client as unknown as pg.Client).end().then(
    () => true,
    () => true,
  )
  if ((await within(ended, limitMs)) === undefined) destroy(client)
}

/** How long the server may take to end a session. */
const closeMsMax = 1_000
/** The same for each of many connections that may all be cut off, and are closed one after the other. */
const idleCloseMsMax = 100
/** How long a request to cancel a statement may take. */
const cancelMsMax = 2_000

/**
 * Terminates the connections that are checked out, and lets nobody check out one that was made before: later statements go
 * out on new ones. Statements under way fail as in an outage, and may have taken effect. Gives how many connections were
 * terminated, once their sessions are over or silent.
 */
export async function renewConnections(pool: pg.Pool): Promise<number> {
  generations.set(pool, generationOf(pool) + 1)
  const ends = await Promise.all([...inUseOf(pool)].map(terminate))
  return ends.length
}

/**
 * Ends a connection that is checked out. A statement under way is cancelled, so that its session does not go on without
 * us. Resolves when the session is over, or when the server is silent. Never rejects.
 */
export function terminate(client: pg.PoolClient): Promise<void> {
  const existing = closing.get(client)
  if (existing !== undefined) return existing
  const ending = endSession(client)
  closing.set(client, ending)
  return ending
}

async function endSession(client: pg.PoolClient): Promise<void> {
  // Its owner may send another statement when the first one fails. After Terminate it cannot.
  for (let round = 0; round < 2; round += 1) {
    if (!(await requestCancel(client, cancelMsMax))) break
    if (await closedByTerminate(client)) return
  }
  destroy(client)
}

/** Sends Terminate although a statement may be under way. Gives whether the server closes the connection. */
async function closedByTerminate(client: pg.PoolClient): Promise<boolean> {
  const { connection } = wireOf(client)
  if (connection?.stream?.destroyed === true) return true
  const ended = new Promise<true>((resolve) => void client.once('end', () => resolve(true)))
  connection?.end()
  return (await within(ended, answerMsMax)) === true
}

/** The result of a use, and whether the connection may be used again: at once, or when `later` has resolved. */
export type Use<Result> = { readonly usable: boolean; readonly later?: Promise<boolean> } & (
  | { readonly result: Result }
  | { readonly error: unknown }
)

/** The outcome of a statement, and whether its connection may be used again. Never throws. */
export async function outcomeOfUse<Result>(answer: Promise<Result>): Promise<Use<Result>> {
  try {
    return { result: await answer, usable: true }
  } catch (error) {
    return { error, usable: remainsUsable(error) }
  }
}

/**
 * Whether a connection remains usable after this error. It does after a refusal by PostgreSQL, including the cancellation of a
 * slow statement. After any other error its state is unknown, and a connection to a server that no longer accepts writes is
 * useless.
 */
function remainsUsable(error: unknown): boolean {
  const state = sqlStateOf(error)
  if (state === undefined || isFatal(error)) return false
  return state === sqlState.queryCanceled || !isUnavailable(error)
}

function isFatal(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'severity' in error && error.severity !== 'ERROR'
}

/** Runs `use` with a connection of the pool. Throws its error through `rethrow`; `limitMs` is as in `checkOut`. */
export async function borrow<Result>(
  pool: pg.Pool,
  limitMs: number,
  use: (client: pg.PoolClient) => Promise<Use<Result>>,
): Promise<Result> {
  const client = await checkOut(pool, limitMs)
  const outcome = await use(client)
  if (outcome.later === undefined || !outcome.usable) returnConnection(pool, client, outcome.usable)
  else void outcome.later.then((usable) => returnConnection(pool, client, usable))
  return 'error' in outcome ? rethrow(outcome.error) : outcome.result
}

/** Runs one statement on a connection of the pool. Throws PostgreSQL's error through `rethrow`. */
export function runOn<Row extends pg.QueryResultRow>(
  pool: pg.Pool,
  query: pg.QueryConfig,
  timeoutMs: number,
): Promise<pg.QueryResult<Row>> {
  return borrow(pool, timeoutMs, (client) => outcomeOfUse(queryWithin<Row>(client, query, timeoutMs)))
}
