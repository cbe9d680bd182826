import { setTimeout as sleep } from 'node:timers/promises'
import { isTerminal } from '@queue/core'
import { type Answer, call, inParallel, type WireJob } from './api.ts'
import type { PlannedJob, Scenario } from './plan.ts'

/** A job that the API has taken, with what was done to it. */
export interface SubmittedJob {
  readonly id: string
  readonly kind: string
  readonly scenario: Scenario
  /** The status of the answer to the cancel request, where there was one. */
  readonly cancelStatus: number | undefined
}

export interface Submission {
  readonly jobs: readonly SubmittedJob[]
  /** Submissions that were answered with the job of an earlier one. */
  readonly replays: number
  /** Answers that should not have been. */
  readonly refusals: readonly string[]
}

export interface SubmitOptions {
  readonly apiUrl: string
  readonly plan: readonly PlannedJob[]
  readonly signal: AbortSignal
  readonly onProgress: (done: number, total: number) => void
}

const requestsInFlight = 16
const runningSeenMsMax = 10_000
const pollEveryMs = 5

/** Sends all planned submissions, the duplicates after the jobs that they repeat, and cancels what is to be cancelled. */
export async function submitAll({ apiUrl, plan, signal, onProgress }: SubmitOptions): Promise<Submission> {
  const jobs: SubmittedJob[] = []
  const refusals: string[] = []
  const ids = new Map<string, string>()
  let replays = 0
  let done = 0
  const submit = async (planned: PlannedJob): Promise<void> => {
    signal.throwIfAborted()
    const answer = await call({ ...planned, url: `${apiUrl}/jobs`, method: 'POST' })
    const fault = faultOf(planned, answer, ids)
    if (fault !== undefined) refusals.push(fault)
    else if (planned.scenario === 'duplicate') replays += 1
    else jobs.push(await afterwards(apiUrl, planned, answer.job))
    if (planned.idempotencyKey !== undefined) ids.set(planned.idempotencyKey, answer.job.id)
    done += 1
    onProgress(done, plan.length)
  }
  const isDuplicate = (planned: PlannedJob): boolean => planned.scenario === 'duplicate'
  await inParallel(
    plan.filter((planned) => !isDuplicate(planned)),
    requestsInFlight,
    submit,
  )
  await inParallel(plan.filter(isDuplicate), requestsInFlight, submit)
  return { jobs, replays, refusals }
}

/** What is wrong with the answer to a submission: 201 for a new job, 200 with the original for a known key. */
function faultOf(planned: PlannedJob, answer: Answer, ids: ReadonlyMap<string, string>): string | undefined {
  const what = `${planned.scenario} ${planned.body.kind}`
  if (planned.scenario !== 'duplicate') {
    return answer.status === 201 ? undefined : `${what}: 201 expected, ${answer.status} came`
  }
  const original = ids.get(planned.idempotencyKey ?? '')
  if (answer.status !== 200 || !answer.replayed) return `${what}: a replay expected, ${answer.status} came`
  return answer.job.id === original
    ? undefined
    : `${what}: ${answer.job.id} instead of the original ${original}`
}

async function afterwards(apiUrl: string, planned: PlannedJob, job: WireJob): Promise<SubmittedJob> {
  const { scenario } = planned
  const submitted = { id: job.id, kind: job.kind, scenario, cancelStatus: undefined }
  if (scenario === 'cancel_running') await untilRunning(apiUrl, job.id)
  else if (scenario !== 'cancel_scheduled') return submitted
  const { status } = await call({ url: `${apiUrl}/jobs/${job.id}/cancel`, method: 'POST' })
  return { ...submitted, cancelStatus: status }
}

/** Waits until a worker has the job, or has had it. */
async function untilRunning(apiUrl: string, id: string): Promise<void> {
  const deadline = AbortSignal.timeout(runningSeenMsMax)
  while (!deadline.aborted) {
    const { job } = await call({ url: `${apiUrl}/jobs/${id}`, method: 'GET' })
    if (job.status === 'running' || isTerminal(job.status)) return
    await sleep(pollEveryMs)
  }
}
