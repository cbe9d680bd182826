import { setTimeout as sleep } from 'node:timers/promises'
import { isTerminal } from '@queue/core'
import { type ApiResponse, call, inParallel, type WireJob } from './api.ts'
import type { PlannedJob, Scenario } from './plan.ts'

/** A job that the API has accepted. */
export interface SubmittedJob {
  readonly id: string
  readonly kind: string
  readonly scenario: Scenario
  /** The HTTP status of the response to the cancel request, if there was one. */
  readonly cancelStatus: number | undefined
}

export interface Submission {
  readonly jobs: readonly SubmittedJob[]
  /** The number of submissions that returned the job of an earlier one. */
  readonly replays: number
  /** A line for each unexpected response. */
  readonly failures: readonly string[]
}

export interface SubmitOptions {
  readonly apiUrl: string
  readonly plan: readonly PlannedJob[]
  readonly signal: AbortSignal
  readonly onProgress: (submittedCount: number, total: number) => void
}

const requestsInFlight = 16
const untilRunningMsMax = 10_000
const pollEveryMs = 5

/** Sends all planned submissions, with duplicates after the jobs that they repeat, and cancels jobs as planned. */
export async function submitAll({ apiUrl, plan, signal, onProgress }: SubmitOptions): Promise<Submission> {
  const jobs: SubmittedJob[] = []
  const failures: string[] = []
  const ids = new Map<string, string>()
  let replays = 0
  let submittedCount = 0
  const submit = async (planned: PlannedJob): Promise<void> => {
    signal.throwIfAborted()
    const response = await call({ ...planned, url: `${apiUrl}/jobs`, method: 'POST' })
    const failure = describeWrongResponse(planned, response, ids)
    if (failure !== undefined) failures.push(failure)
    else if (planned.scenario === 'duplicate') replays += 1
    else jobs.push(await cancelIfPlanned(apiUrl, planned, response.job))
    if (planned.idempotencyKey !== undefined) ids.set(planned.idempotencyKey, response.job.id)
    submittedCount += 1
    onProgress(submittedCount, plan.length)
  }
  const isDuplicate = (planned: PlannedJob): boolean => planned.scenario === 'duplicate'
  await inParallel(
    plan.filter((planned) => !isDuplicate(planned)),
    requestsInFlight,
    submit,
  )
  await inParallel(plan.filter(isDuplicate), requestsInFlight, submit)
  return { jobs, replays, failures }
}

/** Describes an unexpected response to a submission. A new job must give 201, a known key 200 with the original job. */
function describeWrongResponse(
  planned: PlannedJob,
  response: ApiResponse,
  ids: ReadonlyMap<string, string>,
): string | undefined {
  const label = `${planned.scenario} ${planned.body.kind}`
  if (planned.scenario !== 'duplicate') {
    return response.status === 201 ? undefined : `${label}: the status is ${response.status}, expected 201`
  }
  const original = ids.get(planned.idempotencyKey ?? '')
  if (response.status !== 200 || !response.replayed)
    return `${label}: the response has status ${response.status}, expected a replay with 200`
  return response.job.id === original
    ? undefined
    : `${label}: the job is ${response.job.id}, expected the original ${original}`
}

async function cancelIfPlanned(apiUrl: string, planned: PlannedJob, job: WireJob): Promise<SubmittedJob> {
  const { scenario } = planned
  const submitted = { id: job.id, kind: job.kind, scenario, cancelStatus: undefined }
  if (scenario === 'cancel_running') await untilRunning(apiUrl, job.id)
  else if (scenario !== 'cancel_scheduled') return submitted
  const { status } = await call({ url: `${apiUrl}/jobs/${job.id}/cancel`, method: 'POST' })
  return { ...submitted, cancelStatus: status }
}

/** Waits until the job runs or has ended. */
async function untilRunning(apiUrl: string, id: string): Promise<void> {
  const deadline = AbortSignal.timeout(untilRunningMsMax)
  while (!deadline.aborted) {
    const { job } = await call({ url: `${apiUrl}/jobs/${id}`, method: 'GET' })
    if (job.status === 'running' || isTerminal(job.status)) return
    await sleep(pollEveryMs)
  }
}
