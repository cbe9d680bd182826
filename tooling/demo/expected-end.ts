import type { JobStatus } from '@queue/core'
import { simulatedOutcome } from '@queue/executor'
import type { WireJob } from './api.ts'
import type { SubmittedJob } from './submit.ts'

/** One line when the job did not end as it had to; undefined when it did. */
export function endFault(submitted: SubmittedJob, job: WireJob): string | undefined {
  const expected = expectedEnds(submitted)
  const attempts = expectedAttempts(submitted, job)
  const what = `${submitted.scenario} ${job.kind} ${job.id}`
  if (!expected.includes(job.status)) return `${what}: ${expected.join(' or ')} expected, ${job.status} came`
  if (attempts !== undefined && job.attempts !== attempts) {
    return `${what}: ${attempts} attempts expected, ${job.attempts} came`
  }
  return undefined
}

/**
 * The states in which a job may end, computed from its id. A cancel of a running job races with its last step, so
 * it may still have succeeded; the answer to the cancel says what else is possible.
 */
function expectedEnds(submitted: SubmittedJob): readonly JobStatus[] {
  // The servers of the demo refuse nobody twice in a row.
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

/** A job with one attempt ends with that attempt; every other has a retry, and retries succeed. */
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
