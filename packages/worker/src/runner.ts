import type { ConnectedDatabase, PgClient } from '@queue/core'
import type { Lease, Random, UnbegunJob } from '@queue/core/runtime'
import type { AbortReason, Executor } from '@queue/executor'
import { Attempt } from './attempt.ts'
import type { Finisher } from './finisher.ts'
import type { Logger } from './logger.ts'
import type { WorkerObserver } from './observer.ts'
import type { WorkerSettings } from './options.ts'
import type { Payloads } from './payloads.ts'
import type { ProgressReports } from './progress-reports.ts'
import type { RefusedEnds } from './refused-ends.ts'
import { type RunJobDeps, runJob } from './run-job.ts'
import type { Slots } from './slots.ts'
import type { TransactionPool } from './transaction-pool.ts'
import type { Tracer } from './tracing.ts'

/** Holds every claimed job of this process until its end is recorded. */
export interface Runner {
  /** Starts a job in a slot whose permit has been taken. */
  begin(job: UnbegunJob): void
  /** The attempts whose handlers run now. */
  executing(): readonly Attempt[]
  /** How many jobs have run whose ends are not recorded yet. */
  unrecorded(): number
  /** The leases of the jobs that run here, and of those whose ends are being recorded. */
  leases(): Lease[]
  /** Whether a job that has crashed a worker before runs here now, be it past its timeout, or is not recorded yet. */
  runsCrashed(): boolean
  /** When the earliest running attempt must have ended, by `nowMs`; 0 = none has a timeout. */
  earliestDeadlineMs(): number
  /** Tells every running handler to stop. */
  abortAll(reason: AbortReason): void
  /** True once nothing is held any more, false when that took longer than `timeoutMs`. */
  whenIdle(timeoutMs: number): Promise<boolean>
}

export interface RunnerOptions {
  readonly database: ConnectedDatabase
  readonly executor: Executor<PgClient>
  readonly payloads: Payloads
  readonly finisher: Finisher
  readonly refusedEnds: RefusedEnds
  readonly reports: ProgressReports
  readonly logger: Logger
  readonly observer: WorkerObserver
  readonly tracer: Tracer
  readonly settings: WorkerSettings
  readonly slots: Slots
  readonly random: Random
  readonly nowMs: () => number
  readonly transactions: TransactionPool
  /** The id under which jobs are claimed now. */
  readonly workerId: () => string | undefined
  /** Called when a handler has settled or its end was recorded: there may be room for the next job. */
  readonly onRoom: () => void
  /** An attempt has to end by this instant, by `nowMs`. */
  readonly onDeadline: (deadlineMs: number) => void
  /** That attempt has ended, or was given up at its deadline. */
  readonly onDeadlineOver: (deadlineMs: number) => void
  /** An attempt's handler has run for so long. */
  readonly onDuration: (durationMs: number) => void
  /** Called when a job that had crashed a worker before has left. */
  readonly onCrashedLeft: () => void
  /** Called when every slot is held by a handler that goes on past its timeout and grace. */
  readonly onExhausted: () => void
}

export function createRunner(options: RunnerOptions): Runner {
  const { slots, observer } = options
  const held = new Set<Attempt>()
  const executing = (): Attempt[] => [...held].filter((attempt) => attempt.executing)
  let active = 0
  let crashed = 0
  let zombies = 0
  let onIdle: (() => void) | undefined

  const deps: RunJobDeps = {
    ...options,
    jobTimeoutMs: options.settings.jobTimeoutMs === 0 ? null : options.settings.jobTimeoutMs,
    timeoutGraceMs: options.settings.timeoutGraceMs,
    queryTimeoutMs: options.settings.queryTimeoutMs,
    leaseMs: options.settings.leaseMs,
    onSettled: (attempt) => {
      slots.release()
      active -= 1
      observer.activeJobs(active)
      forgetCrashed(attempt)
      options.onRoom()
    },
    onZombie: (change) => {
      zombies += change
      observer.zombieHandlers(zombies)
      if (zombies === slots.size) options.onExhausted()
    },
  }

  /** Once the handler has settled and its end is recorded, whichever comes last: until then it may crash again. */
  const forgetCrashed = (attempt: Attempt): void => {
    if (attempt.job.crashes === 0 || attempt.executing || held.has(attempt)) return
    crashed -= 1
    options.onCrashedLeft()
  }

  const forget = (attempt: Attempt): void => {
    held.delete(attempt)
    forgetCrashed(attempt)
    options.onRoom()
    if (held.size === 0) onIdle?.()
  }

  return {
    begin: (job) => {
      const attempt = new Attempt(job)
      held.add(attempt)
      observer.slotFilled({ waitSeconds: slots.occupy() / 1_000 })
      active += 1
      if (job.crashes > 0) crashed += 1
      observer.activeJobs(active)
      observer.jobStarted({
        kind: job.kind,
        queue: job.queue,
        waitSeconds: (job.claimedAt.getTime() - job.runAt.getTime()) / 1_000,
      })
      // The cancel may have been asked for between an earlier loss of the job and this claim.
      if (job.cancelRequested) attempt.abort('cancelled')
      void runJob(attempt, deps).then(() => forget(attempt))
    },
    executing,
    // The end of a handler that outlives its timeout is recorded while it still runs.
    unrecorded: () => held.size - (active - zombies),
    leases: () => [...held].map(({ job }) => job.lease),
    runsCrashed: () => crashed > 0,
    earliestDeadlineMs: () => {
      const deadlines = executing().flatMap(({ deadlineMs }) => deadlineMs ?? [])
      return deadlines.length === 0 ? 0 : Math.min(...deadlines)
    },
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
