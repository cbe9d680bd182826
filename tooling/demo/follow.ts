import { setTimeout as sleep } from 'node:timers/promises'
import { isTerminal } from '@queue/core'
import { call, inParallel, type WireJob } from './api.ts'
import { describeWrongEnd } from './expected-end.ts'
import type { Submission, SubmittedJob } from './submit.ts'

export interface FollowResult {
  /** Every job in its final state, in the order of the submissions. */
  readonly ended: readonly { readonly submitted: SubmittedJob; readonly job: WireJob }[]
  /** A line for each job that did not reach its expected state. */
  readonly failures: readonly string[]
}

export interface FollowOptions {
  readonly apiUrl: string
  readonly submitted: Submission
  readonly signal: AbortSignal
  readonly onProgress: (endedCount: number, total: number) => void
}

const requestsInFlight = 16
const pollEveryMs = 200
/** Longer than the last retry can take: two backoffs of at most 9 s, and the work itself. */
const deadlineMs = 90_000

/** Polls every job until its end, and compares its final state with the expected one. */
export async function followAll({
  apiUrl,
  submitted,
  signal,
  onProgress,
}: FollowOptions): Promise<FollowResult> {
  const { jobs } = submitted
  const states = new Map<string, WireJob>()
  const open = (): SubmittedJob[] => jobs.filter(({ id }) => !isEnded(states.get(id)))
  const deadline = AbortSignal.timeout(deadlineMs)
  while (open().length > 0 && !deadline.aborted) {
    signal.throwIfAborted()
    await inParallel(open(), requestsInFlight, async ({ id }) => {
      states.set(id, (await call({ url: `${apiUrl}/jobs/${id}`, method: 'GET' })).job)
    })
    onProgress(jobs.length - open().length, jobs.length)
    if (open().length > 0) await sleep(pollEveryMs)
  }
  const ended = jobs.flatMap((submittedJob) => {
    const job = states.get(submittedJob.id)
    return job === undefined ? [] : [{ submitted: submittedJob, job }]
  })
  const failures = ended.flatMap((end) => describeWrongEnd(end.submitted, end.job) ?? [])
  return { ended, failures }
}

function isEnded(job: WireJob | undefined): boolean {
  return job !== undefined && isTerminal(job.status)
}
