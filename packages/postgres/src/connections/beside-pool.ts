// Connections beside a pool, with the same server, settings and parsers as those of the pool.
import type pg from 'pg'
import { QueueError } from '../errors.ts'

/**
 * The pools that this package created, with the options for connections beside them. Their other options apply only to the pool.
 */
const ownPools = new WeakMap<pg.Pool, pg.PoolConfig>()

/** Records that this package created the pool, so that connections beside it are made from its connection string alone. */
export function rememberOwnPool(pool: pg.Pool, connectionString: string): void {
  ownPools.set(pool, { connectionString })
}

/** Options that concern only the pool itself: its size, its log, and the setup of its connections. */
const poolOnlyOptions = ['max', 'min', 'poolSize', 'log', 'application_name', 'onConnect'] as const

/**
 * The options for connections beside a pool: the connection string if this package created the pool, or all options if the
 * caller did. A pool made from them also runs the caller's setup of new connections, in `onConnect` or in the pool's event
 * `connect`.
 */
export function besidePool(pool: pg.Pool): pg.PoolConfig {
  const ownConfig = ownPools.get(pool)
  if (ownConfig !== undefined) return ownConfig
  const { options } = pool
  return {
    ...without({ ...options, ...hiddenOptionsOf(options) }, poolOnlyOptions),
    ...classOf(pool),
    // oxlint-disable-next-line typescript/no-misused-promises -- a pool waits for the promise, although its types do not declare it.
    onConnect: async (client) => {
      await Promise.resolve(options.onConnect?.(client))
      for (const listener of pool.listeners('connect')) listener.call(pool, client)
    },
  }
}

/** The class of the pool's clients, which may have been passed separately from its options. The types do not declare it. */
function classOf(pool: pg.Pool): Pick<pg.PoolConfig, 'Client'> {
  return { Client: (pool as pg.Pool & { readonly Client: pg.PoolConfig['Client'] }).Client }
}

/** Options that are not needed for a single connection that reads no values. */
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
 * The options for a connection in another thread, to which only data and no functions can be passed. Throws `invalid_options`
 * with the names of the pool's options that cannot be passed.
 */
export function besidePoolInThread(pool: pg.Pool): pg.PoolConfig {
  const ownConfig = ownPools.get(pool)
  if (ownConfig !== undefined) return ownConfig
  const { options } = pool
  const allOptions = { ...options, ...hiddenOptionsOf(options) }
  const config = without(allOptions, unusedOptions)
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

/** Options that node-postgres makes non-enumerable: the password and the key of a client certificate. */
function hiddenOptionsOf({ password, ssl }: pg.PoolConfig): pg.PoolConfig {
  return {
    ...(password === undefined ? {} : { password }),
    ...(typeof ssl === 'object' && ssl.key !== undefined ? { ssl: { ...ssl, key: ssl.key } } : {}),
  }
}

function without(config: pg.PoolConfig, names: readonly string[]): pg.PoolConfig {
  const remaining = Object.entries(config).filter(
    ([name, value]) => value !== undefined && !names.includes(name),
  )
  return Object.fromEntries(remaining)
}

function isCloneable(value: unknown): boolean {
  try {
    structuredClone(value)
    return true
  } catch {
    return false
  }
}
