import type { Job, JobStatus } from './wire.ts'

const endsByStatus = {
  queued: false,
  running: false,
  succeeded: true,
  retrying: false,
  failed_permanent: true,
  cancelled: true,
} satisfies Record<JobStatus, boolean>

/** The states of a job. */
export const jobStatuses = Object.keys(endsByStatus) as JobStatus[]

/** Whether a job has ended. It may be requeued nevertheless. */
export function isEnded({ status }: Pick<Job, 'status'>): boolean {
  return endsByStatus[status]
}
