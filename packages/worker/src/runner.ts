import { type ClaimedJob, type ConnectedDatabase, type PgClient, type Random } from '@queue/core'
import type { AbortReason, Executor } from '@queue/executor'
import type pg from 'pg'
import { type Attempt, createAttempt } from './attempt.ts'
import type { Finisher } from './finisher.ts'
import type { Logger } from './logger.ts'
import type { WorkerObserver } from './observer.ts'
import type { WorkerSettings } from './options.ts'
import { type RunJobDeps, runJob } from './run-job.ts'
import type { Slots } from './slots.ts'

/** Holds every claimed job of this process until its end is recorded. */
export interface Runner {
  /** Starts a job in a slot whose permit has been taken. */
  begin(job: ClaimedJob): void
  /** The attempts whose handlers run now. */
  executing(): readonly Attempt[]
  /** Tells every running handler to stop. */
  abortAll(reason: AbortReason): void
  /** True once nothing is held any more, false when that took longer than `timeoutMs`. */
  whenIdle(timeoutMs: number): Promise<boolean>
}

export interface RunnerOptions {
  readonly database: ConnectedDatabase
  readonly executor: Executor<PgClient>
  readonly finisher: Finisher
  readonly logger: Logger
  readonly observer: WorkerObserver
  readonly settings: WorkerSettings
  readonly slots: Slots
  readonly random: Random
  readonly nowMs: () => number
  readonly transactionPool: () => pg.Pool
  /** The id under which jobs are claimed now. */
  readonly workerId: () => string | undefined
}

export function createRunner(options: RunnerOptions): Runner {
  const { slots, observer } = options
  const held = new Set<Attempt>()
  const executing = (): Attempt[] => [...held].filter((attempt) => attempt.executing)
  let active = 0
  let zombies = 0
  let onIdle: (() => void) | undefined

  const deps: RunJobDeps = {
    ...options,
    jobTimeoutMs: options.settings.jobTimeoutMs === 0 ? null : options.settings.jobTimeoutMs,
    timeoutGraceMs: options.settings.timeoutGraceMs,
    onSettled: () => {
      slots.release()
      active -= 1
      observer.activeJobs(active)
    },
    onZombie: (change) => {
      zombies += change
      observer.zombieHandlers(zombies)
    },
  }

  const run = async (attempt: Attempt): Promise<void> => {
    await runJob(attempt, deps)
    held.delete(attempt)
    if (held.size === 0) onIdle?.()
  }

  return {
    begin: (job) => {
      const attempt = createAttempt(job)
      held.add(attempt)
      observer.slotFilled({ waitSeconds: slots.occupy() / 1_000 })
      active += 1
      observer.activeJobs(active)
      observer.jobStarted({
        kind: job.kind,
        waitSeconds: (job.claimedAt.getTime() - job.runAt.getTime()) / 1_000,
      })
      // The cancel may have been asked for between an earlier loss of the job and this claim.
      if (job.cancelRequested) attempt.abort('cancelled')
      void run(attempt)
    },
    executing,
    abortAll: (reason) => {
      for (const attempt of executing()) attempt.abort(reason)
    },
    whenIdle: (timeoutMs) => {
      if (held.size === 0) return Promise.resolve(true)
      return new Promise((resolve) => {
        const timer = setTimeout(() => resolve(false), timeoutMs)
        onIdle = () => {
          clearTimeout(timer)
          resolve(true)
        }
      })
    },
  }
}
