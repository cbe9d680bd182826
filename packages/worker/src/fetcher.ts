import { type ClaimedJob, limits, type QueueDatabase } from '@queue/core'
import { claimJobs } from '@queue/core/runtime'
import { createAlarm } from './alarm.ts'
import type { Logger } from './logger.ts'
import type { WorkerObserver } from './observer.ts'
import type { Slots } from './slots.ts'

export interface FetcherOptions {
  readonly database: QueueDatabase
  readonly logger: Logger
  readonly observer: WorkerObserver
  readonly slots: Slots
  readonly queues: readonly string[]
  readonly kinds: readonly string[]
  readonly pollIntervalMs: number
  readonly maxPollIntervalMs: number
  readonly nowMs: () => number
  /** The id to claim under; undefined while this process has no lease. */
  readonly workerId: () => string | undefined
  /** Starts a claimed job in a slot whose permit has been taken. */
  readonly begin: (job: ClaimedJob) => void
}

/** The one claimer of a process: a permit first, then the claim, then the start. */
export interface Fetcher {
  start(): void
  /** Claims at once if a slot is free, instead of at the end of the poll interval. */
  wake(): void
  /** Resolves when the last claim has been answered and its jobs have begun. */
  stop(): Promise<void>
}

/** What one round found, which decides how long to wait for the next. */
type Round = 'full' | 'drained' | 'empty' | 'failed'

export function createFetcher(options: FetcherOptions): Fetcher {
  const { slots, pollIntervalMs, maxPollIntervalMs } = options
  const alarm = createAlarm()
  let stopped = false
  let running: Promise<void> = Promise.resolve()
  let rotation = 0

  const claimOnce = async (workerId: string): Promise<Round> => {
    const limit = Math.min(slots.free, limits.claimBatchMax)
    slots.take(limit)
    const queues = rotated(options.queues, rotation)
    rotation += 1
    const claimed = await claim(options, { workerId, queues, kinds: options.kinds, limit })
    // Jobs that were claimed under a lease lost meanwhile are not ours to begin: recovery takes them.
    const jobs = options.workerId() === workerId ? claimed : undefined
    slots.untake(limit - (jobs?.length ?? 0))
    if (jobs === undefined) return 'failed'
    for (const job of jobs) options.begin(job)
    if (jobs.length === limit) return 'full'
    return jobs.length === 0 ? 'empty' : 'drained'
  }

  const run = async (): Promise<void> => {
    let idleMs = pollIntervalMs
    while (!stopped) {
      await slots.whenFree()
      if (stopped) return
      const workerId = options.workerId()
      const round = workerId === undefined ? 'failed' : await claimOnce(workerId)
      if (round === 'full') {
        idleMs = pollIntervalMs
        continue
      }
      // A claim that brought less than it asked for has drained the queue: what comes next is announced or polled for.
      idleMs = round === 'drained' ? pollIntervalMs : idleMs
      if (!stopped) await alarm.wait(idleMs)
      idleMs = Math.min(idleMs * 2, maxPollIntervalMs)
    }
  }

  return {
    start: () => {
      running = run()
    },
    wake: () => alarm.ring(),
    stop: async () => {
      stopped = true
      alarm.ring()
      slots.interrupt()
      await running
    },
  }
}

interface Claim {
  readonly workerId: string
  readonly queues: readonly string[]
  readonly kinds: readonly string[]
  readonly limit: number
}

/** The claimed jobs, or undefined when the claim failed: the database's trouble must not end the process. */
async function claim(options: FetcherOptions, input: Claim): Promise<ClaimedJob[] | undefined> {
  const startedAtMs = options.nowMs()
  try {
    const jobs = await claimJobs(options.database, input)
    options.observer.claimFinished({ seconds: (options.nowMs() - startedAtMs) / 1_000, jobs: jobs.length })
    return jobs
  } catch (error) {
    options.logger.warn('a claim failed; trying again', { error })
    return undefined
  }
}

/** The queues with another one first each time, so that none of equal priority is always served last. */
function rotated(queues: readonly string[], by: number): string[] {
  const start = by % queues.length
  return [...queues.slice(start), ...queues.slice(0, start)]
}
