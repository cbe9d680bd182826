import { jobStatuses } from '@queue/core'
import type { Stack } from '../stack/launch-stack.ts'
import type { Followed } from './follow.ts'
import type { SinkReport } from './sinks/sinks.ts'
import type { Submission } from './submit.ts'

export interface SummaryInput {
  readonly stack: Pick<Stack, 'apiUrl' | 'workerUrl'>
  readonly submitted: Submission
  readonly followed: Followed
  /** What the servers of the demo have seen, and what is wrong with it. */
  readonly sinks?: SinkReport | undefined
  /** Whether the stack stays up, so that there is something at its addresses. */
  readonly stay: boolean
}

/** What came of it all, as the lines that a person reads. */
export function renderSummary({ stack, submitted, followed, sinks, stay }: SummaryInput): string {
  const jobs = followed.ended.map(({ job }) => job)
  const rows = jobStatuses
    .map((status) => ({ status, count: jobs.filter((job) => job.status === status).length }))
    .filter(({ count }) => count > 0)
    .map(({ status, count }) => `  ${status.padEnd(18)}${String(count).padStart(5)}`)
  const retries = jobs.reduce((sum, job) => sum + Math.max(0, job.attempts - 1), 0)
  const wrong = submitted.refusals.length + followed.failures.length + (sinks?.faults.length ?? 0)
  const latencies = latenciesMs(followed)
  return `
${jobs.length + submitted.replays} submissions, ${jobs.length} jobs, ${submitted.replays} replays of a known idempotency key

${rows.join('\n')}

  retries           ${String(retries).padStart(5)}
  submission to end, jobs that ran once and at once: p50 ${percentile(latencies, 0.5)} ms, p95 ${percentile(latencies, 0.95)} ms
${sinks === undefined ? '' : `\n${sinks.lines.map((line) => `  ${line}\n`).join('')}`}
${wrong === 0 ? 'Every job reached the state that it had to reach.' : `${wrong} jobs or answers were not what they had to be.`}
${stay ? addressesOf(stack) : ''}`
}

function addressesOf({ apiUrl, workerUrl }: SummaryInput['stack']): string {
  return `
  dashboard  ${apiUrl}/dashboard
  API        ${apiUrl}
  try it     ${apiUrl}/docs
  metrics    ${apiUrl}/metrics   ${workerUrl}/metrics
`
}

function latenciesMs({ ended }: Followed): number[] {
  return ended
    .filter(
      ({ submitted, job }) =>
        ['plain', 'last_attempt', 'real'].includes(submitted.scenario) && job.attempts === 1,
    )
    .map(({ job }) => Date.parse(job.finished_at ?? job.created_at) - Date.parse(job.created_at))
    .toSorted((a, b) => a - b)
}

function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0
}
