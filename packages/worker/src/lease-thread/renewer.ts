import { learnTimelines, MultiHostClient, runOn, tolerateBreaks } from '@queue/postgres/connection'
import pg from 'pg'
import { createTicker, monotonicMs } from '@queue/loop/timers'
import type { Adoption } from './protocol.ts'

export interface RenewerOptions {
  readonly connection: pg.PoolConfig
  readonly heartbeatMs: number
  /** The worker whose lease is renewed; undefined while there is none. */
  readonly adopted: () => Adoption | undefined
  /** Called with the instant, by `monotonicMs`, at which the renewal that succeeded was sent. */
  readonly onRenewed: (sentAtMs: number) => void
  /** Called when the database no longer lists this worker as active. */
  readonly onLost: (workerId: string) => void
  /** Called with each reason once in a row of failures: the first one may only be that the connection broke. */
  readonly onFailure: (message: string) => void
}

/** Renews the lease at every heartbeat, on one connection of its own. */
export interface Renewer {
  start(): void
  /** The next renewal comes at once. */
  wake(): void
  stop(): Promise<void>
}

/** The timeout of a renewal, as a share of the heartbeat: a half-open connection must not use up the whole lease. */
const timeoutShare = 0.5
/** The shortest timeout of a renewal: on a busy machine a connection may take longer than half of a short heartbeat. */
const timeoutMsMin = 250
/** After a failure the next renewal comes after this share of a heartbeat. */
const retryShare = 0.1

export function createRenewer(options: RenewerOptions): Renewer {
  const { heartbeatMs } = options
  const timeoutMs = Math.max(timeoutMsMin, heartbeatMs * timeoutShare)
  let pool = createPool(options.connection, timeoutMs)
  const reasons = new Set<string>()

  const renew = async (): Promise<void> => {
    const adoption = options.adopted()
    if (adoption === undefined) return
    learnTimelines(adoption.timelines, options.connection.connectionString)
    const sentAtMs = monotonicMs()
    const { rowCount } = await runOn(pool, adoption.renewal, timeoutMs)
    reasons.clear()
    // Another worker id may have been adopted meanwhile: this answer says nothing about its lease.
    if (options.adopted() !== adoption) return
    if (rowCount === 0) lose(adoption)
    else options.onRenewed(sentAtMs)
  }

  const lose = ({ workerId }: Adoption): void => {
    // The connection may be to an old primary, which does not know this worker, nor the next one.
    void pool.end()
    pool = createPool(options.connection, timeoutMs)
    options.onLost(workerId)
  }

  const heartbeat = createTicker({
    intervalMs: heartbeatMs,
    tick: renew,
    onError: (error) => {
      const reason = reasonOf(error)
      if (!reasons.has(reason)) options.onFailure(reason)
      reasons.add(reason)
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

/** The message of the driver's error, which `runOn` wraps. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? error.cause.message : error.message
}

/** A pool of one connection, which stays open. A failed connection occupies the pool until its session has ended. */
function createPool(connection: pg.PoolConfig, timeoutMs: number): pg.Pool {
  const pool = new pg.Pool({
    Client: MultiHostClient,
    ...connection,
    max: 1,
    connectionTimeoutMillis: timeoutMs,
    idleTimeoutMillis: 0,
    keepAlive: true,
    application_name: 'queue-lease',
  })
  tolerateBreaks(pool)
  return pool
}
