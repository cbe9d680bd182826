import { MultiHostClient } from '@queue/core/connection'
import { breakOff, tolerateEnd } from '@queue/core/runtime'
import pg from 'pg'

/** The connections of `ctx.transaction`, apart from the runtime's so that handlers cannot starve it. */
export interface TransactionPool {
  /** The pool, made at the first call. */
  get(): pg.Pool
  /** A connection of this pool was found dead: the next call of `get` makes another one. */
  discard(pool: pg.Pool): void
  /**
   * Ends every connection. One that a handler still holds is broken off, and so rolled back: a handler that goes on
   * for ever must not keep the worker from stopping.
   */
  close(): Promise<void>
}

export interface TransactionPoolOptions {
  readonly connection: pg.PoolConfig
  /** A connection for each handler that may run. */
  readonly max: number
}

const acquireTimeoutMs = 5_000
const keepAliveDelayMs = 10_000

export function createTransactionPool({ connection, max }: TransactionPoolOptions): TransactionPool {
  const held = new Set<pg.PoolClient>()
  let pool: pg.Pool | undefined
  const create = (): pg.Pool => {
    const created = new pg.Pool({
      Client: MultiHostClient,
      ...connection,
      max,
      connectionTimeoutMillis: acquireTimeoutMs,
      keepAlive: true,
      keepAliveInitialDelayMillis: keepAliveDelayMs,
      application_name: 'queue-handler',
    })
    // An idle connection that breaks must not end the process: the next transaction gets a fresh one.
    created.on('error', () => undefined)
    created.on('connect', tolerateEnd)
    created.on('acquire', (client) => held.add(client))
    created.on('release', (_error, client) => held.delete(client))
    return created
  }
  return {
    get: () => {
      pool ??= create()
      return pool
    },
    discard: (dead) => {
      if (dead !== pool) return
      pool = undefined
      // It ends when the handlers that hold its connections have let go.
      void dead.end()
    },
    close: async () => {
      const ended = pool?.end()
      if (held.size === 0) return ended
      // The pool's own end would wait until the handlers let go.
      for (const client of held) breakOff(client)
    },
  }
}
