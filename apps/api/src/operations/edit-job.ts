import { type EditedJob, type Job, type JobEdit, QueueError } from '@queue/core'
import { jobFields } from '@queue/core/fields'
import { z } from 'zod'
import { actorOf } from '../http/actor.ts'
import { entityTagOf, matchesEntityTag } from '../http/headers.ts'
import { databaseProblems, defineOperation } from '../http/operation.ts'
import { Problem } from '../http/problem.ts'
import { assertMayReuse, type JobView, shownPayload, viewOf } from '../kinds/job-view.ts'
import type { FindKind } from '../kinds/kind-catalogue.ts'
import type { Services } from '../services.ts'
import { encodeJob, jobExample, jobIdParameters, jobSchema, metadataMeta } from '../wire/job.ts'
import { anyJson, instantInput, instantOutput } from '../wire/values.ts'
import { jobNotFound } from './get-job.ts'

const changes = {
  priority: jobFields.priority
    .optional()
    .meta({ description: 'Priority from 0 to 9. Lower numbers start first.' }),
  run_at: instantInput.optional().meta({
    type: 'string',
    format: 'date-time',
    description: 'Earliest start. A time in the past counts as now.',
  }),
  max_attempts: jobFields.maxAttempts.optional().meta({
    description:
      'Maximum number of attempts. Must be greater than the attempts that the job has already had.',
  }),
  timeout_ms: jobFields.timeoutMs.nullable().optional().meta({
    description:
      'Timeout of one attempt in milliseconds. Null uses the default of the kind or of the worker.',
  }),
  weight: jobFields.weight
    .optional()
    .meta({ description: 'Tokens that a start of the job takes from each rate limit.' }),
  metadata: jobFields.metadata
    .nullable()
    .optional()
    .meta({
      ...metadataMeta,
      description: 'New metadata, which replaces all existing metadata. Null removes it.',
    }),
  payload: anyJson
    .optional()
    .meta({ description: 'New payload. It is validated by the schema of the kind.' }),
  version: jobFields.kindVersion.optional().meta({
    description: 'Kind version of the payload. Defaults to the newest version whose schema accepts it.',
  }),
} as const
const editSchema = z
  .strictObject(changes)
  .meta({ id: 'EditJob', description: 'The members to change. Absent members keep their values.' })

const previousSchema = z
  .object({
    priority: jobFields.priority.optional().meta({ description: 'The previous priority.' }),
    run_at: instantOutput.optional().meta({ description: 'The previous earliest start.' }),
    max_attempts: jobFields.maxAttempts
      .optional()
      .meta({ description: 'The previous maximum number of attempts.' }),
    timeout_ms: jobFields.timeoutMs
      .nullable()
      .optional()
      .meta({ description: 'The previous timeout in milliseconds.' }),
    weight: jobFields.weight.optional().meta({ description: 'The previous weight.' }),
    metadata: jobFields.metadata.nullable().optional().meta({ description: 'The previous metadata.' }),
    payload: z.unknown().optional().meta({ description: 'The previous payload.' }),
    kind_version: jobFields.kindVersion
      .optional()
      .meta({ description: 'The previous kind version of the payload.' }),
  })
  .meta({ description: 'The previous values of the members that were sent.' })

export const editJob = defineOperation({
  operationId: 'editJob',
  method: 'patch',
  path: '/jobs/{id}',
  tag: 'Jobs',
  permission: 'jobs:edit',
  act: 'job.edit',
  summary: 'Edit a waiting job',
  description:
    'Changes a waiting job. The edit is atomic: an attempt sees the job either before or after it. A job in any ' +
    'other state cannot be edited (409). Send the ETag of the job in `If-Match`: if the job has changed since, ' +
    'nothing is written (412). The idempotency key still belongs to the original request.',
  params: jobIdParameters,
  headers: z.object({
    'if-match': z
      .string()
      .optional()
      .meta({ description: 'Required. The ETag of the job as you read it, or `*` to edit any version.' }),
  }),
  body: {
    schema: editSchema,
    description: 'The changes.',
    examples: { sooner: { summary: 'Raise the priority', value: { priority: 0 } } },
  },
  successes: [
    {
      status: 200,
      description: 'The edited job and its previous values.',
      headers: { ETag: 'Entity tag of the edited job.' },
      content: {
        mediaType: 'application/json',
        schema: z
          .object({ job: jobSchema, previous: previousSchema })
          .meta({ id: 'EditedJob', description: 'An edited job with its previous values.' }),
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
  async handle({ params, headers, body, context }, services) {
    const { queue } = services
    const ifMatch = headers['if-match']
    const view = await viewOf(context, services)
    const acts = queue.actAs(actorOf(context))
    const matchesAnyVersion = ifMatch?.trim() === '*'
    const dependsOnRead = !matchesAnyVersion || keepsPayload(body)
    const editAsRead = async (): Promise<EditedJob> => {
      const current = await queue.get(params.id)
      if (current === undefined) throw jobNotFound()
      if (ifMatch === undefined) {
        throw new Problem('precondition_required')
      }
      const isUnchanged = matchesEntityTag(ifMatch, entityTagOf(JSON.stringify(encodeJob(current, view))))
      const isWaiting = current.status === 'queued' || current.status === 'retrying'
      if (!isUnchanged && isWaiting) {
        throw new Problem('job_changed')
      }
      if (keepsPayload(body)) assertMayReuse(current, view, context)
      const options = { ...(dependsOnRead && { ifUpdatedAt: current.updatedAt }) }
      return services.kinds.using(async (find) =>
        acts.edit(params.id, await toEdit(body, current, find), options),
      )
    }
    const edited = await (matchesAnyVersion ? untilUnchanged(editAsRead) : editAsRead())
    const job = encodeJob(edited.job, view)
    return {
      status: 200,
      headers: { etag: entityTagOf(JSON.stringify(job)) },
      json: { job, previous: encodePrevious(edited.previous, edited.job, view) },
    }
  },
})

/** Whether the edit writes the payload as it was read, to check it against another version of the kind. */
const keepsPayload = ({ payload, version }: z.output<typeof editSchema>): boolean =>
  payload === undefined && version !== undefined

/** More edits than this come between a read and its write only where something edits a job without end. */
const editTriesMax = 20

/** Repeats an edit that may start from any state of the job, until the job does not change between its read and its write. */
async function untilUnchanged(edit: () => Promise<EditedJob>): Promise<EditedJob> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await edit()
    } catch (error) {
      const hasChanged = error instanceof QueueError && error.code === 'job_changed'
      if (!hasChanged || tries === editTriesMax) throw error
    }
  }
}

async function toEdit(
  { payload, version, run_at: runAt, ...body }: z.output<typeof editSchema>,
  { kind, payload: currentPayload }: Job,
  find: FindKind,
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
        definition: await find(kind),
        payload: payload === undefined ? currentPayload : payload,
        version,
      },
    }),
  }
}

type Previous = Awaited<ReturnType<ReturnType<Services['queue']['actAs']>['edit']>>['previous']

/** The previous payload is hidden as the new one is, which hides at least as much. */
function encodePrevious(
  previous: Previous,
  { kind, sensitive }: Job,
  view: JobView,
): z.output<typeof previousSchema> {
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
        payload: shownPayload({ kind, kindVersion, payload, sensitive }, view),
        kind_version: kindVersion,
      }),
  }
}
