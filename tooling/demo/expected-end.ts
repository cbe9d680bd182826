import type { JobStatus } from '@queue/core'
import { simulatedOutcome } from '@queue/executor'
import type { WireJob } from './api.ts'
import type { SubmittedJob } from './submit.ts'

/** Describes how the job ended differently than expected; undefined if it ended as expected. */
export function describeWrongEnd(submitted: SubmittedJob, job: WireJob): string | undefined {
  const expected = expectedEnds(submitted)
  const attempts = expectedAttempts(submitted, job)
  const label = `${submitted.scenario} ${job.kind} ${job.id}`
  if (!expected.includes(job.status))
    return `${label}: the status is ${job.status}, expected ${expected.join(' or ')}`
  if (attempts !== undefined && job.attempts !== attempts) {
    return `${label}: it had ${job.attempts} attempts, expected ${attempts}`
  }
  return undefined
}

/**
 * The statuses in which a job may end, computed from its id. The cancellation of a running job races with its last step, so the
 * job may still succeed. The response to the cancel request decides what else is possible.
 */
function expectedEnds(submitted: SubmittedJob): readonly JobStatus[] {
  // The servers of the demo never reject two requests in a row, so every job succeeds within its attempts.
  if (submitted.scenario === 'real') return ['succeeded']
  const simulated = simulatedEnd(submitted)
  switch (submitted.cancelStatus) {
    case undefined:
    case 409:
      return [simulated]
    case 200:
      return ['cancelled']
    case 202:
      return ['cancelled', 'succeeded']
    default:
      return []
  }
}

/** A job with a single attempt ends with it. Every other job has a retry, and simulated retries succeed. */
function simulatedEnd({ id, kind, scenario }: SubmittedJob): JobStatus {
  if (scenario !== 'last_attempt') return 'succeeded'
  return simulatedOutcome(id, 1, kind) === 'succeeded' ? 'succeeded' : 'failed_permanent'
}

function expectedAttempts({ id, kind, scenario }: SubmittedJob, job: WireJob): number | undefined {
  if (job.status === 'cancelled') return scenario === 'cancel_scheduled' ? 0 : undefined
  if (scenario === 'real') return undefined
  if (scenario === 'last_attempt') return 1
  return simulatedOutcome(id, 1, kind) === 'succeeded' ? 1 : 2
}
