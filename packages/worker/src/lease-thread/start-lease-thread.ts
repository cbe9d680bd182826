import { Worker as Thread } from 'node:worker_threads'
import type { Logger } from '../logger.ts'
import type { Adoption, FromLeaseThread, LeaseThreadData, ToLeaseThread } from './protocol.ts'
import { sharedState } from './shared-state.ts'

export interface LeaseThreadOptions extends Omit<LeaseThreadData, 'buffer'> {
  readonly logger: Logger
  /** The database no longer has this worker as active. */
  readonly onLost: (workerId: string) => void
  /** When the earliest running attempt must have ended, by `monotonicMs`; 0 = none has a timeout. */
  readonly deadlineMs: () => number
}

/** The lease thread as the main thread sees it. */
export interface LeaseThread {
  /** Resolves when the thread runs; throws what it died of before that. It keeps no process alive. */
  start(): Promise<void>
  /** From now on this worker's lease is renewed, and no other. */
  adopt(worker: Adoption): void
  /** From now on no lease is renewed: what was let go must not be held on to for another lease. */
  abandon(): void
  /** When the last renewal that succeeded was sent, by `monotonicMs`. */
  renewedMs(): number
  /** A running attempt must have ended by this instant, by `monotonicMs`. */
  expectEnd(deadlineMs: number): void
  /** An attempt that had to end by this instant no longer has to: it has ended, or was given up. */
  forgetEnd(deadlineMs: number): void
  stop(): Promise<void>
}

const beatIntervalMs = 500
const restartMs = 1_000
/** A renewal that is on its way at the end is not waited for longer: the lease is given up right after it. */
const stopMsMax = 1_000
/** One connection and one timer need little; without a bound each thread would take what a whole process may. */
const heapLimits = { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 64 }

/** A thread that dies is started again: until then the lease runs on, and its local deadline is watched as ever. */
export function createLeaseThread(options: LeaseThreadOptions): LeaseThread {
  const { logger, onLost, deadlineMs, ...data } = options
  const state = sharedState()
  let thread: Thread | undefined
  let adopted: Adoption | undefined
  let started: PromiseWithResolvers<void> | undefined
  let stopped = false
  let beats: NodeJS.Timeout | undefined

  const beat = (): void => {
    state.beat()
    state.publishDeadline(deadlineMs())
  }

  const send = (message: ToLeaseThread): void => thread?.postMessage(message)

  const launch = (): void => {
    const launched = new Thread(entry, {
      workerData: { ...data, buffer: state.buffer },
      execArgv: threadFlags,
      resourceLimits: heapLimits,
      name: 'lease',
    })
    thread = launched
    launched.on('message', (message: FromLeaseThread) => {
      switch (message.type) {
        case 'ready':
          launched.unref()
          return started?.resolve()
        case 'lost':
          return onLost(message.workerId)
        case 'trouble':
          return logger.warn('the lease could not be renewed; trying again', { error: message.message })
      }
    })
    launched.on('error', (error) => {
      logger.error('the lease thread failed', { error })
      started?.reject(error)
    })
    launched.on('exit', () => {
      thread = undefined
      if (!stopped) setTimeout(() => stopped || launch(), restartMs).unref()
    })
    if (adopted !== undefined) send({ type: 'adopt', ...adopted })
  }

  return {
    start: () => {
      if (started === undefined) {
        started = Promise.withResolvers()
        beats = setInterval(beat, beatIntervalMs).unref()
        launch()
      }
      return started.promise
    },
    adopt: (worker) => {
      adopted = worker
      send({ type: 'adopt', ...worker })
    },
    abandon: () => {
      adopted = undefined
      send({ type: 'abandon' })
    },
    renewedMs: () => state.renewedMs(),
    expectEnd: (endMs) => {
      const published = state.deadlineMs()
      if (published === 0 || endMs < published) state.publishDeadline(endMs)
    },
    forgetEnd: (endMs) => {
      // Later ones are not the one that counts, and looking for the earliest costs a walk over all.
      if (endMs <= state.deadlineMs()) state.publishDeadline(deadlineMs())
    },
    stop: async () => {
      stopped = true
      clearInterval(beats)
      const running = thread
      if (running === undefined) return
      const late = setTimeout(() => void running.terminate(), stopMsMax)
      const exited = new Promise<void>((resolve) => running.once('exit', () => resolve()))
      send({ type: 'stop' })
      await exited
      clearTimeout(late)
    },
  }
}

/** Beside this file, as source or as built: the thread runs what its parent runs. */
const isSource = import.meta.url.endsWith('.ts')
const entry = new URL(isSource ? './main.ts' : './main.js', import.meta.url)
const threadFlags = isSource ? ['--disable-warning=ExperimentalWarning'] : []
