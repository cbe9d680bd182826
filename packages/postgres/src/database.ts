import pg from 'pg'
import type { z } from 'zod'
import { rememberOwnPool } from './connections/beside-pool.ts'
import { renewConnections, tolerateBreaks } from './connections/connections.ts'
import { MultiHostClient, serversOf } from './connections/multi-host-client.ts'
import { beginOwnSession, type OwnSession } from './connections/own-session.ts'
import { parsePoolSettings, type poolFields } from './connections/pool-settings.ts'
import { QueueError } from './errors.ts'
import { type Settings, type SettingSession, settingSession } from './statements/setting-session.ts'
import { poolSession, type PoolSession, poolTransaction, type Session } from './statements/session.ts'

/** How to reach the database: a connection string of our own pool, or the caller's pool. */
export type DatabaseOptions = ConnectionTarget & {
  /**
   * Milliseconds that a statement may take; default 30 000. Then it is cancelled on the server, and its connection counts
   * as dead if the server does not answer.
   */
  readonly queryTimeoutMs?: number
  /**
   * True keeps the most frequent statements prepared on each connection. That saves PostgreSQL a quarter of the work of a
   * small insert, and a third of that of a small claim. In a pool made from a connection string, connections then also plan
   * by indexes alone, so that a worker's writes of ends can stay prepared too, and pipeline: a notification follows its
   * enqueue without waiting for the answer. `pg-cursor` and the like do not work on them. A statement that another user of
   * the pool has discarded (`DISCARD ALL`) is prepared again and repeated. Default false: behind a pooler in transaction
   * mode each statement may reach another connection, where it was never prepared.
   */
  readonly preparedStatements?: boolean
}

type ConnectionTarget =
  | ({
      /**
       * A `postgres://` URL. With several hosts each connection is made to the first that takes writes, or that
       * `target_session_attrs` demands. `close` closes the pool made from it.
       */
      readonly connectionString: string
      /** Shown in `pg_stat_activity`. */
      readonly applicationName?: string
    } & PoolOptions)
  | {
      /** A pool that the caller owns and closes. Connections beside it are made with its options (docs/decisions/0059). */
      readonly pool: pg.Pool
    }

/** A mapped type keeps the comment above each field, so that an editor shows it where the option is written. */
type PoolOptions = {
  readonly [Name in keyof typeof poolFields]?: z.input<(typeof poolFields)[Name]> | undefined
}

const queryTimeoutMsDefault = 30_000
const keepAliveDelayMs = 10_000

/** A database, with this process's pool of connections to it. */
export interface Database extends PoolSession {
  readonly pool: pg.Pool
  /**
   * Runs `work` in a transaction of its own on one connection: committed when it resolves, rolled back when it
   * rejects. `database_unavailable` leaves it unknown which of the two happened.
   */
  transaction<Result>(work: (session: Session) => Promise<Result>): Promise<Result>
  /** The same pool for statements that all have these settings. */
  withSettings(settings: Settings): SettingSession
  /**
   * Terminates the connections in use, and sends everything from now on over new ones: for callers who have no time to find
   * out that the old ones are dead. Statements under way fail with `database_unavailable`.
   */
  renewConnections(): void
  /** Closes the pool if it is ours. Safe to call twice. */
  close(): Promise<void>
}

/** Creates the pool; the first statement makes the first connection. Throws `invalid_options` on a bad setting. */
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
    withSettings: (settings) => settingSession(pool, { queryTimeoutMs, prepare }, settings),
    renewConnections: () => void renewConnections(pool),
    close: () => {
      // Our own pool keeps its error listeners: a connection may still break while the pool is being closed.
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

/** Our own pools whose connections plan by indexes. A process may pass one on as `pool`, so it must be recognized. */
const planningByIndexes = new WeakSet<pg.Pool>()

/**
 * Options that only work on sessions of our own: session settings, and pipelined transactions. Behind a pooler in
 * transaction mode both could end up in other clients' sessions.
 */
function ownSessions(session: OwnSession): pg.PoolConfig {
  return {
    pipeline: true,
    // oxlint-disable-next-line typescript/no-misused-promises -- the pool waits for it, which its types do not say.
    onConnect: (client) => beginOwnSession(client, session),
  }
}
