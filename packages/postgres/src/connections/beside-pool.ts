// Connections beside a pool, made like the pool's own: the same server, the same settings, the same parsers.
import type pg from 'pg'
import { QueueError } from '../errors.ts'

/** Our own pools, and the options for connections beside them: their other options are for the queue alone. */
const ownPools = new WeakMap<pg.Pool, pg.PoolConfig>()

/** From now on connections beside this pool of ours are made from its connection string alone. */
export function rememberOwnPool(pool: pg.Pool, connectionString: string): void {
  ownPools.set(pool, { connectionString })
}

/** Options about the pool itself: its size, its log, the setup of its connections. */
const poolOnlyOptions = ['max', 'min', 'poolSize', 'log', 'application_name', 'onConnect'] as const

/**
 * The options for connections beside a pool: its connection string where the pool is ours, all of its options where it is
 * the caller's. A pool made from them also runs what the caller does with each new connection, in `onConnect` or in the
 * pool's `connect` event.
 */
export function besidePool(pool: pg.Pool): pg.PoolConfig {
  const own = ownPools.get(pool)
  if (own !== undefined) return own
  const { options } = pool
  return {
    ...without({ ...options, ...hiddenOf(options) }, poolOnlyOptions),
    ...classOf(pool),
    // oxlint-disable-next-line typescript/no-misused-promises -- a pool waits for it, which its types do not say.
    onConnect: async (client) => {
      await Promise.resolve(options.onConnect?.(client))
      for (const listener of pool.listeners('connect')) listener.call(pool, client)
    },
  }
}

/** The class of its clients, which may have been passed beside its options; the types leave it out. */
function classOf(pool: pg.Pool): Pick<pg.PoolConfig, 'Client'> {
  return { Client: (pool as pg.Pool & { readonly Client: pg.PoolConfig['Client'] }).Client }
}

/** Options that a single connection which reads no values does not need. */
const unusedOptions = [
  ...poolOnlyOptions,
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
 * The same for a connection in another thread, to which data can be passed and no functions. Throws `invalid_options` that
 * names each option of the pool that cannot be passed.
 */
export function besidePoolInThread(pool: pg.Pool): pg.PoolConfig {
  const own = ownPools.get(pool)
  if (own !== undefined) return own
  const { options } = pool
  const wanted = { ...options, ...hiddenOf(options) }
  const config = without(wanted, unusedOptions)
  const refused = Object.entries(config).filter(([, value]) => !isCloneable(value))
  const names = refused.map(([name]) => name).concat(options.onConnect === undefined ? [] : ['onConnect'])
  if (names.length === 0) return structuredClone(config)
  throw new QueueError(
    'invalid_options',
    `the pool was made with ${names.map((name) => `\`${name}\``).join(', ')}, which is or holds a function, and cannot be ` +
      'passed to the thread that renews the lease: give the worker a connectionString instead of the pool, and put ' +
      'settings of its sessions into the `options` of the connectionString or of the role',
  )
}

/** node-postgres makes a password, and the key of a client's certificate, not enumerable. */
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
