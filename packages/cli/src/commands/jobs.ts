import { type Job, jobStatuses, type JobList, type JobPageQuery } from '@queue/client'
import type { Context } from '../command.ts'
import { eitherWay } from '../doors/door.ts'
import { toFilter, toWire } from '../doors/wire.ts'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import { Failure, usageFailure } from '../failure.ts'
import { choice, duration, instant, json, text, texts, type ValuesOf, whole } from '../options.ts'
import type { Column } from '../output/table.ts'

/** Which jobs: each filter of the API. */
export const jobFilterOptions = {
  status: choice('STATUS', jobStatuses, 'jobs in this state'),
  kind: text('KIND', 'jobs of this kind'),
  queue: text('QUEUE', 'jobs of this queue'),
  tenant: text('TENANT', 'jobs of this tenant'),
  key: text('KEY', 'jobs with this key'),
  metadata: json('JSON', 'jobs with these members in their metadata, such as {"order_id":4711}'),
  'created-after': instant('INSTANT', 'jobs created at this instant or later'),
  'created-before': instant('INSTANT', 'jobs created before this instant'),
  'finished-after': instant('INSTANT', 'jobs that ended at this instant or later'),
  'finished-before': instant('INSTANT', 'jobs that ended before this instant'),
  fingerprint: texts(
    'FINGERPRINT',
    'jobs of which an attempt failed with this cause, as queue errors shows it',
  ),
  schedule: text('SCHEDULE', 'runs of this schedule'),
  worker: text('WORKER', 'jobs that run in this worker now'),
  'worker-version': text('VERSION', 'jobs that run in workers of this version now'),
} as const

/** The filters that were given, in the names of the API. */
export function toJobFilter(
  values: ValuesOf<typeof jobFilterOptions>,
): Omit<JobPageQuery, 'cursor' | 'limit'> {
  const { metadata, ...filter } = filterOf(values, Object.keys(jobFilterOptions))
  return metadata === undefined ? filter : { ...filter, metadata: textsOf(metadata) }
}

/** Metadata is searched by its texts. */
function textsOf(metadata: unknown): Record<string, string> {
  if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata)) {
    throw usageFailure('--metadata is no object', 'give it as {"order_id":4711}')
  }
  return Object.fromEntries(
    Object.entries(metadata).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  )
}

/** The values of these options, by the names that the API gives them. */
export function filterOf(
  values: Readonly<Record<string, unknown>>,
  names: readonly string[],
): Record<string, unknown> {
  const given = names.filter((name) => values[name] !== undefined)
  return Object.fromEntries(given.map((name) => [name.replaceAll('-', '_'), values[name]]))
}

const priorityMax = 9
const attemptsMax = 100
export const weightMax = 1_000_000

/** What a job may be enqueued with, by a caller or by a schedule. */
export const jobOptions = {
  queue: text('QUEUE', "in place of its kind's queue"),
  priority: whole('N', { min: 0, max: priorityMax }, "in place of its kind's; lower runs first"),
  'max-attempts': whole('N', { min: 1, max: attemptsMax }, 'how often it may be tried'),
  timeout: duration('DURATION', 'how long one attempt may take'),
  'retry-policy': json('JSON', 'how long it waits between its attempts'),
  metadata: json('JSON', 'what it can be found by, such as {"order_id":4711}; nothing of it is masked'),
  'expires-in': duration('DURATION', 'cancel it if it has not begun after so long, such as 10m'),
  key: text('KEY', 'by which jobs can be limited together, in place of what its payload gives'),
  weight: whole(
    'N',
    { min: 1, max: weightMax },
    "how many tokens its start costs of each rate, in place of its kind's",
  ),
} as const

/** The members that have another name on the command line. */
const memberNames: Readonly<Record<string, string>> = {
  delay: 'delay_ms',
  every: 'every_ms',
  expires_in: 'expires_in_ms',
  jitter: 'jitter_ms',
  kind_version: 'version',
  missed_window: 'missed_window_ms',
  timeout: 'timeout_ms',
  tenant: 'tenant_id',
}

/** Options that were given, as the API names what they set. */
export function toMembers(given: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [memberNames[name] ?? name, value]))
}

export const jobsPage = eitherWay<JobPageQuery, Promise<JobList>>({
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

/** An instant to the second: `2026-01-15T09:30:00Z`. */
export function toSeconds(instantText: string | null): string | null {
  return instantText === null ? null : instantText.replace(/\.\d+Z$/, 'Z')
}

/** Shows one job in full. */
export async function printJob({ print }: Pick<Context<unknown>, 'print'>, job: Job): Promise<void> {
  const shown = Object.entries(job).map(([name, value]): [string, string | number | boolean | null] => [
    name,
    typeof value === 'object' && value !== null
      ? JSON.stringify(value)
      : (value as string | number | boolean | null),
  ])
  await print.detail(Object.fromEntries(shown))
}

/** Whether a job that was waited for did what it should. */
export function exitCodeOf({ status }: Pick<Job, 'status'>): ExitCode {
  return status === 'succeeded' ? exitCodes.ok : exitCodes.jobFailed
}

/** The answer of the API, for the way that does not go through it. */
export function jobNotFound(): Failure {
  return new Failure({ error: 'job_not_found', detail: 'there is no job with this id, or it was pruned' })
}
