/** The recorded outcome of an attempt; `error` if its end could not be written before its worker stopped. */
export const attemptOutcomes = [
  'succeeded',
  'retrying',
  'failed_permanent',
  'cancelled',
  'snoozed',
  'released',
  'lost',
  'error',
] as const
export type AttemptOutcome = (typeof attemptOutcomes)[number]

/** A count of 0 for each outcome. */
export function noOutcomes(): Record<AttemptOutcome, number> {
  return Object.fromEntries(attemptOutcomes.map((outcome) => [outcome, 0])) as Record<AttemptOutcome, number>
}

/** Receives what the runtime reports, for metrics. All durations are in seconds. Every method must return at once. */
export interface WorkerObserver {
  jobStarted(job: { readonly kind: string; readonly queue: string; readonly waitSeconds: number }): void
  /** Called with the recorded outcome, which may differ from the handler's. */
  jobCompleted(job: {
    readonly kind: string
    readonly queue: string
    readonly outcome: AttemptOutcome
    readonly seconds: number
  }): void
  jobDeadLettered(job: { readonly kind: string }): void
  /** A job was cancelled because it had not begun by its expiry. */
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
  /** Counts for the job statistics were lost: their write got no answer, or there were too many to keep. */
  countsDropped(counts: number): void
  /** Wrong counters of limits, lanes that no claim would have served, and missing turns were found and repaired. */
  limitsRepaired(repairs: { readonly counters: number; readonly lanes: number; readonly turns: number }): void
  /** Log lines of handlers were dropped: they exceeded the bounds of their attempt, or the database refused them. */
  logLinesDropped(lines: number): void
  activeJobs(jobs: number): void
  concurrency(slots: number): void
  /** The kinds and queues that this worker serves; called once, before its first job. */
  kinds(kinds: readonly string[], queues: readonly string[]): void
  zombieHandlers(handlers: number): void
  /** The number of ends that the database refuses to record; the worker keeps them and tries again. */
  refusedEnds(ends: number): void
  listenerHealthy(state: 'healthy' | 'unhealthy'): void
  /** Schedules have fired: how late each run was, and how many instants each policy dropped. */
  schedulesFired(firing: {
    readonly lateSeconds: readonly number[]
    readonly missed: { readonly skip: number; readonly once: number; readonly all: number }
    readonly skipped: number
    /** Instants whose job a full queue refused. */
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
