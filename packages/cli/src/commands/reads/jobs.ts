import { type Job, jobStatuses, type JobStatus, type JobList, type JobPageQuery } from '@queue/client'
import {
  choice,
  type Column,
  type ExitCode,
  exitCodes,
  type Failure,
  text,
  texts,
  timestamp,
  usageFailure,
  type ValuesOf,
} from '@queue/commands'
import type { Context } from '../../command.ts'
import { backendCall } from '../../backends/backend.ts'
import { toFilter, toWire } from '../../backends/wire.ts'
import { failureOf } from '../../failure.ts'
import { json } from '../../json.ts'

/** The filters of jobs, as in the API. */
export const jobFilterOptions = {
  status: choice('STATUS', jobStatuses, 'jobs with this status'),
  kind: text('KIND', 'jobs of this kind'),
  queue: text('QUEUE', 'jobs of this queue'),
  tenant: text('TENANT', 'jobs of this tenant'),
  key: text('KEY', 'jobs with this key'),
  metadata: json('JSON', 'jobs whose metadata has these members, such as {"order_id":4711}'),
  'created-after': timestamp('TIME', 'jobs created at or after this time'),
  'created-before': timestamp('TIME', 'jobs created before this time'),
  'finished-after': timestamp('TIME', 'jobs that ended at or after this time'),
  'finished-before': timestamp('TIME', 'jobs that ended before this time'),
  fingerprint: texts(
    'FINGERPRINT',
    'jobs with an attempt that failed with this fingerprint; queue errors lists them',
  ),
  schedule: text('SCHEDULE', 'jobs that this schedule enqueued'),
  worker: text('WORKER', 'jobs that are running in this worker'),
  'worker-version': text('VERSION', 'jobs that are running in workers of this version'),
} as const

/** The filters of the command line, in the names of the API. */
export function toJobFilter(
  values: ValuesOf<typeof jobFilterOptions>,
): Omit<JobPageQuery, 'cursor' | 'limit'> {
  const { metadata, ...filter } = filterOf(values, Object.keys(jobFilterOptions))
  return metadata === undefined ? filter : { ...filter, metadata: textsOf(metadata) }
}

/** The values to compare, as text. */
function textsOf(metadata: unknown): Record<string, string> {
  if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata)) {
    throw usageFailure('--metadata must be a JSON object', 'give it as {"order_id":4711}')
  }
  if (Object.keys(metadata).length === 0) {
    throw usageFailure('--metadata names no member, and would select every job', 'leave it out')
  }
  return Object.fromEntries(
    Object.entries(metadata).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  )
}

/** The options that were given, in the names of the API. */
export function filterOf(
  values: Readonly<Record<string, unknown>>,
  names: readonly string[],
): Record<string, unknown> {
  const used = names.filter((name) => values[name] !== undefined)
  return Object.fromEntries(used.map((name) => [name.replaceAll('-', '_'), values[name]]))
}

export const jobsPage = backendCall<JobPageQuery, Promise<JobList>>({
  api: (client, query) => client.jobsPage(query),
  database: async (queue, query) => {
    const { jobs, nextCursor, scanned } = await queue.list(toFilter(query))
    return { data: toWire(jobs), next_cursor: nextCursor, scanned: toWire(scanned) }
  },
})

export const jobColumns: readonly Column<Job>[] = [
  { title: 'id', of: (job) => job.id },
  { title: 'kind', of: (job) => job.kind, shrinks: true },
  { title: 'queue', of: (job) => job.queue, shrinks: true },
  { title: 'status', of: (job) => job.status },
  { title: 'attempts', of: (job) => `${job.attempts}/${job.max_attempts}`, align: 'right' },
  { title: 'run at', of: (job) => toSeconds(job.run_at) },
  { title: 'last error', of: (job) => job.last_error, shrinks: true },
]

/** A time without milliseconds: `2026-01-15T09:30:00Z`. */
export function toSeconds(timeText: string | null): string | null {
  return timeText === null ? null : timeText.replace(/\.\d+Z$/, 'Z')
}

/** Prints all members of a job. */
export async function printJob({ print }: Pick<Context<unknown>, 'print'>, job: Job): Promise<void> {
  const shown = Object.entries(job).map(([name, value]): [string, string | number | boolean | null] => [
    name,
    typeof value === 'object' && value !== null
      ? JSON.stringify(value)
      : (value as string | number | boolean | null),
  ])
  await print.detail(Object.fromEntries(shown))
}

/** The exit code for a job that has ended. */
export function exitCodeOf({ status }: Pick<Job, 'status'>): ExitCode {
  return status === 'succeeded' ? exitCodes.ok : exitCodes.jobFailed
}

/** The same failure as that of the API. */
export function jobNotFound(): Failure {
  return failureOf({
    error: 'job_not_found',
    detail: 'there is no job with this id: it may have been removed by retention',
  })
}

/** The colours of statuses, wherever a table shows one. */
export const statusColors: Readonly<
  Record<JobStatus | 'lost' | 'active' | 'paused', 'blue' | 'cyan' | 'gray' | 'green' | 'red' | 'yellow'>
> = {
  queued: 'cyan',
  running: 'blue',
  retrying: 'yellow',
  succeeded: 'green',
  failed_permanent: 'red',
  cancelled: 'gray',
  active: 'green',
  lost: 'red',
  paused: 'yellow',
}
