import { hostname } from 'node:os'
import type { QueueDatabase } from '@queue/core'
import { registerWorker, renewWorkerLease, stopWorker } from '@queue/core/runtime'
import type { Logger } from './logger.ts'
import { createTicker } from './ticker.ts'
import { createWorkerId } from './worker-id.ts'

/** The one lease of a process, which covers all of its jobs. */
export interface LeaseKeeper {
  /** The id under which this process may claim now; undefined while it has no lease. */
  readonly workerId: string | undefined
  /** Registers. Throws when the database cannot be reached. */
  start(): Promise<void>
  /** Gives the lease up, so that whatever still names this worker is recovered at once. */
  stop(): Promise<void>
}

export interface LeaseKeeperOptions {
  readonly database: QueueDatabase
  readonly logger: Logger
  readonly idPrefix: string
  readonly version: string
  readonly queues: readonly string[]
  readonly kinds: readonly string[]
  readonly concurrency: number
  readonly leaseMs: number
  readonly heartbeatMs: number
  readonly nowMs: () => number
  /** Called when this process no longer holds its jobs: every handler has to be told. */
  readonly onLost: () => void
}

/** The part of the lease that is kept in hand: a process lets go before the others may take its jobs. */
const marginShare = 0.1

/**
 * Registers this process and renews its lease. A worker that was marked lost never renews again, and one that could
 * not renew in time lets go by its own clock, before the others may take its jobs; either then registers anew under
 * a new id. The local deadline counts from before the renewal was sent, so it is never later than the database's.
 */
export function createLeaseKeeper(options: LeaseKeeperOptions): LeaseKeeper {
  const { database, logger, leaseMs } = options
  let workerId: string | undefined
  let deadline: NodeJS.Timeout | undefined

  const extend = (sentAtMs: number): void => {
    clearTimeout(deadline)
    const remainingMs = sentAtMs + leaseMs * (1 - marginShare) - options.nowMs()
    deadline = setTimeout(() => lose('the lease could not be renewed in time'), Math.max(0, remainingMs))
  }

  const lose = (why: string): void => {
    clearTimeout(deadline)
    if (workerId === undefined) return
    logger.error('lease lost: its jobs are let go, and this process registers anew', {
      worker_id: workerId,
      why,
    })
    workerId = undefined
    options.onLost()
  }

  const register = async (): Promise<void> => {
    const id = createWorkerId(options.idPrefix)
    const sentAtMs = options.nowMs()
    await registerWorker(database, { ...options, id, hostname: hostname(), pid: process.pid })
    workerId = id
    extend(sentAtMs)
    logger.info('worker registered', {
      worker_id: id,
      queues: options.queues,
      concurrency: options.concurrency,
    })
  }

  const renew = async (id: string): Promise<void> => {
    const sentAtMs = options.nowMs()
    const { outcome } = await renewWorkerLease(database, { id, leaseMs })
    // The deadline may have struck while the reply was on its way: what was let go stays let go.
    if (workerId !== id) return stopWorker(database, id)
    if (outcome === 'lost') lose('another worker found it expired')
    else extend(sentAtMs)
  }

  const ticker = createTicker({
    intervalMs: options.heartbeatMs,
    tick: async () => {
      if (workerId === undefined) await register()
      else await renew(workerId)
    },
    onError: (error) => logger.warn('the lease could not be renewed; trying again', { error }),
  })

  return {
    get workerId() {
      return workerId
    },
    start: async () => {
      await register()
      ticker.start()
    },
    stop: async () => {
      await ticker.stop()
      clearTimeout(deadline)
      if (workerId !== undefined) await stopWorker(database, workerId)
      workerId = undefined
    },
  }
}
