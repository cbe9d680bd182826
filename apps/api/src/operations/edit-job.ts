import type { Job, JobEdit } from '@queue/core'
import { jobFields } from '@queue/core/fields'
import { z } from 'zod'
import { actorOf } from '../http/actor.ts'
import { entityTagOf, matchesEntityTag } from '../http/headers.ts'
import { databaseProblems, defineOperation } from '../http/operation.ts'
import { Problem } from '../http/problem.ts'
import { type JobView, maskerOf, viewOf } from '../kinds/job-view.ts'
import type { Services } from '../services.ts'
import { encodeJob, jobExample, jobIdParameters, jobSchema, metadataMeta } from '../wire/job.ts'
import { anyJson, instantInput, instantOutput } from '../wire/values.ts'
import { jobNotFound } from './get-job.ts'

const changes = {
  priority: jobFields.priority.optional().meta({ description: 'Lower runs first.' }),
  run_at: instantInput.optional().meta({
    type: 'string',
    format: 'date-time',
    description: 'The earliest start; a past instant counts as now.',
  }),
  max_attempts: jobFields.maxAttempts
    .optional()
    .meta({ description: 'How many attempts it may have: more than it has had.' }),
  timeout_ms: jobFields.timeoutMs
    .nullable()
    .optional()
    .meta({ description: 'Milliseconds that one attempt may take; null: what its kind or the worker says.' }),
  weight: jobFields.weight.optional().meta({ description: 'How many tokens its start costs, of each rate.' }),
  metadata: jobFields.metadata
    .nullable()
    .optional()
    .meta({
      ...metadataMeta,
      description: 'Other metadata in the place of all that it has; null: none.',
    }),
  payload: anyJson.optional().meta({ description: 'Another input for its handler, checked by its kind.' }),
  version: jobFields.kindVersion.optional().meta({
    description: 'The version of its kind that the payload is of. Absent: the newest that accepts it.',
  }),
} as const
const editSchema = z
  .strictObject(changes)
  .meta({ id: 'EditJob', description: 'What changes; what is absent stays.' })

const previousSchema = z
  .object({
    priority: jobFields.priority.optional(),
    run_at: instantOutput.optional(),
    max_attempts: jobFields.maxAttempts.optional(),
    timeout_ms: jobFields.timeoutMs.nullable().optional(),
    weight: jobFields.weight.optional(),
    metadata: jobFields.metadata.nullable().optional(),
    payload: z.unknown().optional(),
    kind_version: jobFields.kindVersion.optional(),
  })
  .meta({ description: 'What was there before, of each member that was given.' })

export const editJob = defineOperation({
  operationId: 'editJob',
  method: 'patch',
  path: '/jobs/{id}',
  tag: 'Jobs',
  permission: 'jobs:edit',
  act: 'job.edit',
  summary: 'Edit a waiting job',
  description:
    'Changes a job that waits, and no other (409): it runs as it was, or as it is then, and never as a mixture. If-Match has ' +
    'the ETag of the job as it was read: where it has changed since, nothing is (412). The fingerprint of its idempotency key ' +
    'stays that of the request that made it.',
  params: jobIdParameters,
  headers: z.object({
    'if-match': z
      .string()
      .optional()
      .meta({ description: 'The ETag of the job as it was read, or *. Required.' }),
  }),
  body: {
    schema: editSchema,
    description: 'What changes.',
    examples: { sooner: { summary: 'Ahead of the others', value: { priority: 0 } } },
  },
  successes: [
    {
      status: 200,
      description: 'The job as it is now, and what was there before.',
      headers: { ETag: 'That of the job as it is now.' },
      content: {
        mediaType: 'application/json',
        schema: z.object({ job: jobSchema, previous: previousSchema }).meta({ id: 'EditedJob' }),
        example: { job: { ...jobExample, priority: 0 }, previous: { priority: 4 } },
      },
    },
  ],
  problems: [
    'job_not_found',
    'invalid_transition',
    'job_changed',
    'precondition_required',
    'unknown_kind',
    'refused',
    ...databaseProblems,
  ],
  async handle({ params, headers, body, context, raw }, services) {
    const { queue } = services
    const ifMatch = headers['if-match']
    const view = await viewOf(context, services)
    const present = await queue.get(params.id)
    if (present === undefined) throw jobNotFound()
    if (ifMatch === undefined) {
      throw new Problem('precondition_required', {
        detail: 'send If-Match with the ETag of the job as you have read it, or * for whatever it is now',
      })
    }
    const isRead = matchesEntityTag(ifMatch, entityTagOf(JSON.stringify(encodeJob(present, view))))
    const isWaiting = present.status === 'queued' || present.status === 'retrying'
    if (!isRead && isWaiting) {
      throw new Problem('job_changed', {
        detail: 'the job is not the one that If-Match names: read it again',
      })
    }
    const edit = await toEdit(body, present, services.kinds)
    const isAny = ifMatch.trim() === '*'
    const edited = await queue
      .actAs(actorOf({ context, raw }))
      .edit(params.id, edit, { ...(!isAny && { ifUpdatedAt: present.updatedAt }) })
    const job = encodeJob(edited.job, view)
    return {
      status: 200,
      headers: { etag: entityTagOf(JSON.stringify(job)) },
      json: { job, previous: encodePrevious(edited.previous, edited.job, view) },
    }
  },
})

async function toEdit(
  { payload, version, run_at: runAt, ...body }: z.output<typeof editSchema>,
  { kind, payload: present }: Job,
  kinds: Services['kinds'],
): Promise<JobEdit> {
  const changesWork = payload !== undefined || version !== undefined
  return {
    ...(body.priority !== undefined && { priority: body.priority }),
    ...(runAt !== undefined && { runAt }),
    ...(body.max_attempts !== undefined && { maxAttempts: body.max_attempts }),
    ...(body.timeout_ms !== undefined && { timeoutMs: body.timeout_ms }),
    ...(body.weight !== undefined && { weight: body.weight }),
    ...(body.metadata !== undefined && { metadata: body.metadata }),
    ...(changesWork && {
      work: {
        definition: await kinds.find(kind),
        payload: payload === undefined ? present : payload,
        version,
      },
    }),
  }
}

type Previous = Awaited<ReturnType<ReturnType<Services['queue']['actAs']>['edit']>>['previous']

function encodePrevious(previous: Previous, { kind }: Job, view: JobView): z.output<typeof previousSchema> {
  const { priority, runAt, maxAttempts, timeoutMs, weight, metadata, payload, kindVersion } = previous
  return {
    ...(priority !== undefined && { priority }),
    ...(runAt !== undefined && { run_at: runAt.toISOString() }),
    ...(maxAttempts !== undefined && { max_attempts: maxAttempts }),
    ...(timeoutMs !== undefined && { timeout_ms: timeoutMs }),
    ...(weight !== undefined && { weight }),
    ...(metadata !== undefined && { metadata }),
    ...(payload !== undefined &&
      kindVersion !== undefined && {
        payload: maskerOf({ kind, kindVersion, payload }, view).payload,
        kind_version: kindVersion,
      }),
  }
}
