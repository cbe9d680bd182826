// The connections of a pool: lent out, and ended where they have broken, have fallen silent, or wait for too long. One
// that is ended keeps its place until the server has ended its session, so that a pool never has more of them than its
// maximum (docs/decisions/0055).
import type pg from 'pg'
import { rememberStream, requestCancel, wireOf } from './cancel-request.ts'
import { isUnavailable, rethrow, sqlState, sqlStateOf } from '../pg-error.ts'
import { answerMsMax, destroy, givenUpAs, queryWithin, within } from './timed-query.ts'

/** How many have asked for the connections of a pool to break without ending the process. */
const tolerances = new WeakMap<pg.Pool, number>()

/**
 * From now on, until the function that it gives is called, a connection of the pool that breaks while nobody uses it
 * does not end the process.
 */
export function tolerateBreaks(pool: pg.Pool): () => void {
  const before = tolerances.get(pool) ?? 0
  tolerances.set(pool, before + 1)
  // Many queues may share a pool: each listener of its own would be one too many for node-postgres' emitters.
  if (before === 0) pool.on('error', ignore).on('connect', tolerateEnd)
  return () => {
    const left = (tolerances.get(pool) ?? 1) - 1
    tolerances.set(pool, left)
    if (left === 0) pool.off('error', ignore).off('connect', tolerateEnd)
  }
}

/**
 * A new connection may end in the same breath: it is no longer the pool's then, and not yet its borrower's, and an error
 * that nobody listens to ends the process. The statement that it was made for fails all the same.
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

/** How many callers have waited for a connection of a pool for as long as they may, and have gone without. */
const acquireTimeouts = new WeakMap<pg.Pool, number>()

/** How many statements of this package have failed because no connection of the pool was free in time. */
export function acquireTimeoutsOf(pool: pg.Pool): number {
  return acquireTimeouts.get(pool) ?? 0
}

/** What node-postgres' pool says to a caller in its queue; of a connection that is not made in time it says something else. */
function isAcquireTimeout(error: unknown): boolean {
  return error instanceof Error && error.message === 'timeout exceeded when trying to connect'
}

/** The connections of a pool that somebody has now. */
const connectionsInUse = new WeakMap<pg.Pool, Set<pg.PoolClient>>()

function inUseOf(pool: pg.Pool): Set<pg.PoolClient> {
  const known = connectionsInUse.get(pool) ?? new Set()
  connectionsInUse.set(pool, known)
  return known
}

/**
 * A connection from after the last one that broke, to be returned: what has cut one off has likely cut off its
 * neighbours, and each of those would be waited for in turn. Throws `database_unavailable` when there is none within the
 * time that the pool waits for one, or within `limitMs` where it would wait for ever.
 */
export async function checkOut(pool: pg.Pool, limitMs: number): Promise<pg.PoolClient> {
  for (;;) {
    const client = await connectWithin(pool, limitMs).catch((error: unknown) => {
      if (isAcquireTimeout(error)) acquireTimeouts.set(pool, acquireTimeoutsOf(pool) + 1)
      return rethrow(error)
    })
    const current = generationOf(pool)
    const known = madeIn.get(client)
    if (known === undefined) {
      madeIn.set(client, current)
      rememberStream(client, pool.options.stream)
    }
    if (known === undefined || known === current) {
      // An error event between two queries would otherwise end the process.
      client.on('error', ignore)
      inUseOf(pool).add(client)
      return client
    }
    await hangUp(client, idleGoodbyeMsMax)
    client.release(true)
  }
}

/** To make a connection takes longer than most statements may. */
const acquireMsMin = 5_000

/**
 * A pool may wait for ever: for a connection when it was told no limit, and for what its owner does with a new one. A
 * connection that comes too late goes back.
 */
async function connectWithin(pool: pg.Pool, limitMs: number): Promise<pg.PoolClient> {
  const connecting = pool.connect()
  const { connectionTimeoutMillis: poolMs, onConnect } = pool.options
  // Nobody waits for one that is idle, and a timer for each statement would be for nothing.
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
 * Returns a connection to its pool. One that is not usable is closed, and keeps its place in the pool for as long as
 * the server has its session: the pool would make another one beside it otherwise. Only where nothing is heard of the
 * server any more does the place go to a new connection at once.
 */
export function returnConnection(pool: pg.Pool, client: pg.PoolClient, usable: boolean): void {
  inUseOf(pool).delete(client)
  if (usable && isSound(client)) {
    client.off('error', ignore)
    client.release()
    return
  }
  // At once: whoever comes next must not be given its neighbours.
  if (isSilent(client)) generations.set(pool, generationOf(pool) + 1)
  void close(client).then(() => {
    client.off('error', ignore)
    client.release(true)
  })
}

/** Connections that are on their way to their end, and when they have come to it. */
const closing = new WeakMap<pg.PoolClient, Promise<void>>()

function isSound(client: pg.PoolClient): boolean {
  return givenUpAs(client) === undefined && !closing.has(client)
}

/** Whether the server is not heard on it any more, as far as anybody knows. */
function isSilent(client: pg.PoolClient): boolean {
  return givenUpAs(client) !== 'answered' && !closing.has(client)
}

async function close(client: pg.PoolClient): Promise<void> {
  if (closing.has(client)) return closing.get(client)
  if (givenUpAs(client) === 'answered') await hangUp(client)
  else destroy(client)
}

/** Says goodbye, and waits until the server has hung up: its session is over then. Does not wait for a silent one. */
export async function hangUp(client: pg.ClientBase, limitMs = goodbyeMsMax): Promise<void> {
  const ended = (client as unknown as pg.Client).end().then(
    () => true,
    () => true,
  )
  if ((await within(ended, limitMs)) === undefined) destroy(client)
}

/** How long the server may take to end a session. */
const goodbyeMsMax = 1_000
/** The same for one of many that may all be cut off, and are waited for in turn. */
const idleGoodbyeMsMax = 100
/** How long a request to cancel what a connection is at may take. */
const cancelMsMax = 2_000

/**
 * Breaks off the connections that somebody has, and lets none that was made before have another: what is sent from now
 * on goes out on new ones. The statements fail as in an outage, and may have taken effect. Gives how many there were,
 * once their sessions are over or not heard.
 */
export async function renewConnections(pool: pg.Pool): Promise<number> {
  generations.set(pool, generationOf(pool) + 1)
  const ends = await Promise.all([...inUseOf(pool)].map(breakOff))
  return ends.length
}

/**
 * Ends a connection that somebody has, whatever it is at: a statement that waits is cancelled, so that its session does
 * not go on without us. Resolves when the session is over, or when nothing is heard of the server. Never rejects.
 */
export function breakOff(client: pg.PoolClient): Promise<void> {
  const known = closing.get(client)
  if (known !== undefined) return known
  const ending = endSession(client)
  closing.set(client, ending)
  return ending
}

async function endSession(client: pg.PoolClient): Promise<void> {
  // Its owner may send another statement when the first one fails. After the goodbye it cannot.
  for (let round = 0; round < 2; round += 1) {
    if (!(await requestCancel(client, cancelMsMax))) break
    if (await endedByGoodbye(client)) return
  }
  destroy(client)
}

/** Says goodbye although a statement may be under way, and gives whether the server hangs up. */
async function endedByGoodbye(client: pg.PoolClient): Promise<boolean> {
  const { connection } = wireOf(client)
  if (connection?.stream?.destroyed === true) return true
  const ended = new Promise<true>((resolve) => void client.once('end', () => resolve(true)))
  connection?.end()
  return (await within(ended, answerMsMax)) === true
}

/** How a connection was used, and whether somebody else may have it next: at once, or when `later` has resolved. */
export type Use<Result> = { readonly usable: boolean; readonly later?: Promise<boolean> } & (
  | { readonly result: Result }
  | { readonly error: unknown }
)

/** What became of a statement, and whether its connection may be used again. Never throws. */
export async function used<Result>(answer: Promise<Result>): Promise<Use<Result>> {
  try {
    return { result: await answer, usable: true }
  } catch (error) {
    return { error, usable: isLeftUsable(error) }
  }
}

/**
 * PostgreSQL's own refusal leaves the connection usable, also when it has ended the statement for taking too long;
 * anything else leaves it in an unknown state, and a connection to a server that takes no writes any more is of no use.
 */
function isLeftUsable(error: unknown): boolean {
  const state = sqlStateOf(error)
  if (state === undefined || isFatal(error)) return false
  return state === sqlState.queryCanceled || !isUnavailable(error)
}

function isFatal(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'severity' in error && error.severity !== 'ERROR'
}

/** Lends a connection of the pool to `use`. Throws what that came to, as `rethrow` has it; `limitMs` as in `checkOut`. */
export async function borrow<Result>(
  pool: pg.Pool,
  limitMs: number,
  use: (client: pg.PoolClient) => Promise<Use<Result>>,
): Promise<Result> {
  const client = await checkOut(pool, limitMs)
  const made = await use(client)
  if (made.later === undefined || !made.usable) returnConnection(pool, client, made.usable)
  else void made.later.then((usable) => returnConnection(pool, client, usable))
  return 'error' in made ? rethrow(made.error) : made.result
}

/** Runs one statement on a connection of the pool. Throws what PostgreSQL says, as `rethrow` has it. */
export function runOn<Row extends pg.QueryResultRow>(
  pool: pg.Pool,
  query: pg.QueryConfig,
  timeoutMs: number,
): Promise<pg.QueryResult<Row>> {
  return borrow(pool, timeoutMs, (client) => used(queryWithin<Row>(client, query, timeoutMs)))
}
