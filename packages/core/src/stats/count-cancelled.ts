import type { CountedJob, JobCounter } from './job-counter.ts'

/** What is counted of a job that had not begun, or waited to begin again, and was cancelled. */
export interface CancelledWaiting extends CountedJob {
  readonly createdAt: Date
  readonly cancelledAt: Date
  /** Whether nobody had ever got it: nobody has counted it as enqueued then. */
  readonly isUnclaimed: boolean
}

/** Counts its end, and its enqueue where nobody has. */
export function countCancelled(
  job: CancelledWaiting,
  counter: Pick<JobCounter, 'ended' | 'cancelledUnclaimed'>,
): void {
  const atMs = job.cancelledAt.getTime()
  if (job.isUnclaimed) counter.cancelledUnclaimed(job, atMs)
  else counter.ended(job, { how: 'cancelled', atMs })
}
