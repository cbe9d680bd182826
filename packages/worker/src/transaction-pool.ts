import { MultiHostClient } from '@queue/postgres/connection'
import { renewConnections, tolerateBreaks } from '@queue/postgres'
import pg from 'pg'

/** The connections of `ctx.transaction`, separate from the runtime's so that handlers cannot starve it. */
export interface TransactionPool {
  /** The pool, created at the first call. */
  get(): pg.Pool
  /**
   * Closes every connection. A connection that a handler still holds is terminated, and its transaction rolled back: a handler
   * that never ends must not keep the worker from stopping.
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
  let pool: pg.Pool | undefined
  const create = (): pg.Pool => {
    const created = new pg.Pool({
      Client: MultiHostClient,
      keepAlive: true,
      keepAliveInitialDelayMillis: keepAliveDelayMs,
      ...connection,
      max,
      connectionTimeoutMillis: connection.connectionTimeoutMillis || acquireTimeoutMs,
      application_name: 'queue-handler',
    })
    tolerateBreaks(created)
    return created
  }
  return {
    get: () => {
      pool ??= create()
      return pool
    },
    close: async () => {
      if (pool === undefined) return
      const ended = pool.end()
      const heldConnections = await renewConnections(pool)
      // With held connections, `ended` would wait until the handlers return them.
      if (heldConnections === 0) await ended
    },
  }
}
