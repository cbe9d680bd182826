import { Counter, Gauge, Histogram } from 'prom-client'
import { createBoundedLabel } from './bounded-label.ts'
import { durationBucketsSeconds } from './duration-buckets.ts'
import { type MetricsRegistry } from './metrics-registry.ts'

/**
 * How an attempt ended, as the database recorded it; `error` when the finish could not be written until its worker stopped.
 */
export const jobOutcomes = [
  'succeeded',
  'retrying',
  'failed_permanent',
  'cancelled',
  'snoozed',
  'released',
  'lost',
  'error',
] as const
export type JobOutcome = (typeof jobOutcomes)[number]

/**
 * What a worker's runtime reports. All durations are in seconds. The runtime declares this shape for itself.
 */
export interface WorkerMetrics {
  jobStarted(job: { readonly kind: string; readonly queue: string; readonly waitSeconds: number }): void
  /**
   * Called once the finish is recorded, and with what was recorded: never with what the handler hoped for.
   */
  jobCompleted(job: {
    readonly kind: string
    readonly queue: string
    readonly outcome: JobOutcome
    readonly seconds: number
  }): void
  jobBuried(job: { readonly kind: string }): void
  claimFinished(claim: { readonly seconds: number; readonly jobs: number }): void
  claimFailed(): void
  /** From the moment a slot was free to the moment a job ran in it. */
  slotFilled(slot: { readonly waitSeconds: number }): void
  jobsRecovered(jobs: number): void
  workersLost(workers: number): void
  staleWriteRefused(): void
  activeJobs(jobs: number): void
  concurrency(slots: number): void
  /**
   * The kinds that will be run, and from which queues: their counters begin at 0, because Prometheus sees no rise to a
   * first value. Where there are more than `zeroPairsMax` pairs of both, those of the queues begin with their first job.
   */
  kinds(kinds: readonly string[], queues: readonly string[]): void
  zombieHandlers(handlers: number): void
  /** Ends of attempts that the database refuses to record, and that are kept until it does. */
  refusedEnds(ends: number): void
  listenerHealthy(state: 'healthy' | 'unhealthy'): void
}

/** So many pairs of kind and queue are shown before anything has happened to them. */
const zeroPairsMax = 100

/**
 * The metrics of a worker process, under the names of the contract. Kinds and queues are bounded; ids are never labels.
 */
export function createWorkerMetrics(registry: MetricsRegistry): WorkerMetrics {
  return { ...createJobMetrics(registry), ...createClaimMetrics(registry), ...createStateMetrics(registry) }
}

type JobMetrics = Pick<WorkerMetrics, 'jobStarted' | 'jobCompleted' | 'jobBuried' | 'kinds'>

function createJobMetrics(registry: MetricsRegistry): JobMetrics {
  const registers = [registry]
  const buckets = [...durationBucketsSeconds]
  const boundKind = createBoundedLabel()
  const boundQueue = createBoundedLabel()
  const started = new Counter({
    name: 'worker_jobs_started_total',
    help: 'Attempts that began.',
    labelNames: ['kind', 'queue'],
    registers,
  })
  const completed = new Counter({
    name: 'worker_jobs_completed_total',
    help: 'Attempts that ended, by the outcome that was recorded.',
    labelNames: ['kind', 'queue', 'outcome'],
    registers,
  })
  const duration = new Histogram({
    name: 'worker_job_duration_seconds',
    help: 'How long an attempt ran.',
    labelNames: ['kind', 'outcome'],
    buckets,
    registers,
  })
  const wait = new Histogram({
    name: 'worker_job_wait_seconds',
    help: 'From the instant a job was due (run_at) to its start.',
    labelNames: ['kind', 'queue'],
    buckets,
    registers,
  })
  const buried = new Counter({
    name: 'dead_letter_jobs_total',
    help: 'Jobs that this worker moved to the dead letters.',
    labelNames: ['kind'],
    registers,
  })
  return {
    jobStarted(job) {
      const labels = { kind: boundKind(job.kind), queue: boundQueue(job.queue) }
      started.inc(labels)
      wait.observe(labels, Math.max(0, job.waitSeconds))
    },
    jobCompleted(job) {
      const kind = boundKind(job.kind)
      completed.inc({ kind, queue: boundQueue(job.queue), outcome: job.outcome })
      duration.observe({ kind, outcome: job.outcome }, job.seconds)
    },
    jobBuried(job) {
      buried.inc({ kind: boundKind(job.kind) })
    },
    kinds(kinds, queues) {
      for (const kind of kinds.map(boundKind)) {
        buried.inc({ kind }, 0)
        if (kinds.length * queues.length > zeroPairsMax) continue
        for (const queue of queues.map(boundQueue)) {
          started.inc({ kind, queue }, 0)
          for (const outcome of jobOutcomes) completed.inc({ kind, queue, outcome }, 0)
        }
      }
    },
  }
}

type ClaimMetrics = Pick<WorkerMetrics, 'claimFinished' | 'claimFailed' | 'slotFilled'>

function createClaimMetrics(registry: MetricsRegistry): ClaimMetrics {
  const registers = [registry]
  const buckets = [...durationBucketsSeconds]
  const claimSeconds = new Histogram({
    name: 'worker_claim_seconds',
    help: 'How long one claim took.',
    buckets,
    registers,
  })
  const claimBatchSize = new Histogram({
    name: 'worker_claim_batch_size',
    help: 'How many jobs one claim brought, empty claims included.',
    buckets: [0, 1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000],
    registers,
  })
  const claimErrors = new Counter({
    name: 'worker_claim_errors_total',
    help: 'Claims that the database answered with an error, or not at all.',
    registers,
  })
  const dequeueWait = new Histogram({
    name: 'worker_dequeue_wait_seconds',
    help: 'From a free slot to a job in it.',
    buckets,
    registers,
  })
  return {
    claimFinished(claim) {
      claimSeconds.observe(claim.seconds)
      claimBatchSize.observe(claim.jobs)
    },
    claimFailed: () => claimErrors.inc(),
    slotFilled(slot) {
      dequeueWait.observe(Math.max(0, slot.waitSeconds))
    },
  }
}

type StateMetrics = Omit<WorkerMetrics, keyof JobMetrics | keyof ClaimMetrics>

function createStateMetrics(registry: MetricsRegistry): StateMetrics {
  const registers = [registry]
  const recovered = new Counter({
    name: 'worker_recovered_jobs_total',
    help: 'Jobs that this worker took over from workers that were lost.',
    registers,
  })
  const lostWorkers = new Counter({
    name: 'worker_lost_workers_total',
    help: 'Other workers whose lease this one found expired.',
    registers,
  })
  const staleWrites = new Counter({
    name: 'worker_stale_writes_refused_total',
    help: 'Finishes refused because the job had been taken over by then.',
    registers,
  })
  const active = new Gauge({ name: 'worker_active_jobs', help: 'Jobs that are running now.', registers })
  const slots = new Gauge({ name: 'worker_concurrency', help: 'How many jobs may run at once.', registers })
  const zombies = new Gauge({
    name: 'worker_zombie_handlers',
    help: 'Handlers that go on after their timeout and keep their slot.',
    registers,
  })
  const refusedEnds = new Gauge({
    name: 'worker_refused_ends',
    help: 'Ends of attempts that the database refuses to record, kept until it does.',
    registers,
  })
  // It exists once there is a listener: a worker that is meant to poll is not deaf.
  let listener: Gauge | undefined
  const listenerGauge = (): Gauge =>
    (listener ??= new Gauge({
      name: 'worker_listener_healthy',
      help: '1 while notifications arrive, 0 while the worker only polls; absent where notifications are off.',
      registers,
    }))
  return {
    jobsRecovered: (jobs) => recovered.inc(jobs),
    workersLost: (workers) => lostWorkers.inc(workers),
    staleWriteRefused: () => staleWrites.inc(),
    activeJobs: (jobs) => active.set(jobs),
    concurrency: (count) => slots.set(count),
    zombieHandlers: (handlers) => zombies.set(handlers),
    refusedEnds: (ends) => refusedEnds.set(ends),
    listenerHealthy: (state) => listenerGauge().set(state === 'healthy' ? 1 : 0),
  }
}
