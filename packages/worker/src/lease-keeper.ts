import { hostname } from 'node:os'
import type { QueueDatabase } from '@queue/core'
import { registerWorker, renewWorkerLease, stopWorker } from '@queue/core/runtime'
import type { LeaseThread } from './lease-thread/start-lease-thread.ts'
import type { Logger } from './logger.ts'
import { createTicker } from '@queue/loop'
import { createWorkerId } from './worker-id.ts'

/** The one lease of a process, which covers all of its jobs. */
export interface LeaseKeeper {
  /** The id under which this process may claim now; undefined while it has no lease. */
  readonly workerId: string | undefined
  /** Registers. Throws when the database cannot be reached. */
  start(): Promise<void>
  /** The lease of this worker is gone, by the word of the database. */
  lose(workerId: string): void
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
  readonly nowMs: () => number
  /** Renews the lease on a connection of its own, whatever this thread does. */
  readonly thread: Pick<LeaseThread, 'start' | 'adopt' | 'abandon' | 'renewedMs' | 'stop'>
  /** Called when this process no longer holds its jobs: every handler has to be told. */
  readonly onLost: () => void
}

/** The part of the lease that is kept in hand: a process lets go before the others may take its jobs. */
const marginShare = 0.1
const registerRetryMs = 1_000

/**
 * Registers this process, and lets go of its jobs when the lease is lost. A worker that was marked lost never renews
 * again, and one that could not renew in time lets go by its own clock, before the others may take its jobs; either
 * then registers anew under a new id. The local deadline counts from before the renewal was sent, so it is never
 * later than the database's.
 */
export function createLeaseKeeper(options: LeaseKeeperOptions): LeaseKeeper {
  const { database, logger, leaseMs, thread, nowMs } = options
  let workerId: string | undefined
  let registeredMs = 0
  let deadline: NodeJS.Timeout | undefined

  const watchDeadline = (): void => {
    // The thread may have renewed while this one was busy, so the shared instant counts and not this timer.
    const leftMs = Math.max(registeredMs, thread.renewedMs()) + leaseMs * (1 - marginShare) - nowMs()
    if (leftMs > 0) deadline = setTimeout(watchDeadline, leftMs)
    else letGo('it could not be renewed in time')
  }

  const letGo = (why: string): void => {
    clearTimeout(deadline)
    if (workerId === undefined) return
    logger.error('lease lost: its jobs are let go, and this process registers anew', {
      worker_id: workerId,
      why,
    })
    workerId = undefined
    thread.abandon()
    options.onLost()
    registration.wake()
  }

  const register = async (): Promise<void> => {
    const id = createWorkerId(options.idPrefix)
    const sentAtMs = nowMs()
    await registerWorker(database, { ...options, id, hostname: hostname(), pid: process.pid })
    registeredMs = sentAtMs
    workerId = id
    thread.adopt({ workerId: id, renewal: renewWorkerLease(database, { id, leaseMs }) })
    watchDeadline()
    const { queues, concurrency } = options
    logger.info('worker registered', { worker_id: id, queues, concurrency })
  }

  const registration = createTicker({
    intervalMs: registerRetryMs,
    tick: async () => {
      if (workerId === undefined) await register()
    },
    onError: (error) => logger.warn('this worker could not be registered; trying again', { error }),
  })

  return {
    get workerId() {
      return workerId
    },
    start: async () => {
      // The lease runs from the registration, and a thread takes its time to start.
      await thread.start()
      await register()
      registration.start()
    },
    lose: (lost) => {
      if (lost === workerId) letGo('the registry no longer has it as active')
    },
    stop: async () => {
      await registration.stop()
      clearTimeout(deadline)
      await thread.stop()
      if (workerId !== undefined) await stopWorker(database, workerId)
      workerId = undefined
    },
  }
}
