/** How an attempt ended, as it was recorded; `error` when the finish could not be written until its worker stopped. */
export type AttemptOutcome =
  | 'succeeded'
  | 'retrying'
  | 'failed_permanent'
  | 'cancelled'
  | 'snoozed'
  | 'released'
  | 'lost'
  | 'error'

/** What the runtime reports while it works; all durations in seconds. Every method must return at once. */
export interface WorkerObserver {
  jobStarted(job: { readonly kind: string; readonly queue: string; readonly waitSeconds: number }): void
  /** Called with what was recorded, which may differ from the handler's outcome. */
  jobCompleted(job: {
    readonly kind: string
    readonly queue: string
    readonly outcome: AttemptOutcome
    readonly seconds: number
  }): void
  jobDeadLettered(job: { readonly kind: string }): void
  /** A job that nobody had begun by its expiry was cancelled. */
  jobExpired(job: { readonly kind: string }): void
  claimFinished(claim: { readonly seconds: number; readonly jobs: number }): void
  /** A claim failed, or got no answer. */
  claimFailed(): void
  /** From the moment a slot was free to the moment a job ran in it. */
  slotFilled(slot: { readonly waitSeconds: number }): void
  jobsRecovered(jobs: number): void
  /** Other workers whose lease this one found expired. */
  workersLost(workers: number): void
  staleWriteRefused(): void
  /** Counts for the numbers over time that were lost: their write got no answer, or there were too many to keep. */
  countsDropped(counts: number): void
  /** Counters of limits that were wrong, lanes that nobody would have claimed from, and turns that were missing: found and repaired. */
  limitsRepaired(repairs: { readonly counters: number; readonly lanes: number; readonly turns: number }): void
  /** Lines that handlers have logged and that are not kept: beyond the bounds of their attempt, or refused by the database. */
  logLinesDropped(lines: number): void
  activeJobs(jobs: number): void
  concurrency(slots: number): void
  /** The kinds that this worker runs, and from which queues; called once, before the first of them. */
  kinds(kinds: readonly string[], queues: readonly string[]): void
  zombieHandlers(handlers: number): void
  /** Ends of attempts that the database refuses to record, and that are kept until it does. */
  refusedEnds(ends: number): void
  listenerHealthy(state: 'healthy' | 'unhealthy'): void
  /** What a firing has done: how late each run was, and the instants that were dropped, by the policy that dropped them. */
  schedulesFired(firing: {
    readonly lateSeconds: readonly number[]
    readonly missed: { readonly skip: number; readonly once: number; readonly all: number }
    readonly skipped: number
    /** Those that a full queue took no job of. */
    readonly refused: number
  }): void
}

/** An observer that ignores everything. */
export const noObserver: WorkerObserver = {
  jobStarted: () => undefined,
  jobCompleted: () => undefined,
  jobDeadLettered: () => undefined,
  jobExpired: () => undefined,
  claimFinished: () => undefined,
  claimFailed: () => undefined,
  slotFilled: () => undefined,
  jobsRecovered: () => undefined,
  workersLost: () => undefined,
  staleWriteRefused: () => undefined,
  countsDropped: () => undefined,
  limitsRepaired: () => undefined,
  logLinesDropped: () => undefined,
  activeJobs: () => undefined,
  concurrency: () => undefined,
  kinds: () => undefined,
  zombieHandlers: () => undefined,
  refusedEnds: () => undefined,
  listenerHealthy: () => undefined,
  schedulesFired: () => undefined,
}
