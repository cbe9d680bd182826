import { setTimeout as sleep } from 'node:timers/promises'
import { isTerminal } from '@queue/core'
import { call, inParallel, type WireJob } from './api.ts'
import { endFault } from './expected-end.ts'
import type { Submission, SubmittedJob } from './submit.ts'

export interface Followed {
  /** Every job as it ended, in the order of the submissions. */
  readonly ended: readonly { readonly submitted: SubmittedJob; readonly job: WireJob }[]
  /** One line for each job that did not reach the state it had to. */
  readonly failures: readonly string[]
}

export interface FollowOptions {
  readonly apiUrl: string
  readonly submitted: Submission
  readonly signal: AbortSignal
  readonly onProgress: (done: number, total: number) => void
}

const requestsInFlight = 16
const pollEveryMs = 200
/** Longer than the last retry can wait: two backoffs of at most 9 s, and the work itself. */
const deadlineMs = 90_000

/** Follows every job to its end, and compares that with the end that it had to reach. */
export async function followAll({ apiUrl, submitted, signal, onProgress }: FollowOptions): Promise<Followed> {
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
  const ended = jobs.flatMap((one) => {
    const job = states.get(one.id)
    return job === undefined ? [] : [{ submitted: one, job }]
  })
  return { ended, failures: ended.flatMap(({ submitted: one, job }) => endFault(one, job) ?? []) }
}

function isEnded(job: WireJob | undefined): boolean {
  return job !== undefined && isTerminal(job.status)
}
