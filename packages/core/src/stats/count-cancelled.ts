import type { CountedJob, JobCounter } from './job-counter.ts'

/** The figures by which the cancel of a waiting job is counted. */
export interface CancelledWaiting extends CountedJob {
  readonly createdAt: Date
  readonly cancelledAt: Date
  /** Whether no worker ever claimed it. Enqueues are counted at the first claim, so its enqueue is not counted yet. */
  readonly isUnclaimed: boolean
}

/** Counts the cancel of the job, and its enqueue where that is not counted yet. */
export function countCancelled(
  job: CancelledWaiting,
  counter: Pick<JobCounter, 'ended' | 'cancelledUnclaimed'>,
): void {
  const atMs = job.cancelledAt.getTime()
  if (job.isUnclaimed) counter.cancelledUnclaimed(job, atMs)
  else counter.ended(job, { how: 'cancelled', atMs })
}
