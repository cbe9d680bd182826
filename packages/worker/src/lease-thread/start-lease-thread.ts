// oxlint-disable-next-line unicorn/prefer-node-protocol -- webpack finds threads only under the short name.
import { Worker as Thread, type WorkerOptions } from 'worker_threads'
import { explainMissingThread, type Logger, threadFile, threadSettings } from '@queue/loop'
import { knownTimelines } from '@queue/postgres/connection'
import type { Adoption, FromLeaseThread, LeaseThreadData, ToLeaseThread } from './protocol.ts'
import { sharedState } from './shared-state.ts'

export interface LeaseThreadOptions extends Omit<LeaseThreadData, 'buffer'> {
  readonly logger: Logger
  /** Called when the database no longer lists this worker as active. */
  readonly onLost: (workerId: string) => void
}

const beatIntervalMs = 500
const restartMs = 1_000
/** A renewal that is in flight at the stop gets no longer than this: the lease ends right after it. */
const stopMsMax = 1_000

/**
 * The main thread's handle to the lease thread. A thread that dies is started again. Until then the lease is not renewed, and
 * the main thread still watches its deadline.
 */
export class LeaseThread {
  readonly #options: LeaseThreadOptions
  readonly #state = sharedState()
  #thread: Thread | undefined
  #adopted: Adoption | undefined
  #started: PromiseWithResolvers<void> | undefined
  #stopped = false
  #beats: NodeJS.Timeout | undefined

  constructor(options: LeaseThreadOptions) {
    this.#options = options
  }

  /** Resolves when the thread runs; rejects with its error if it dies before. The thread does not keep the process alive. */
  start(): Promise<void> {
    if (this.#started === undefined) {
      this.#started = Promise.withResolvers()
      this.#beats = setInterval(() => this.#state.beat(), beatIntervalMs).unref()
      this.#launch()
    }
    return this.#started.promise
  }

  /** From now on this worker's lease is renewed, and no other. */
  adopt(worker: Omit<Adoption, 'timelines'>): void {
    this.#adopted = { ...worker, timelines: knownTimelines(this.#options.connection.connectionString) }
    this.#send({ type: 'adopt', ...this.#adopted })
  }

  /** From now on no lease is renewed: a lost lease must not be renewed by accident. */
  abandon(): void {
    this.#adopted = undefined
    this.#send({ type: 'abandon' })
  }

  /** When the last renewal that succeeded was sent, by `monotonicMs`. */
  renewedMs(): number {
    return this.#state.renewedMs()
  }

  async stop(): Promise<void> {
    this.#stopped = true
    clearInterval(this.#beats)
    const running = this.#thread
    if (running === undefined) return
    const killTimer = setTimeout(() => void running.terminate(), stopMsMax)
    const exited = new Promise<void>((resolve) => running.once('exit', () => resolve()))
    this.#send({ type: 'stop' })
    await exited
    clearTimeout(killTimer)
  }

  #send(message: ToLeaseThread): void {
    this.#thread?.postMessage(message)
  }

  #launch(): void {
    const { connection, heartbeatMs, stallMs, logger } = this.#options
    const workerData: LeaseThreadData = { connection, heartbeatMs, stallMs, buffer: this.#state.buffer }
    const launched = startThread({
      workerData,
      ...threadSettings(file),
      name: 'lease',
    })
    this.#thread = launched
    launched.on('message', (message: FromLeaseThread) => this.#onMessage(message, launched))
    launched.on('error', (error) => {
      const reason = explainMissingThread(error, entry)
      logger.error('the lease thread failed', { error: reason })
      this.#started?.reject(reason)
    })
    launched.on('exit', () => {
      this.#thread = undefined
      if (!this.#stopped) setTimeout(() => this.#stopped || this.#launch(), restartMs).unref()
    })
    if (this.#adopted !== undefined) this.#send({ type: 'adopt', ...this.#adopted })
  }

  #onMessage(message: FromLeaseThread, thread: Thread): void {
    switch (message.type) {
      case 'ready':
        thread.unref()
        return this.#started?.resolve()
      case 'lost':
        return this.#options.onLost(message.workerId)
      case 'renewal_failed':
        return this.#options.logger.warn('the lease could not be renewed; trying again', {
          error: message.message,
        })
    }
  }
}

/** What a bundler bundles beside a program. */
const entry = '@queue/worker/lease-thread'
const file = threadFile('lease-thread', import.meta.url)

/** webpack finds the file of a thread in an expression of this form, bundles it, and replaces its URL. */
function startThread(options: WorkerOptions): Thread {
  try {
    return file === undefined
      ? new Thread(new URL('./lease-thread.js', import.meta.url), options)
      : new Thread(file, options)
  } catch (error) {
    throw explainMissingThread(error, entry)
  }
}
