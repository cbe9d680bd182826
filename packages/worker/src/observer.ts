/** How an attempt ended, as it was recorded; `error` when the finish itself could not be written. */
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
  jobStarted(job: { readonly kind: string; readonly waitSeconds: number }): void
  /** Called with what was recorded, never with what the handler hoped for. */
  jobCompleted(job: {
    readonly kind: string
    readonly outcome: AttemptOutcome
    readonly seconds: number
  }): void
  jobBuried(job: { readonly kind: string }): void
  claimFinished(claim: { readonly seconds: number; readonly jobs: number }): void
  /** From the moment a slot was free to the moment a job ran in it. */
  slotFilled(slot: { readonly waitSeconds: number }): void
  jobsRecovered(jobs: number): void
  staleWriteRefused(): void
  activeJobs(jobs: number): void
  concurrency(slots: number): void
  zombieHandlers(handlers: number): void
  listenerHealthy(state: 'healthy' | 'unhealthy'): void
}

/** An observer that looks away. */
export const noObserver: WorkerObserver = {
  jobStarted: () => undefined,
  jobCompleted: () => undefined,
  jobBuried: () => undefined,
  claimFinished: () => undefined,
  slotFilled: () => undefined,
  jobsRecovered: () => undefined,
  staleWriteRefused: () => undefined,
  activeJobs: () => undefined,
  concurrency: () => undefined,
  zombieHandlers: () => undefined,
  listenerHealthy: () => undefined,
}
