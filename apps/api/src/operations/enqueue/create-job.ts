import type { Job } from '@queue/core'
import { createJobSchema, traceIdOf } from '@queue/core/internal'
import { z } from 'zod'
import { parsePrefer } from '../../http/headers.ts'
import { databaseProblems, defineOperation } from '../../http/operation.ts'
import { viewOf } from '../../kinds/job-view.ts'
import { encodeJob, jobExample, jobSchema } from '../reads/job.ts'
import { preferenceApplied, reserveWait, waitIfPreferred } from '../reads/wait-if-preferred.ts'
import {
  acceptedTraceparent,
  createJobExamples,
  decodeJobOptions,
  enqueueHeaders,
  enqueuePreferHeader,
  idempotencyKeyHeader,
} from './create-job-body.ts'
import { assertSameRequest, conflictHeader, replayHeaders, withoutGuesses } from './replay.ts'

export const createJob = defineOperation({
  operationId: 'createJob',
  method: 'post',
  path: '/jobs',
  tag: 'Jobs',
  permission: 'jobs:enqueue',
  load: 'none',
  summary: 'Enqueue a job',
  description:
    'Enqueues one job. The response is sent after the job is committed. With an idempotency key, the request is safe ' +
    'to repeat after a 504 or a broken connection: a key creates one job for as long as that job is kept. Numbers ' +
    'that a double cannot represent exactly, U+0000, lone surrogates and members named `__proto__` are refused. With ' +
    '`Prefer: wait=N`, the response is sent when the job has ended, or after N seconds. If the job is removed ' +
    'or the database becomes unavailable meanwhile, the response shows the job as it was enqueued.',
  headers: z.object({
    'idempotency-key': idempotencyKeyHeader,
    ...enqueueHeaders,
    prefer: enqueuePreferHeader,
  }),
  body: { schema: createJobSchema, description: 'The job to enqueue.', examples: createJobExamples },
  successes: [
    {
      status: 201,
      description: 'The job was enqueued.',
      headers: { Location: 'Path of the job.', 'Preference-Applied': preferenceApplied },
      content: { mediaType: 'application/json', schema: jobSchema, example: jobExample },
    },
    {
      status: 200,
      description:
        'No job was enqueued. If the idempotency key already existed, this is the current state of the job that it ' +
        'created. If another job holds the unique key, this is that job after `on_conflict` was applied.',
      headers: {
        'Idempotent-Replayed': '`true` if the idempotency key already existed.',
        'Preference-Applied': preferenceApplied,
        'Idempotency-Mismatch':
          '`true` if the idempotency key was first used with a different kind, queue or payload.',
        'Unique-Conflict': conflictHeader,
      },
      content: { mediaType: 'application/json', schema: jobSchema, example: jobExample },
    },
  ],
  problems: [
    'unknown_kind',
    'out_of_scope',
    'idempotency_mismatch',
    'idempotency_key_locked',
    'unique_conflict',
    'unique_key_locked',
    'overloaded',
    'queue_full',
    'enqueue_too_old',
    'too_many_waits',
    ...databaseProblems,
  ],
  async handle({ headers, body, context }, services) {
    const { grouped, kinds, idempotencyMismatch, enqueueAdmission } = services
    const view = await viewOf(context, services)
    const options = decodeJobOptions(body, {
      idempotencyKey: headers['idempotency-key'],
      traceContext: acceptedTraceparent(headers.traceparent),
    })
    const preferences = parsePrefer(headers.prefer)
    reserveWait(preferences, { context, services })
    const answered = await enqueueAdmission.run(context, 'light', () =>
      kinds.using(async (find) => grouped.enqueue(await find(body.kind), body.payload, options)),
    )
    const enqueued = withoutGuesses(answered, view)
    context.logFields = logFieldsOf(enqueued.job)
    if (enqueued.replayed) assertSameRequest(enqueued, { idempotencyMismatch, preferences })
    const { latest, applied } = await waitIfPreferred(enqueued.job, { preferences, context, services })
    // A job that was removed or cannot be read any more was nevertheless enqueued by this request.
    const job = (await latest().catch(() => undefined)) ?? enqueued.job
    const isNew = !enqueued.replayed && enqueued.conflict === undefined
    const ownHeaders = isNew ? { location: `/jobs/${job.id}` } : replayHeaders([enqueued])
    return {
      status: isNew ? 201 : 200,
      headers: { ...ownHeaders, ...applied },
      // What is hidden may have grown during the wait.
      json: encodeJob(job, await viewOf(context, services)),
    }
  },
})

/** The log fields that identify a job. */
function logFieldsOf({ id, kind, traceContext }: Job): Readonly<Record<string, string>> {
  const traceId = traceIdOf(traceContext)
  return { job_id: id, kind, ...(traceId === undefined ? {} : { trace_id: traceId }) }
}
