import type { CancelledWaiting } from '../database/chosen-jobs.ts'
import type { JobCounter } from './job-counter.ts'

/** Counts the cancel of the job, and its enqueue where that is not counted yet. */
export function countCancelled(
  job: CancelledWaiting,
  counter: Pick<JobCounter, 'ended' | 'cancelledUnclaimed'>,
): void {
  const atMs = job.cancelledAt.getTime()
  if (job.isUnclaimed) counter.cancelledUnclaimed(job, atMs)
  else counter.ended(job, { how: 'cancelled', atMs })
}
