import { AsyncLocalStorage } from 'node:async_hooks'
import type { Lease, UnbegunJob } from '@queue/core/internal'
import type { AbortReason } from '@queue/executor'
import { Attempt } from './attempt.ts'
import { type AttemptOutcome, attemptOutcomes, noOutcomes, type WorkerObserver } from './observer.ts'
import type { WorkerSettings } from './options.ts'
import type { Reporting } from './reporting.ts'
import { type AttemptHolder, type RunJobDeps, runJob } from './run-job.ts'

export interface RunnerOptions {
  readonly settings: Pick<WorkerSettings, 'concurrency'>
  /** The dependencies of each attempt, except the holder, which is the runner itself. */
  readonly attempts: Omit<RunJobDeps, 'holder'>
  readonly reporting: Pick<Reporting, 'observer'>
  readonly nowMs: () => number
  /** Called when a handler has settled or its end was recorded: there may be room for the next job. */
  readonly onRoom: () => void
  /** Called when the end of a job that a limit counts is recorded: the limit may let another job start. */
  readonly onCountedEnd: () => void
  /** An attempt's handler took `durationMs`. */
  readonly onDuration: (durationMs: number) => void
  readonly crashedJobs: CrashedJobs
  /** Called when every slot is held by a handler that runs past its timeout and grace. */
  readonly onExhausted: () => void
}

/** Holds every claimed job of this process until its end is recorded. */
export class Runner implements AttemptHolder {
  readonly permits: Permits
  /** How many attempts have ended, by outcome. */
  readonly outcomes = noOutcomes()
  readonly #options: RunnerOptions
  readonly #deps: RunJobDeps
  readonly #observer: WorkerObserver
  readonly #held = new Set<Attempt>()
  /** Calls a function in the async context in which the worker was created. */
  readonly #asCreated = AsyncLocalStorage.snapshot()
  #active = 0
  #zombies = 0
  #onIdle: (() => void) | undefined

  constructor(options: RunnerOptions) {
    this.#options = options
    this.#observer = options.reporting.observer
    this.permits = new Permits(options.settings.concurrency, options.nowMs)
    this.#deps = { ...options.attempts, holder: this }
  }

  /** Starts a job in a slot whose permit has been taken. */
  begin(job: UnbegunJob): void {
    const observer = this.#observer
    this.#deps.counter.started(job)
    const attempt = new Attempt(job)
    this.#held.add(attempt)
    observer.slotFilled({ waitSeconds: this.permits.occupy() / 1_000 })
    this.#active += 1
    if (job.crashes > 0) this.#options.crashedJobs.begin()
    observer.activeJobs(this.#active)
    observer.jobStarted({
      kind: job.kind,
      queue: job.queue,
      waitSeconds: job.waitUs / 1_000_000,
    })
    // The cancel may have been requested between an earlier loss of the job and this claim.
    if (job.cancelRequested) attempt.abort('cancelled')
    // A job often begins when another ends, and must not see what that one's handler has entered.
    void this.#asCreated(runJob, attempt, this.#deps)
  }

  /** Whether a job runs here, or its end is being recorded. */
  get holdsJobs(): boolean {
    return this.#held.size > 0
  }

  /** How many jobs have begun. */
  get begun(): number {
    return attemptOutcomes.reduce((sum, outcome) => sum + this.outcomes[outcome], this.#held.size)
  }

  /** The attempts whose handlers run now. */
  executing(): Attempt[] {
    return [...this.#held].filter((attempt) => attempt.executing)
  }

  /** How many jobs have run whose ends are not recorded yet. */
  unrecorded(): number {
    // The end of a handler that outlives its timeout is recorded while it still runs.
    return this.#held.size - (this.#active - this.#zombies)
  }

  /** The leases of the jobs that run here, and of those whose ends are being recorded. */
  leases(): Lease[] {
    return [...this.#held].map(({ job }) => job.lease)
  }

  /** Aborts every running attempt. */
  abortAll(reason: AbortReason): void {
    for (const attempt of this.executing()) attempt.abort(reason)
  }

  /** Resolves with true once every end is recorded, and with false after `timeoutMs`. */
  whenIdle(timeoutMs: number): Promise<boolean> {
    if (this.#held.size === 0) return Promise.resolve(true)
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), timeoutMs)
      this.#onIdle = () => {
        clearTimeout(timer)
        resolve(true)
      }
    })
  }

  onDuration(durationMs: number): void {
    this.#options.onDuration(durationMs)
  }

  onHandlerEnd(attempt: Attempt): void {
    this.permits.release()
    this.#active -= 1
    this.#observer.activeJobs(this.#active)
    this.#forgetCrashed(attempt)
    this.#options.onRoom()
  }

  onZombie(change: 1 | -1): void {
    this.#zombies += change
    this.#observer.zombieHandlers(this.#zombies)
    if (this.#zombies === this.#options.settings.concurrency) this.#options.onExhausted()
  }

  onEnd(attempt: Attempt, outcome: AttemptOutcome): void {
    this.outcomes[outcome] += 1
    this.#held.delete(attempt)
    this.#forgetCrashed(attempt)
    if (attempt.job.isCounted) this.#options.onCountedEnd()
    this.#options.onRoom()
    if (this.#held.size === 0) this.#onIdle?.()
  }

  /** Takes effect once the handler has settled and its end is recorded: until then the job may crash the process again. */
  #forgetCrashed(attempt: Attempt): void {
    if (attempt.job.crashes === 0 || attempt.executing || this.#held.has(attempt)) return
    this.#options.crashedJobs.end()
  }
}

/** One permit for each job that may run at once. A permit is taken before the claim, so that each claimed job has a slot. */
export class Permits {
  readonly #nowMs: () => number
  /** When each free slot became free, oldest first. */
  readonly #freeSinceMs: number[]
  #free: number

  constructor(count: number, nowMs: () => number) {
    this.#nowMs = nowMs
    this.#free = count
    this.#freeSinceMs = Array.from({ length: count }, nowMs)
  }

  get free(): number {
    return this.#free
  }

  /** Takes `count` permits. The caller must have checked that this many are free. */
  take(count: number): void {
    if (count > this.#free) throw new RangeError(`cannot take ${count} permits: only ${this.#free} are free`)
    this.#free -= count
  }

  /** Puts unused permits back. Their slots count as free since they last became free. */
  putBack(count: number): void {
    this.#free += count
  }

  /** Called when a job starts in a taken slot. Returns the milliseconds since that slot became free. */
  occupy(): number {
    return this.#nowMs() - (this.#freeSinceMs.shift() ?? this.#nowMs())
  }

  /** Called when a job has left its slot. */
  release(): void {
    this.#free += 1
    this.#freeSinceMs.push(this.#nowMs())
  }
}

/**
 * The jobs that have crashed a worker before. A process runs one of them at a time, so that if it crashes again, it takes no
 * second one with it. Only one claim at a time may bring one.
 */
export class CrashedJobs {
  readonly #onEnded: () => void
  #running = 0
  #isClaimed = false

  /** `onEnded` is called when the end of such a job is recorded. */
  constructor(onEnded: () => void) {
    this.#onEnded = onEnded
  }

  /** Whether a claim that begins now may bring one. If so, the caller must call `claimEnded` after the claim. */
  mayBeClaimed(): boolean {
    if (this.#running > 0 || this.#isClaimed) return false
    this.#isClaimed = true
    return true
  }

  /** Called when that claim has ended and its jobs have begun. */
  claimEnded(): void {
    this.#isClaimed = false
  }

  begin(): void {
    this.#running += 1
  }

  end(): void {
    this.#running -= 1
    this.#onEnded()
  }
}
