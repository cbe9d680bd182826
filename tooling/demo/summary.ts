import { jobStatuses } from '@queue/core'
import type { Stack } from '../stack/launch-stack.ts'
import type { FollowResult } from './follow.ts'
import type { SinkReport } from './sinks/sinks.ts'
import type { Submission } from './submit.ts'

export interface SummaryInput {
  readonly stack: Pick<Stack, 'apiUrl' | 'workerUrl'>
  readonly submitted: Submission
  readonly followResult: FollowResult
  /** The report of the demo's servers, if there are any. */
  readonly sinks?: SinkReport | undefined
  /** Whether the stack keeps running, so that its addresses are useful. */
  readonly stay: boolean
}

/** Renders the result of the demo as text. */
export function renderSummary({ stack, submitted, followResult, sinks, stay }: SummaryInput): string {
  const jobs = followResult.ended.map(({ job }) => job)
  const rows = jobStatuses
    .map((status) => ({ status, count: jobs.filter((job) => job.status === status).length }))
    .filter(({ count }) => count > 0)
    .map(({ status, count }) => `  ${status.padEnd(18)}${String(count).padStart(5)}`)
  const retries = jobs.reduce((sum, job) => sum + Math.max(0, job.attempts - 1), 0)
  const failureCount =
    submitted.failures.length + followResult.failures.length + (sinks?.failures.length ?? 0)
  const latencies = latenciesMs(followResult)
  return `
${jobs.length + submitted.replays} submissions, ${jobs.length} jobs, ${submitted.replays} replays of a known idempotency key

${rows.join('\n')}

  retries           ${String(retries).padStart(5)}
  submission to end, jobs that started at once and ran once: p50 ${percentile(latencies, 0.5)} ms, p95 ${percentile(latencies, 0.95)} ms
${sinks === undefined ? '' : `\n${sinks.lines.map((line) => `  ${line}\n`).join('')}`}
${failureCount === 0 ? 'Every job reached its expected state.' : `${failureCount} jobs or responses were not as expected.`}
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

function latenciesMs({ ended }: FollowResult): number[] {
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
