// Connections beside a pool, which are to be what its own are: the same server, the same settings, the same parsers.
import type pg from 'pg'
import { QueueError } from '../errors.ts'

/** Pools of ours, and what connections beside them are made of: the rest of their options is for the queue alone. */
const ownPools = new WeakMap<pg.Pool, pg.PoolConfig>()

/** From now on connections beside this pool of ours are made by its connection string alone. */
export function rememberOwnPool(pool: pg.Pool, connectionString: string): void {
  ownPools.set(pool, { connectionString })
}

/** What a pool has for itself: how many connections, whom it tells, how it sets them up. */
const ofThePool = ['max', 'min', 'poolSize', 'log', 'application_name', 'onConnect'] as const

/**
 * How to make connections beside a pool as the pool makes its own: from its connection string where it is ours, by all of
 * its options where it is the caller's. What the caller does with each new connection, in `onConnect` or in the pool's
 * `connect` event, is done with these too, by a pool that is made of this.
 */
export function besidePool(pool: pg.Pool): pg.PoolConfig {
  const own = ownPools.get(pool)
  if (own !== undefined) return own
  const { options } = pool
  return {
    ...without({ ...options, ...hiddenOf(options) }, ofThePool),
    ...classOf(pool),
    // oxlint-disable-next-line typescript/no-misused-promises -- a pool waits for it, which its types do not say.
    onConnect: async (client) => {
      await Promise.resolve(options.onConnect?.(client))
      for (const listener of pool.listeners('connect')) listener.call(pool, client)
    },
  }
}

/** The class of its clients, which may have been given to the pool beside its options; the types leave it out. */
function classOf(pool: pg.Pool): Pick<pg.PoolConfig, 'Client'> {
  return { Client: (pool as pg.Pool & { readonly Client: pg.PoolConfig['Client'] }).Client }
}

/** What a connection that reads no values, and is the only one of its pool, has no use for. */
const ofNoUse = [
  ...ofThePool,
  'Client',
  'Promise',
  'allowExitOnIdle',
  'binary',
  'connectionTimeoutMillis',
  'idleTimeoutMillis',
  'maxLifetimeSeconds',
  'maxUses',
  'pipeline',
  'types',
  'verify',
] as const

/**
 * The same for a connection in another thread, which can be handed data and no functions. Throws `invalid_options` that
 * names each option of the pool with which that cannot be done.
 */
export function besidePoolElsewhere(pool: pg.Pool): pg.PoolConfig {
  const own = ownPools.get(pool)
  if (own !== undefined) return own
  const { options } = pool
  const wanted = { ...options, ...hiddenOf(options) }
  const config = without(wanted, ofNoUse)
  const refused = Object.entries(config).filter(([, value]) => !isCloneable(value))
  const names = refused.map(([name]) => name).concat(options.onConnect === undefined ? [] : ['onConnect'])
  if (names.length === 0) return structuredClone(config)
  throw new QueueError(
    'invalid_options',
    `the pool was made with ${names.map((name) => `\`${name}\``).join(', ')}, which the thread that renews the lease ` +
      'cannot be handed, since it is or holds a function: give the worker a connectionString instead of the pool, and ' +
      'settings of its sessions in the `options` of the connectionString or of their role',
  )
}

/** node-postgres keeps a password, and the key of a client's certificate, from being enumerated. */
function hiddenOf({ password, ssl }: pg.PoolConfig): pg.PoolConfig {
  return {
    ...(password === undefined ? {} : { password }),
    ...(typeof ssl === 'object' && ssl.key !== undefined ? { ssl: { ...ssl, key: ssl.key } } : {}),
  }
}

function without(config: pg.PoolConfig, names: readonly string[]): pg.PoolConfig {
  const kept = Object.entries(config).filter(([name, value]) => value !== undefined && !names.includes(name))
  return Object.fromEntries(kept)
}

function isCloneable(value: unknown): boolean {
  try {
    structuredClone(value)
    return true
  } catch {
    return false
  }
}
