import { IdempotencyMismatch, type JobRequest, UniqueConflict } from '@queue/core'
import { createJobSchema } from '@queue/core/internal'
import { z } from 'zod'
import { type LoopTurns, mapInTurns } from '../../access/loop-turns.ts'
import { toProblem } from '../../http/handle-errors.ts'
import { parsePrefer } from '../../http/headers.ts'
import { batchJobsMax, issuesMax } from '../../http/limits.ts'
import { databaseProblems, defineOperation } from '../../http/operation.ts'
import { type Issue, issuesProblem, toIssues } from '../../http/problem.ts'
import { parseBody } from '../../http/serve-operation.ts'
import { type JobView, hidesPart, viewOf } from '../../kinds/job-view.ts'
import type { ApiQueue, Services } from '../../services.ts'
import { encodeJob, jobExample, jobSchema } from '../reads/job.ts'
import {
  acceptedTraceparent,
  createJobExamples,
  decodeJobOptions,
  enqueueHeaders,
} from './create-job-body.ts'
import { isStrict, replayHeaders, withoutGuesses } from './replay.ts'

const batchOf = <Item extends z.ZodType>(item: Item) =>
  z.strictObject({
    jobs: z
      .array(item)
      .min(1)
      .max(batchJobsMax)
      .meta({ description: `1 to ${batchJobsMax} jobs.` }),
  })

const createdJobsSchema = z
  .object({
    data: z.array(jobSchema).meta({ description: 'The jobs, in the order of the request.' }),
    replayed: z.array(z.int().min(0)).meta({
      description:
        'Zero-based positions of the jobs whose idempotency key already existed. For these, `data` has the existing job, ' +
        'and nothing was written.',
    }),
    conflicts: z
      .array(
        z.object({
          index: z.int().min(0).meta({ description: 'Zero-based position of the job in the request.' }),
          outcome: z.enum(['returned', 'replaced', 'rescheduled']).meta({
            description: 'What happened to the job that holds the unique key.',
          }),
        }),
      )
      .meta({ description: 'The jobs whose unique key another job already holds.' }),
  })
  .meta({ id: 'CreatedJobs', description: 'The result of a batch.' })

export const createJobs = defineOperation({
  operationId: 'createJobs',
  method: 'post',
  path: '/jobs/batch',
  tag: 'Jobs',
  permission: 'jobs:enqueue',
  summary: 'Enqueue up to 1 000 jobs',
  description:
    'Enqueues all jobs in one transaction, or none. If a job is invalid, nothing is written, and each issue has the ' +
    'position of its job, as in `/jobs/3/payload/to`. Each job can have an `idempotency_key`. If a key already ' +
    'exists with a different request, the response contains the original job and `Idempotency-Mismatch: true`. With ' +
    '`Prefer: handling=strict`, or if the server runs with `IDEMPOTENCY_MISMATCH=reject`, such a request fails with ' +
    '422 instead.',
  headers: z.object(enqueueHeaders),
  body: {
    // The number of jobs is checked before any of them is parsed.
    schema: batchOf(z.unknown()),
    documented: batchOf(createJobSchema).meta({
      id: 'CreateJobs',
      description: 'A batch of jobs to enqueue.',
    }),
    description: 'The jobs to enqueue.',
    examples: {
      two: {
        summary: 'Enqueue two jobs',
        value: { jobs: [createJobExamples.plain.value, createJobExamples.scheduled.value] },
      },
    },
  },
  successes: [
    {
      status: 201,
      description: 'The jobs were enqueued, except those whose idempotency key already existed.',
      headers: {
        'Idempotent-Replayed': '`true` if the idempotency key of at least one job already existed.',
        'Idempotency-Mismatch':
          '`true` if at least one of these keys was first used with a different kind, queue or payload.',
      },
      content: {
        mediaType: 'application/json',
        schema: createdJobsSchema,
        example: { data: [jobExample], replayed: [], conflicts: [] },
      },
    },
  ],
  problems: [
    'out_of_scope',
    'idempotency_mismatch',
    'idempotency_key_locked',
    'unique_conflict',
    'unique_key_locked',
    'queue_full',
    'enqueue_too_old',
    ...databaseProblems,
  ],
  async handle({ headers, body, context }, services) {
    const { queue, kinds, turns, idempotencyMismatch } = services
    const view = await viewOf(context, services)
    const traceContext = acceptedTraceparent(headers.traceparent)
    const pause = turns.pauses(context)
    const requests = await toRequests(body.jobs, { kinds, traceContext, pause })
    const strict = isStrict({ idempotencyMismatch, preferences: parsePrefer(headers.prefer) })
    const enqueue = (onMismatch: 'reject' | 'replay') => queue.enqueueMany(requests, { onMismatch })
    const answered = await enqueue(strict ? 'reject' : 'replay')
      .catch(async (error: unknown) => {
        if (await tellsOfHidden(error, { queue, view })) return enqueue('replay')
        throw error
      })
      .catch(rethrowAsIssues)
    const enqueued = answered.map((result) => withoutGuesses(result, view))
    const replayed = enqueued.flatMap((result, index) => (result.replayed ? [index] : []))
    const conflicts = enqueued.flatMap(({ conflict }, index) =>
      conflict === undefined || conflict === 'refused' ? [] : [{ index, outcome: conflict }],
    )
    const data = await mapInTurns(enqueued, pause, ({ job }) => encodeJob(job, view))
    const json = { data, replayed, conflicts }
    const { 'unique-conflict': _, ...batchHeaders } = replayHeaders(enqueued)
    return { status: 201, headers: batchHeaders, json }
  },
})

/** Whether a refusal would tell the caller that it has not guessed the hidden parts of a payload. */
async function tellsOfHidden(
  error: unknown,
  { queue, view }: { readonly queue: Pick<ApiQueue, 'get'>; readonly view: JobView },
): Promise<boolean> {
  if (!(error instanceof IdempotencyMismatch) || view.payloads === 'whole') return false
  for (const { jobId } of error.mismatches) {
    const job = await queue.get(jobId)
    if (job !== undefined && hidesPart(job, view)) return true
  }
  return false
}

/** Turns mismatched idempotency keys and held unique keys into issues with the position of each job. */
function rethrowAsIssues(error: unknown): never {
  if (error instanceof UniqueConflict) {
    const issues = error.refusals.map(({ index, jobId }) => ({
      path: ['jobs', index, 'unique', 'key'],
      message: `is held by job ${jobId}`,
    }))
    throw issuesProblem('unique_conflict', toIssues(issues), error)
  }
  if (!(error instanceof IdempotencyMismatch)) throw error
  const issues = error.mismatches.map(({ index, jobId }) => ({
    path: ['jobs', index, 'idempotency_key'],
    message: `was used for job ${jobId} with a different kind, queue or payload`,
  }))
  throw issuesProblem('idempotency_mismatch', toIssues(issues), error)
}

interface ToRequestsContext {
  readonly kinds: Services['kinds']
  readonly traceContext: string | undefined
  /** Lets other callers go on; see `LoopTurns.pauses`. */
  readonly pause: ReturnType<LoopTurns['pauses']>
}

/** Validates every job of a batch. Throws 422 with the issues of all invalid jobs. */
async function toRequests(jobs: readonly unknown[], context: ToRequestsContext): Promise<JobRequest[]> {
  const issues: Issue[] = []
  const requests: JobRequest[] = []
  for (const [index, job] of jobs.entries()) {
    // The first hundred issues are enough for the caller to act on.
    if (issues.length >= issuesMax) break
    await context.pause()
    try {
      requests.push(await toRequest(job, context))
    } catch (error) {
      const problem = toProblem(error)
      if (problem.issues === undefined) throw error
      issues.push(...problem.issues.map((issue) => ({ ...issue, path: `/jobs/${index}${issue.path}` })))
    }
  }
  if (issues.length > 0) throw issuesProblem('invalid_job', issues.slice(0, issuesMax))
  return requests
}

async function toRequest(value: unknown, { kinds, traceContext }: ToRequestsContext): Promise<JobRequest> {
  const job = parseBody({ schema: createJobSchema }, value)
  const options = decodeJobOptions(job, { traceContext })
  return kinds.using(async (find) => (await find(job.kind)).create(job.payload, options))
}
