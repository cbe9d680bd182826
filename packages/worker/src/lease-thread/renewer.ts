import { MultiHostClient, runOn, tolerateBreaks } from '@queue/postgres/connection'
import pg from 'pg'
import { createTicker, monotonicMs } from '@queue/loop/timers'
import type { Adoption } from './protocol.ts'

export interface RenewerOptions {
  readonly connection: pg.PoolConfig
  readonly heartbeatMs: number
  /** Whose lease is to be renewed; undefined while there is none. */
  readonly adopted: () => Adoption | undefined
  /** Called with the instant, by `monotonicMs`, at which the renewal that succeeded was sent. */
  readonly onRenewed: (sentAtMs: number) => void
  /** The database no longer has this worker as active. */
  readonly onLost: (workerId: string) => void
  /** Called at the first failure in a row. */
  readonly onFailure: (message: string) => void
}

/** Renews the lease at every heartbeat, on one connection of its own. */
export interface Renewer {
  start(): void
  /** The next renewal comes at once. */
  wake(): void
  stop(): Promise<void>
}

/** A renewal may take this share of a heartbeat: a half-open connection must not use up the whole lease. */
const patienceShare = 0.5
/** The shortest timeout, because on a busy machine a connection takes longer than half of a short heartbeat. */
const patienceMsMin = 250
/** After a failure the next renewal comes after this share of a heartbeat. */
const retryShare = 0.1

export function createRenewer(options: RenewerOptions): Renewer {
  const { heartbeatMs } = options
  const patienceMs = Math.max(patienceMsMin, heartbeatMs * patienceShare)
  const pool = createPool(options.connection, patienceMs)
  let hasFailed = false

  const renew = async (): Promise<void> => {
    const adoption = options.adopted()
    if (adoption === undefined) return
    const sentAtMs = monotonicMs()
    const { rowCount } = await runOn(pool, adoption.renewal, patienceMs)
    hasFailed = false
    // Another worker id may have been adopted meanwhile: this answer says nothing about its lease.
    if (options.adopted() !== adoption) return
    if (rowCount === 0) options.onLost(adoption.workerId)
    else options.onRenewed(sentAtMs)
  }

  const heartbeat = createTicker({
    intervalMs: heartbeatMs,
    tick: renew,
    onError: (error) => {
      if (!hasFailed) options.onFailure(reasonOf(error))
      hasFailed = true
      setTimeout(heartbeat.wake, heartbeatMs * retryShare).unref()
    },
  })

  return {
    start: heartbeat.start,
    wake: heartbeat.wake,
    stop: async () => {
      await heartbeat.stop()
      await pool.end()
    },
  }
}

/** The driver's message. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? error.cause.message : error.message
}

/** A pool of one connection, which stays open. A failed connection counts until its session is over. */
function createPool(connection: pg.PoolConfig, patienceMs: number): pg.Pool {
  const pool = new pg.Pool({
    Client: MultiHostClient,
    ...connection,
    max: 1,
    connectionTimeoutMillis: patienceMs,
    idleTimeoutMillis: 0,
    keepAlive: true,
    application_name: 'queue-lease',
  })
  tolerateBreaks(pool)
  return pool
}
