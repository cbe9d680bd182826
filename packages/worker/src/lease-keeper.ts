import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import { limits } from '@queue/core'
import { createTicker, type Logger, type Ticker } from '@queue/loop'
import {
  type QueueDatabase,
  registerWorker,
  renewWorkerLease,
  stopWorker,
  withdrawRegistration,
  type WorkerRegistration,
} from '@queue/core/internal'
import type { WorkerSettings } from './options.ts'
import { processIdentity } from './process-identity.ts'
import type { LeaseThread } from './lease-thread/start-lease-thread.ts'

export interface LeaseKeeperOptions {
  readonly database: QueueDatabase
  readonly logger: Logger
  readonly settings: Pick<WorkerSettings, 'idPrefix' | 'version' | 'queues' | 'concurrency' | 'leaseMs'>
  readonly kinds: readonly string[]
  readonly nowMs: () => number
  /** Renews the lease on a connection of its own, whatever this thread does. */
  readonly thread: Pick<LeaseThread, 'start' | 'adopt' | 'abandon' | 'renewedMs' | 'stop'>
  /** Called when this process no longer holds its jobs: every attempt must be aborted. */
  readonly onLost: () => void
}

/** The safety margin, as a share of the lease: a process aborts its jobs this long before others may take them. */
const marginShare = 0.1
const registerRetryMs = 1_000

/**
 * Keeps the single lease of a process, which covers all of its jobs. It registers the process, and aborts its jobs when the
 * lease is lost. A worker that was marked lost never renews again. A worker that could not renew in time aborts its jobs by
 * its own clock, before others may take them. In both cases the process then registers under a new id. The local deadline
 * counts from before the renewal was sent, so it is never later than the database's.
 */
export class LeaseKeeper {
  readonly #options: LeaseKeeperOptions
  readonly #registering: Ticker
  #workerId: string | undefined
  /** A registration without an answer: it may have taken effect, and may still do so. */
  #unconfirmed: WorkerRegistration | undefined
  #registeredMs = 0
  #deadline: NodeJS.Timeout | undefined

  constructor(options: LeaseKeeperOptions) {
    this.#options = options
    this.#registering = createTicker({
      intervalMs: registerRetryMs,
      tick: async () => {
        if (this.#workerId === undefined) await this.#register()
      },
      onError: (error) => options.logger.warn('this worker could not be registered; trying again', { error }),
    })
  }

  /** The id under which this process may claim now; undefined while it has no lease. */
  get workerId(): string | undefined {
    return this.#workerId
  }

  /** Registers. Throws when the database cannot be reached, and the reason of `stopping` if it has aborted before. */
  async start(stopping: AbortSignal): Promise<void> {
    // The thread starts first: starting it takes time, and the lease runs from the registration.
    await this.#options.thread.start()
    stopping.throwIfAborted()
    await this.#register()
    this.#registering.start()
  }

  /** Called when the database reports that this worker has lost its lease. */
  lose(workerId: string): void {
    if (workerId === this.#workerId) this.#loseLease('the database no longer lists this worker as active')
  }

  /** Ends the lease, so that jobs which still name this worker are recovered at once. */
  async stop(): Promise<void> {
    await this.#registering.stop()
    clearTimeout(this.#deadline)
    await this.#options.thread.stop()
    await this.#withdraw()
    if (this.#workerId !== undefined) await stopWorker(this.#options.database, this.#workerId)
    this.#workerId = undefined
  }

  async #register(): Promise<void> {
    const { database, logger, settings, kinds, thread, nowMs } = this.#options
    const { queues, concurrency, leaseMs } = settings
    await this.#withdraw()
    const id = createWorkerId(settings.idPrefix)
    const registration = { ...settings, ...processIdentity(), kinds, id }
    this.#unconfirmed = registration
    const sentAtMs = nowMs()
    await registerWorker(database, registration)
    this.#unconfirmed = undefined
    this.#registeredMs = sentAtMs
    this.#workerId = id
    thread.adopt({ workerId: id, renewal: renewWorkerLease(database, { id, leaseMs }) })
    this.#watchDeadline()
    logger.info('worker registered', { worker_id: id, queues, concurrency })
  }

  async #withdraw(): Promise<void> {
    if (this.#unconfirmed !== undefined) await withdrawRegistration(this.#options.database, this.#unconfirmed)
    this.#unconfirmed = undefined
  }

  #watchDeadline(): void {
    const { settings, thread, nowMs } = this.#options
    // The lease thread may have renewed while this thread was busy, so the shared instant decides and not this timer.
    const renewedMs = Math.max(this.#registeredMs, thread.renewedMs())
    const leftMs = renewedMs + settings.leaseMs * (1 - marginShare) - nowMs()
    if (leftMs > 0) this.#deadline = setTimeout(() => this.#watchDeadline(), leftMs)
    else this.#loseLease('it could not be renewed in time')
  }

  #loseLease(reason: string): void {
    clearTimeout(this.#deadline)
    if (this.#workerId === undefined) return
    this.#options.logger.error('lease lost: aborting its jobs and registering anew', {
      worker_id: this.#workerId,
      why: reason,
    })
    this.#workerId = undefined
    this.#options.thread.abandon()
    this.#options.onLost()
    // Soon after a registration, its cause is likely still there, and each lease that is lost costs its jobs an attempt.
    if (this.#options.nowMs() - this.#registeredMs >= registerRetryMs) this.#registering.wake()
  }
}

const randomPartBytes = 6

/**
 * `{prefix}-{hostname}-{pid}-{random}`: unique across processes and across registrations of one process, so that a worker
 * that was marked lost never reuses its old id.
 */
export function createWorkerId(prefix: string): string {
  const tail = `-${process.pid}-${randomBytes(randomPartBytes).toString('hex')}`
  return `${prefix}-${hostname()}`.slice(0, limits.workerIdLengthMax - tail.length) + tail
}
