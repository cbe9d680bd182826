import pg from 'pg'
import type { z } from 'zod'
import { rememberOwnPool } from './connections/beside-pool.ts'
import { renewConnections, tolerateBreaks } from './connections/connections.ts'
import { MultiHostClient, serversOf } from './connections/multi-host-client.ts'
import { beginOwnSession, type OwnSession } from './connections/own-session.ts'
import { parsePoolSettings, type poolFields } from './connections/pool-settings.ts'
import { QueueError } from './errors.ts'
import { poolSession, type PoolSession, poolTransaction, type Session } from './statements/session.ts'

/** How to reach the database: a connection string of our own pool, or the caller's pool. */
export type DatabaseOptions = ConnectionTarget & {
  /**
   * Milliseconds that a statement may take; default 30 000. The server is told to end it then, and its connection counts
   * as dead when it does not.
   */
  readonly queryTimeoutMs?: number
  /**
   * True keeps the statements that are sent most often prepared on each connection, which saves PostgreSQL a quarter
   * of the work of a small insert, and a third of that of a small claim. The connections of a pool that is made from a
   * connection string then also plan by indexes alone, so that a worker's ends of jobs may stay prepared too, and send a
   * notification without waiting for the answer to its enqueue; `pg-cursor` and its like do not work on them. A
   * statement that a user of the same pool has discarded (`DISCARD ALL`) is prepared anew and sent once more. Default
   * false: behind a pooler in transaction mode each statement may come to another connection, where it was never
   * prepared.
   */
  readonly preparedStatements?: boolean
}

type ConnectionTarget =
  | ({
      /**
       * A `postgres://` URL. With several hosts each connection is made to the first that takes writes, or as
       * `target_session_attrs` has it. The pool made from it is closed by `close`.
       */
      readonly connectionString: string
      /** Shows up in `pg_stat_activity`. */
      readonly applicationName?: string
    } & PoolOptions)
  | {
      /** A pool that the caller owns and closes. Connections beside it are made by its options (docs/decisions/0059). */
      readonly pool: pg.Pool
    }

/** A mapped type keeps the comment above each field, so that an editor shows it where the option is written. */
type PoolOptions = {
  readonly [Name in keyof typeof poolFields]?: z.input<(typeof poolFields)[Name]> | undefined
}

const queryTimeoutMsDefault = 30_000
const keepAliveDelayMs = 10_000

/** A database that this process holds a pool to. */
export interface Database extends PoolSession {
  readonly pool: pg.Pool
  /**
   * Runs `work` in a transaction of its own on one connection: committed when it resolves, rolled back when it
   * rejects. `database_unavailable` leaves it unknown which of the two happened.
   */
  transaction<Result>(work: (session: Session) => Promise<Result>): Promise<Result>
  /**
   * Breaks off what waits for an answer, and sends everything from now on over new connections: for whoever has no time
   * to find out that the old ones are dead. What was under way fails with `database_unavailable`.
   */
  renewConnections(): void
  /** Closes the pool if it is ours. Safe to call twice. */
  close(): Promise<void>
}

/** Prepares a pool; the first statement makes the first connection. Throws `invalid_options` on a bad setting. */
export function openDatabase(options: DatabaseOptions): Database {
  const owned = 'connectionString' in options
  const pool = owned ? createPool(options) : options.pool
  const stopTolerating = tolerateBreaks(pool)
  const { queryTimeoutMs = queryTimeoutMsDefault, preparedStatements = false } = options
  const prepare = preparedStatements ? (planningByIndexes.has(pool) ? 'by index' : 'frequent') : 'none'
  const session = poolSession(pool, { queryTimeoutMs, prepare })
  let closed: Promise<void> | undefined
  return {
    ...session,
    pool,
    transaction: (work) => poolTransaction(pool, queryTimeoutMs, work),
    renewConnections: () => void renewConnections(pool),
    close: () => {
      // A pool of ours is listened to until its end: a connection may still break while it is being closed.
      closed ??= owned ? pool.end() : Promise.resolve(stopTolerating())
      return closed
    },
  }
}

function createPool(options: Extract<DatabaseOptions, { connectionString: string }>): pg.Pool {
  if (options.connectionString === '') {
    throw new QueueError('invalid_options', 'connectionString is empty: give a postgres:// URL')
  }
  const { poolMax, acquireTimeoutMs, idleTimeoutMs } = parsePoolSettings(options)
  const { preparedStatements = false, queryTimeoutMs: statementTimeoutMs = queryTimeoutMsDefault } = options
  serversOf(options.connectionString)
  const pool = new pg.Pool({
    Client: MultiHostClient,
    connectionString: options.connectionString,
    max: poolMax,
    connectionTimeoutMillis: acquireTimeoutMs,
    idleTimeoutMillis: idleTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveDelayMs,
    application_name: options.applicationName ?? 'queue',
    ...(preparedStatements ? ownSessions({ timeoutMs: acquireTimeoutMs, statementTimeoutMs }) : {}),
  })
  rememberOwnPool(pool, options.connectionString)
  if (preparedStatements) planningByIndexes.add(pool)
  return pool
}

/** Pools of ours whose connections plan by indexes; a process may hand one of them on, as a pool of its own. */
const planningByIndexes = new WeakSet<pg.Pool>()

/**
 * What only a session of our own can be: it has settings, and two transactions at once on their way to it. Behind a
 * pooler in transaction mode both could come to the sessions of others.
 */
function ownSessions(session: OwnSession): pg.PoolConfig {
  return {
    pipeline: true,
    // oxlint-disable-next-line typescript/no-misused-promises -- the pool waits for it, which its types do not say.
    onConnect: (client) => beginOwnSession(client, session),
  }
}
