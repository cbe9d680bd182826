// The connections of a pool: lent out, and given up where they have broken or fallen silent.
import type pg from 'pg'
import { rethrow } from './pg-error.ts'

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
export function tolerateEnd(client: pg.PoolClient): void {
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

/**
 * A connection from after the last one that broke: what has cut one off has likely cut off its neighbours, and each
 * of those would be waited for in turn.
 */
async function checkOut(pool: pg.Pool): Promise<pg.PoolClient> {
  for (;;) {
    const client = await pool.connect().catch(rethrow)
    const current = generationOf(pool)
    const made = madeIn.get(client) ?? current
    madeIn.set(client, made)
    if (made === current) return client
    client.release(true)
  }
}

/** The connections of a pool that a statement has now. */
const connectionsInUse = new WeakMap<pg.Pool, Set<pg.PoolClient>>()

function inUseOf(pool: pg.Pool): Set<pg.PoolClient> {
  const known = connectionsInUse.get(pool) ?? new Set()
  connectionsInUse.set(pool, known)
  return known
}

/**
 * Breaks off the connections on which a statement waits for its answer, and lets none that was made before have another:
 * what is sent from now on goes out on new ones. The statements fail as in an outage, and may have taken effect.
 */
export function renewConnections(pool: pg.Pool): void {
  generations.set(pool, generationOf(pool) + 1)
  for (const client of inUseOf(pool)) breakOff(client)
}

/** node-postgres destroys the socket of a connection that waits for an answer, and says goodbye on any other. */
export function breakOff(client: pg.PoolClient): void {
  void (client as unknown as pg.Client).end().catch(() => undefined)
}

/** How a connection was used, and whether somebody else may have it next: at once, or when `later` has resolved. */
export type Use<Result> = { readonly usable: boolean; readonly later?: Promise<boolean> } & (
  | { readonly result: Result }
  | { readonly error: unknown }
)

/** Lends a connection of the pool to `use`. Throws what that came to, as `rethrow` has it. */
export async function borrow<Result>(
  pool: pg.Pool,
  use: (client: pg.PoolClient) => Promise<Use<Result>>,
): Promise<Result> {
  const client = await checkOut(pool)
  // An error event between two queries would otherwise end the process.
  const onError = (): void => undefined
  client.on('error', onError)
  const inUse = inUseOf(pool)
  inUse.add(client)
  const release = (usable: boolean): void => {
    inUse.delete(client)
    client.off('error', onError)
    if (!usable) generations.set(pool, generationOf(pool) + 1)
    client.release(!usable)
  }
  const made = await use(client)
  // A broken one goes at once: whoever comes next must not be given its neighbours.
  if (made.later === undefined || !made.usable) release(made.usable)
  else void made.later.then(release)
  return 'error' in made ? rethrow(made.error) : made.result
}
