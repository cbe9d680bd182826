import { limits, type QueueDatabase } from '@queue/core'
import { pruneWorkers, type RecoveredJob, recoverJobs } from '@queue/core/runtime'
import type { Logger } from '@queue/executor'
import type { WorkerObserver } from './observer.ts'
import { createTicker, type Ticker } from '@queue/loop'

export interface RecoveryOptions {
  readonly database: QueueDatabase
  readonly logger: Logger
  readonly observer: WorkerObserver
  readonly intervalMs: number
  readonly workerId: () => string | undefined
  /** Gives back what a lost reply has left under this process's own name. */
  readonly reconcile: () => Promise<void>
}

/** Rows of workers long gone are removed once in so many ticks. */
const ticksPerPrune = 60

/** Takes over, at start and at every interval, what lost workers have left: every worker does this for all. */
export function createRecovery(options: RecoveryOptions): Ticker {
  let ticks = 0
  return createTicker({
    intervalMs: options.intervalMs,
    tick: async () => {
      await recoverAll(options)
      await options.reconcile()
      if (ticks % ticksPerPrune === 0) await pruneWorkers(options.database)
      ticks += 1
    },
    onError: (error) => options.logger.warn('recovery failed; trying again', { error }),
  })
}

async function recoverAll(options: RecoveryOptions): Promise<void> {
  const { database, logger, observer } = options
  for (let taken = limits.recoverBatchMax; taken === limits.recoverBatchMax; ) {
    const { lostWorkers, jobs } = await recoverJobs(database)
    for (const id of lostWorkers)
      logger.warn('a worker was lost: its lease has expired', { lost_worker_id: id })
    if (lostWorkers.length > 0) observer.workersLost(lostWorkers.length)
    if (jobs.length > 0) observer.jobsRecovered(jobs.length)
    for (const job of jobs) reportRecovered(job, options)
    taken = jobs.length
  }
}

function reportRecovered(job: RecoveredJob, { logger, observer, workerId }: RecoveryOptions): void {
  if (job.status === 'failed_permanent') observer.jobBuried({ kind: job.kind })
  logger.warn('job recovered from a lost worker', {
    job_id: job.id,
    kind: job.kind,
    attempt: job.attempt,
    worker_id: workerId(),
    lost_worker_id: job.workerId,
    status: job.status,
  })
}
