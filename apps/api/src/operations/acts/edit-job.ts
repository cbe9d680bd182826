import { type EditedJob, type Job, type JobEdit, QueueError } from '@queue/core'
import { anyJson, decodeMembers, jobFields, optionMembers } from '@queue/core/internal'
import { z } from 'zod'
import { actorOf } from '../../http/actor.ts'
import { entityTagOf, matchesEntityTag } from '../../http/headers.ts'
import { databaseProblems, defineOperation } from '../../http/operation.ts'
import { Problem } from '../../http/problem.ts'
import { type JobView, assertMayReuse, shownPayload, viewOf } from '../../kinds/job-view.ts'
import type { FindKind } from '../../kinds/kind-catalogue.ts'
import type { Services } from '../../services.ts'
import { encoderOf } from '../../wire/encode-members.ts'
import { jobNotFound } from '../reads/get-job.ts'
import { encodeJob, jobExample, jobIdParameters, jobSchema } from '../reads/job.ts'

const changes = {
  ...optionMembers('edit'),
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
    ...optionMembers('previous'),
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
  { payload, version, ...options }: z.output<typeof editSchema>,
  { kind, payload: currentPayload }: Job,
  find: FindKind,
): Promise<JobEdit> {
  const changesWork = payload !== undefined || version !== undefined
  return {
    ...decodeMembers<'edit'>(options),
    ...(changesWork && {
      work: {
        definition: await find(kind),
        payload: payload === undefined ? currentPayload : payload,
        version,
      },
    }),
  }
}

const encodeOptions = encoderOf(optionMembers('previous'))

type Previous = Awaited<ReturnType<ReturnType<Services['queue']['actAs']>['edit']>>['previous']

/** The previous payload is hidden as the new one is, which hides at least as much. */
function encodePrevious(
  previous: Previous,
  { kind, sensitive }: Job,
  view: JobView,
): z.output<typeof previousSchema> {
  const { payload, kindVersion, ...options } = previous
  return {
    ...encodeOptions(options),
    ...(payload !== undefined &&
      kindVersion !== undefined && {
        payload: shownPayload({ kind, kindVersion, payload, sensitive }, view),
        kind_version: kindVersion,
      }),
  }
}
