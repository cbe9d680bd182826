import { IdempotencyMismatch, type JobRequest, UniqueConflict } from '@queue/core'
import { z } from 'zod'
import { toProblem } from '../http/handle-errors.ts'
import { parsePrefer } from '../http/headers.ts'
import { batchJobsMax, issuesMax } from '../http/limits.ts'
import { databaseProblems, defineOperation } from '../http/operation.ts'
import { type Issue, issuesProblem, toIssues } from '../http/problem.ts'
import { parseBody } from '../http/serve-operation.ts'
import type { Services } from '../services.ts'
import {
  acceptedTraceparent,
  createJobExamples,
  createJobSchema,
  decodeJobOptions,
  enqueueHeaders,
} from '../wire/create-job.ts'
import { viewOf } from '../kinds/job-view.ts'
import { encodeJob, jobExample, jobSchema } from '../wire/job.ts'
import { isStrict, replayHeaders } from './replay.ts'

const batchOf = <Item extends z.ZodType>(item: Item) =>
  z.strictObject({ jobs: z.array(item).min(1).max(batchJobsMax) })

const createdJobsSchema = z
  .object({
    data: z.array(jobSchema).meta({ description: 'The jobs, in the order of the request.' }),
    replayed: z.array(z.int().min(0)).meta({
      description:
        'The positions, from 0, of the jobs whose idempotency key was known. Nothing was written for them.',
    }),
    conflicts: z
      .array(
        z.object({
          index: z.int().min(0),
          outcome: z.enum(['returned', 'replaced', 'rescheduled']),
        }),
      )
      .meta({
        description:
          'The positions, from 0, of the jobs whose unique key was held, and what was done to the job that holds it.',
      }),
  })
  .meta({ id: 'CreatedJobs' })

export const createJobs = defineOperation({
  operationId: 'createJobs',
  method: 'post',
  path: '/jobs/batch',
  tag: 'Jobs',
  permission: 'jobs:enqueue',
  summary: 'Enqueue up to 1 000 jobs, all or none',
  description:
    'One statement writes them all. When one job is not valid, none is written, and the issues name its position, as in ' +
    '`/jobs/3/payload/to`. Each job may have an idempotency_key. A known key with a different request is answered with ' +
    'the original job and `Idempotency-Mismatch: true`. Where mismatches are refused, none is written, and the issues ' +
    'name the positions of such keys.',
  headers: z.object(enqueueHeaders),
  body: {
    // Their number is checked before any of them is.
    schema: batchOf(z.unknown()),
    documented: batchOf(createJobSchema).meta({ id: 'CreateJobs' }),
    description: 'The jobs.',
    examples: {
      two: {
        summary: 'Two jobs',
        value: { jobs: [createJobExamples.plain.value, createJobExamples.scheduled.value] },
      },
    },
  },
  successes: [
    {
      status: 201,
      description: 'The jobs are enqueued, except those whose key was known.',
      headers: {
        'Idempotent-Replayed': 'true when a key was known.',
        'Idempotency-Mismatch':
          'true when kind, queue or payload of one are not those of the original request.',
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
    ...databaseProblems,
  ],
  async handle({ headers, body, context }, services) {
    const { queue, kinds, idempotencyMismatch } = services
    const view = await viewOf(context, services)
    const traceContext = acceptedTraceparent(headers.traceparent)
    const requests = await toRequests(body.jobs, { kinds, traceContext })
    const strict = isStrict({ idempotencyMismatch, preferences: parsePrefer(headers.prefer) })
    const enqueued = await queue
      .enqueueMany(requests, { onMismatch: strict ? 'reject' : 'replay' })
      .catch(rethrowPlaces)
    const replayed = enqueued.flatMap((one, index) => (one.replayed ? [index] : []))
    const conflicts = enqueued.flatMap(({ conflict }, index) =>
      conflict === undefined || conflict === 'refused' ? [] : [{ index, outcome: conflict }],
    )
    const json = { data: enqueued.map((one) => encodeJob(one.job, view)), replayed, conflicts }
    const { 'unique-conflict': _, ...headersOfAll } = replayHeaders(enqueued)
    return { status: 201, headers: headersOfAll, json }
  },
})

/** Where the keys stand that belong to different requests, or are held by other jobs. */
function rethrowPlaces(error: unknown): never {
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
    message: `belongs to job ${jobId}, whose kind, queue or payload differ`,
  }))
  throw issuesProblem('idempotency_mismatch', toIssues(issues), error)
}

interface ToRequestsContext {
  readonly kinds: Services['kinds']
  readonly traceContext: string | undefined
}

/** Every job of a batch, valid; throws 422 with the issues of all that are not. */
async function toRequests(jobs: readonly unknown[], context: ToRequestsContext): Promise<JobRequest[]> {
  const issues: Issue[] = []
  const requests: JobRequest[] = []
  for (const [index, job] of jobs.entries()) {
    // What is wrong with the first hundred is enough to say.
    if (issues.length >= issuesMax) break
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
  return (await kinds.find(job.kind)).create(job.payload, decodeJobOptions(job, { traceContext }))
}
