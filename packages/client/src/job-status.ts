import { assertObject } from './option-rules.ts'
import type { Job, JobStatus } from './wire.ts'

const isFinalStatus = {
  queued: false,
  running: false,
  succeeded: true,
  retrying: false,
  failed_permanent: true,
  cancelled: true,
} satisfies Record<JobStatus, boolean>

/** All states of a job. */
export const jobStatuses = Object.keys(isFinalStatus) as JobStatus[]

/** Whether a job has ended. An ended job can still be requeued. */
export function isEnded(job: Pick<Job, 'status'>): boolean {
  assertObject('isEnded', job)
  const { status } = job
  return isFinalStatus[status]
}
