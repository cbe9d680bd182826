import { Counter, Gauge, Histogram } from 'prom-client'
import {
  assertRegistry,
  createBoundedLabel,
  durationBucketsSeconds,
  type MetricsRegistry,
} from './metrics-registry.ts'

/** The outcomes whose counters begin at 0, because Prometheus does not count the increase to a first value. */
const jobOutcomes = [
  'succeeded',
  'retrying',
  'failed_permanent',
  'cancelled',
  'snoozed',
  'released',
  'lost',
  'error',
] as const

/** How many pairs of kind and queue get counters before their first job. */
const zeroPairsMax = 100

/**
 * The metrics of a worker process: a `WorkerObserver` of `@queue/worker`. The labels of kinds and queues are bounded; ids are
 * never labels.
 */
export function createWorkerMetrics(registry: MetricsRegistry) {
  assertRegistry('createWorkerMetrics', registry)
  return {
    ...createJobMetrics(registry),
    ...createClaimMetrics(registry),
    ...createStateMetrics(registry),
    ...createScheduleMetrics(registry),
  }
}

interface KindAndQueue {
  readonly kind: string
  readonly queue: string
}

function createJobSeries(registry: MetricsRegistry) {
  const registers = [registry]
  const buckets = [...durationBucketsSeconds]
  const started = new Counter({
    name: 'worker_jobs_started_total',
    help: 'Attempts that began.',
    labelNames: ['kind', 'queue'],
    registers,
  })
  const completed = new Counter({
    name: 'worker_jobs_completed_total',
    help: 'Attempts that ended, by recorded outcome.',
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
    help: 'Time from the instant a job was due (run_at) to its start.',
    labelNames: ['kind', 'queue'],
    buckets,
    registers,
  })
  const deadLettered = new Counter({
    name: 'dead_letter_jobs_total',
    help: 'Jobs that this worker moved to the dead letters.',
    labelNames: ['kind'],
    registers,
  })
  const expired = new Counter({
    name: 'worker_jobs_expired_total',
    help: 'Jobs that this worker cancelled because they had not begun by their expiry.',
    labelNames: ['kind'],
    registers,
  })
  return { started, completed, duration, wait, deadLettered, expired }
}

function createJobMetrics(registry: MetricsRegistry) {
  const boundKind = createBoundedLabel()
  const boundQueue = createBoundedLabel()
  const { started, completed, duration, wait, deadLettered, expired } = createJobSeries(registry)
  return {
    jobStarted(job: KindAndQueue & { readonly waitSeconds: number }) {
      const labels = { kind: boundKind(job.kind), queue: boundQueue(job.queue) }
      started.inc(labels)
      wait.observe(labels, Math.max(0, job.waitSeconds))
    },
    jobCompleted(job: KindAndQueue & { readonly outcome: string; readonly seconds: number }) {
      const kind = boundKind(job.kind)
      completed.inc({ kind, queue: boundQueue(job.queue), outcome: job.outcome })
      duration.observe({ kind, outcome: job.outcome }, job.seconds)
    },
    jobDeadLettered(job: Pick<KindAndQueue, 'kind'>) {
      deadLettered.inc({ kind: boundKind(job.kind) })
    },
    jobExpired(job: Pick<KindAndQueue, 'kind'>) {
      expired.inc({ kind: boundKind(job.kind) })
    },
    /** With more than `zeroPairsMax` pairs, the counters with a queue begin at its first job. */
    kinds(kinds: readonly string[], queues: readonly string[]) {
      for (const kind of kinds.map(boundKind)) {
        deadLettered.inc({ kind }, 0)
        expired.inc({ kind }, 0)
        if (kinds.length * queues.length > zeroPairsMax) continue
        for (const queue of queues.map(boundQueue)) {
          started.inc({ kind, queue }, 0)
          for (const outcome of jobOutcomes) completed.inc({ kind, queue, outcome }, 0)
        }
      }
    },
  }
}

function createClaimMetrics(registry: MetricsRegistry) {
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
    help: 'How many jobs one claim took, including empty claims.',
    buckets: [0, 1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000],
    registers,
  })
  const claimErrors = new Counter({
    name: 'worker_claim_errors_total',
    help: 'Claims that failed or got no answer.',
    registers,
  })
  const dequeueWait = new Histogram({
    name: 'worker_dequeue_wait_seconds',
    help: 'Time from a slot becoming free to a job running in it.',
    buckets,
    registers,
  })
  return {
    claimFinished(claim: { readonly seconds: number; readonly jobs: number }) {
      claimSeconds.observe(claim.seconds)
      claimBatchSize.observe(claim.jobs)
    },
    claimFailed: () => claimErrors.inc(),
    slotFilled(slot: { readonly waitSeconds: number }) {
      dequeueWait.observe(Math.max(0, slot.waitSeconds))
    },
  }
}

/** The parts of limits that are repaired; their counters begin at 0. */
const limitParts = ['counter', 'lane', 'turn'] as const

function createStateMetrics(registry: MetricsRegistry) {
  const registers = [registry]
  const recovered = new Counter({
    name: 'worker_recovered_jobs_total',
    help: 'Jobs that this worker took over from workers that were lost.',
    registers,
  })
  const lostWorkers = new Counter({
    name: 'worker_lost_workers_total',
    help: 'Other workers whose lease this worker found expired.',
    registers,
  })
  const staleWrites = new Counter({
    name: 'worker_stale_writes_refused_total',
    help: 'Ends of attempts that were refused because another worker had taken the job over.',
    registers,
  })
  const countsDropped = new Counter({
    name: 'worker_stats_dropped_total',
    help: 'Counts for the job statistics that were lost: their write got no answer, or there were too many.',
    registers,
  })
  const logLinesDropped = new Counter({
    name: 'worker_log_lines_dropped_total',
    help: 'Log lines of handlers that were dropped: beyond the bounds of their attempt or of its process, or not stored.',
    registers,
  })
  const limitRepairs = new Counter({
    name: 'worker_limit_repairs_total',
    help: 'Repairs of limits: wrong counters, lanes that no claim would have served, and missing turns.',
    labelNames: ['what'],
    registers,
  })
  for (const what of limitParts) limitRepairs.inc({ what }, 0)
  const active = new Gauge({ name: 'worker_active_jobs', help: 'Jobs that are running now.', registers })
  const slots = new Gauge({ name: 'worker_concurrency', help: 'How many jobs may run at once.', registers })
  const zombies = new Gauge({
    name: 'worker_zombie_handlers',
    help: 'Handlers that run past their timeout and grace and keep their slot.',
    registers,
  })
  const refusedEnds = new Gauge({
    name: 'worker_refused_ends',
    help: 'Ends of attempts that the database refuses to record; the worker keeps them and tries again.',
    registers,
  })
  new Gauge({
    name: 'worker_zone_data',
    help: '1; the label is the version of the time zone data that schedules are computed with.',
    labelNames: ['version'],
    registers,
  }).set({ version: process.versions['tz'] ?? 'unknown' }, 1)
  // Created with the first report of a listener: a worker that only polls has no such metric.
  let listener: Gauge | undefined
  const listenerGauge = (): Gauge =>
    (listener ??= new Gauge({
      name: 'worker_listener_healthy',
      help: '1 while notifications arrive, 0 while the worker only polls; absent if notifications are off.',
      registers,
    }))
  return {
    jobsRecovered: (jobs: number) => recovered.inc(jobs),
    workersLost: (workers: number) => lostWorkers.inc(workers),
    staleWriteRefused: () => staleWrites.inc(),
    countsDropped: (counts: number) => countsDropped.inc(counts),
    logLinesDropped: (lines: number) => logLinesDropped.inc(lines),
    limitsRepaired: (repairs: {
      readonly counters: number
      readonly lanes: number
      readonly turns: number
    }) => {
      limitRepairs.inc({ what: 'counter' }, repairs.counters)
      limitRepairs.inc({ what: 'lane' }, repairs.lanes)
      limitRepairs.inc({ what: 'turn' }, repairs.turns)
    },
    activeJobs: (jobs: number) => active.set(jobs),
    concurrency: (count: number) => slots.set(count),
    zombieHandlers: (handlers: number) => zombies.set(handlers),
    refusedEnds: (ends: number) => refusedEnds.set(ends),
    listenerHealthy: (state: 'healthy' | 'unhealthy') => listenerGauge().set(state === 'healthy' ? 1 : 0),
  }
}

/** The policies whose counters begin at 0. */
const missedPolicies = ['skip', 'once', 'all'] as const

function createScheduleMetrics(registry: MetricsRegistry) {
  const registers = [registry]
  const late = new Histogram({
    name: 'worker_schedule_late_seconds',
    help: 'Time from the instant a schedule was due to its firing; the count is the number of runs.',
    buckets: [...durationBucketsSeconds],
    registers,
  })
  const missed = new Counter({
    name: 'worker_schedule_runs_missed_total',
    help: 'Runs of schedules that were missed and not made up for, by the policy that dropped them.',
    labelNames: ['policy'],
    registers,
  })
  const skipped = new Counter({
    name: 'worker_schedule_runs_skipped_total',
    help: 'Runs of schedules that were skipped because the job of the previous run had not ended.',
    registers,
  })
  const refused = new Counter({
    name: 'worker_schedule_runs_refused_total',
    help: 'Runs of schedules that were refused because their queue was full.',
    registers,
  })
  for (const policy of missedPolicies) missed.inc({ policy }, 0)
  return {
    schedulesFired(firing: {
      readonly lateSeconds: readonly number[]
      readonly missed: Readonly<Record<(typeof missedPolicies)[number], number>>
      readonly skipped: number
      readonly refused: number
    }) {
      for (const seconds of firing.lateSeconds) late.observe(Math.max(0, seconds))
      for (const policy of missedPolicies) missed.inc({ policy }, firing.missed[policy])
      skipped.inc(firing.skipped)
      refused.inc(firing.refused)
    },
  }
}
