import {
  assertArguments,
  flag,
  having,
  number,
  object,
  optional,
  type Rule,
  text,
} from '@queue/loop/arguments'
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

/** The connection to the database: a connection string for a new pool, or the caller's pool. */
export type DatabaseOptions = ConnectionTarget & {
  /**
   * The time limit of a statement in milliseconds; default 30 000. A statement that takes longer is cancelled on the server. If
   * the server does not answer, the connection counts as dead.
   */
  readonly queryTimeoutMs?: number
  /**
   * Whether the most frequent statements stay prepared on each connection. This saves PostgreSQL a quarter of the work of a
   * small insert, and a third of that of a small claim. In a pool made from a connection string, connections then also avoid
   * sequential scans, so that a worker's statements that record ends can stay prepared too, and they pipeline: a notification
   * is sent after its enqueue without waiting for the answer. `pg-cursor` and similar packages do not work on these connections.
   * A statement that another user of the pool has discarded (`DISCARD ALL`) is prepared again and repeated. Default false,
   * because behind a pooler in transaction mode each statement may be sent to another connection, where it is not prepared.
   */
  readonly preparedStatements?: boolean
}

type ConnectionTarget =
  | ({
      /**
       * A `postgres://` URL. With several hosts, each connection is made to the first that accepts writes, or that satisfies
       * `target_session_attrs`. `close` closes the pool.
       */
      readonly connectionString: string
      /** The name of the connections in `pg_stat_activity`. */
      readonly applicationName?: string
    } & PoolOptions)
  | {
      /** A pool that the caller owns and closes. Further connections are made with its options (docs/decisions/0059). */
      readonly pool: pg.Pool
    }

/** The settings of the pool. A mapped type keeps the comments of the fields, so that an editor shows them. */
type PoolOptions = {
  readonly [Name in keyof typeof poolFields]?: z.input<(typeof poolFields)[Name]> | undefined
}

type ConnectionStringOptions = Extract<DatabaseOptions, { connectionString: string }>

const queryTimeoutMsDefault = 30_000
const keepAliveDelayMs = 10_000

/** A database with a pool of connections. */
export interface Database extends PoolSession {
  readonly pool: pg.Pool
  /**
   * Runs `work` in a transaction, which is committed if it resolves and rolled back if it rejects. After `database_unavailable`
   * it is unknown which of the two happened.
   */
  transaction<Result>(work: (session: Session) => Promise<Result>): Promise<Result>
  /** A session on the same pool in which all statements run with these settings. */
  withSettings(settings: Settings): SettingSession
  /**
   * Terminates the connections in use, so that all further statements use new ones. This is for callers that cannot wait until
   * dead connections are detected. Statements in flight fail with `database_unavailable`.
   */
  renewConnections(): void
  /** Closes the pool if it was made from a connection string. Idempotent. */
  close(): Promise<void>
}

/** Opens a database without connecting yet. Throws `invalid_options` if a setting is invalid. */
export function openDatabase(options: DatabaseOptions): Database {
  assertSettings(options)
  const isOwnPool = hasConnectionString(options)
  const pool = isOwnPool ? createPool(options) : options.pool
  const stopTolerating = tolerateBreaks(pool)
  const { queryTimeoutMs = queryTimeoutMsDefault, preparedStatements = false } = options
  const prepare = preparedStatements ? (indexOnlyPools.has(pool) ? 'by index' : 'frequent') : 'none'
  const session = poolSession(pool, { queryTimeoutMs, prepare })
  let closed: Promise<void> | undefined
  return {
    ...session,
    pool,
    transaction: (work) => poolTransaction(pool, queryTimeoutMs, work),
    withSettings: (settings) => settingSession(pool, { queryTimeoutMs, prepare }, settings),
    renewConnections: () => void renewConnections(pool),
    close: () => {
      // The queue's own pool keeps its error listeners, because a connection may break while the pool is being closed.
      closed ??= isOwnPool ? pool.end() : Promise.resolve(stopTolerating())
      return closed
    },
  }
}

const settingParameters = {
  queryTimeoutMs: optional(number),
  applicationName: optional(text),
  preparedStatements: optional(flag),
}

/** Throws `invalid_options` unless there is a database to connect to, and the settings have their types. */
function assertSettings(options: DatabaseOptions): void {
  assertArguments('connection', { options: object }, [options])
  const { queryTimeoutMs, preparedStatements } = options
  const { applicationName } = options as { readonly applicationName?: unknown }
  assertArguments('connection', settingParameters, [queryTimeoutMs, applicationName, preparedStatements])
  assertTarget(options)
}

const noTarget =
  'there is no database to connect to: give connectionString, a postgres:// URL, or pool, a pool of node-postgres'
const twoTargets = 'give connectionString or pool, not both: one of them would be ignored'

/** An option that is undefined is not given. */
function hasConnectionString(options: DatabaseOptions): options is ConnectionStringOptions {
  return 'connectionString' in options && options.connectionString !== undefined
}

/** Throws `invalid_options` unless there is either a pool or a connection string. */
function assertTarget(options: { readonly pool?: unknown; readonly connectionString?: unknown }): void {
  const { pool, connectionString } = options
  if (pool !== undefined && connectionString !== undefined)
    throw new QueueError('invalid_options', twoTargets)
  if (pool !== undefined) return assertArguments('connection', { pool: poolRule }, [pool])
  if (!('connectionString' in options)) throw new QueueError('invalid_options', noTarget)
  assertConnectionString(connectionString)
}

const poolMethods = having('a pool of node-postgres', 'connect', 'query', 'on')

/** A client has the same methods. It would be connected again for each statement. */
const poolRule: Rule = (value) =>
  poolMethods(value) ?? ('totalCount' in (value as object) ? undefined : 'a pool of node-postgres')

/** Throws `invalid_options` for a connection string that is absent, which an environment variable that is not set often is. */
export function assertConnectionString(connectionString: unknown): void {
  if (connectionString === undefined || connectionString === '') {
    const found = connectionString === undefined ? 'undefined' : 'empty'
    throw new QueueError('invalid_options', `connectionString is ${found}: set it to a postgres:// URL`)
  }
  assertArguments('connection', { connectionString: text }, [connectionString])
}

function createPool(options: ConnectionStringOptions): pg.Pool {
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
    ...(preparedStatements ? ownSessionOptions({ timeoutMs: acquireTimeoutMs, statementTimeoutMs }) : {}),
  })
  rememberOwnPool(pool, options.connectionString)
  if (preparedStatements) indexOnlyPools.add(pool)
  return pool
}

/** Pools of this package whose connections avoid sequential scans. They are recorded because a caller may pass one as `pool`. */
const indexOnlyPools = new WeakSet<pg.Pool>()

/**
 * Pool options for sessions that only the queue uses: session settings and pipelining. Behind a pooler in transaction mode, both
 * could affect the sessions of other clients.
 */
function ownSessionOptions(session: OwnSession): pg.PoolConfig {
  return {
    pipeline: true,
    // oxlint-disable-next-line typescript/no-misused-promises -- a pool waits for the promise, although its types do not declare it.
    onConnect: (client) => beginOwnSession(client, session),
  }
}
