import { limits } from '@queue/core'
import {
  type CountedEnd,
  expireJobs,
  type JobCounter,
  pruneWorkers,
  type QueueDatabase,
  type RecoveredJob,
  recoverJobs,
} from '@queue/core/internal'
import { createTicker, type Ticker } from '@queue/loop'
import type { WorkerSettings } from './options.ts'
import type { Reporting } from './reporting.ts'

export interface RecoveryOptions {
  readonly database: QueueDatabase
  readonly reporting: Pick<Reporting, 'logger' | 'observer'>
  readonly settings: Pick<WorkerSettings, 'recoveryIntervalMs'>
  readonly counter: Pick<JobCounter, 'ended' | 'cancelledUnclaimed'>
  readonly workerId: () => string | undefined
  /** Returns jobs that name this process but are unknown to it. */
  readonly reconcile: () => Promise<void>
}

/** Rows of workers that ended long ago are removed once every this many ticks. */
const ticksPerPrune = 60

/**
 * Takes over the jobs of lost workers, and cancels jobs that have not begun by their expiry: at the start and at every
 * interval. Every worker does this for all others.
 */
export function createRecovery(options: RecoveryOptions): Ticker {
  let ticks = 0
  return createTicker({
    intervalMs: options.settings.recoveryIntervalMs,
    tick: async () => {
      const anyExpired = await recoverAll(options)
      if (anyExpired) await expireAll(options)
      await options.reconcile()
      if (ticks % ticksPerPrune === 0) await pruneWorkers(options.database)
      ticks += 1
    },
    onError: (error) => options.reporting.logger.warn('recovery failed; trying again', { error }),
  })
}

/** Recovers the jobs of all lost workers. Resolves with whether there are jobs past their expiry. */
async function recoverAll(options: RecoveryOptions): Promise<boolean> {
  const { database, reporting } = options
  const { logger, observer } = reporting
  for (;;) {
    const { lostWorkers, jobs, anyExpired } = await recoverJobs(database)
    for (const id of lostWorkers)
      logger.warn('a worker was lost: its lease has expired', { lost_worker_id: id })
    if (lostWorkers.length > 0) observer.workersLost(lostWorkers.length)
    if (jobs.length > 0) observer.jobsRecovered(jobs.length)
    for (const job of jobs) reportRecovered(job, options)
    if (jobs.length < limits.recoverBatchMax) return anyExpired
  }
}

async function expireAll({
  database,
  counter,
  reporting: { logger, observer },
}: RecoveryOptions): Promise<void> {
  for (let batchSize = limits.expireBatchMax; batchSize === limits.expireBatchMax; ) {
    const expired = await expireJobs(database)
    for (const job of expired) {
      observer.jobExpired({ kind: job.kind })
      const atMs = job.expiredAt.getTime()
      if (job.isUnclaimed) counter.cancelledUnclaimed(job, atMs)
      else counter.ended(job, { how: 'cancelled', atMs })
    }
    if (expired.length > 0)
      logger.info('cancelled jobs that had not begun by their expiry', { jobs: expired.length })
    batchSize = expired.length
  }
}

/** How a lost attempt is counted, by the new state of its job. */
const recoveredEnds: Readonly<Partial<Record<RecoveredJob['status'], CountedEnd>>> = {
  failed_permanent: 'failed',
  cancelled: 'cancelled',
}

function reportRecovered(job: RecoveredJob, { reporting, counter, workerId }: RecoveryOptions): void {
  const { logger, observer } = reporting
  counter.ended(job, { how: recoveredEnds[job.status] ?? 'retried', atMs: job.recoveredAt.getTime() })
  if (job.status === 'failed_permanent') observer.jobDeadLettered({ kind: job.kind })
  logger.warn('job recovered from a lost worker', {
    job_id: job.id,
    kind: job.kind,
    attempt: job.attempt,
    worker_id: workerId(),
    lost_worker_id: job.workerId,
    status: job.status,
  })
}
