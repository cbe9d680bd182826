import type { Job } from '@queue/core'
import { traceIdOf } from '@queue/core/fields'
import { z } from 'zod'
import { parsePrefer } from '../http/headers.ts'
import { databaseProblems, defineOperation } from '../http/operation.ts'
import {
  acceptedTraceparent,
  createJobExamples,
  createJobSchema,
  decodeJobOptions,
  enqueueHeaders,
  enqueuePreferHeader,
  idempotencyKeyHeader,
} from '../wire/create-job.ts'
import { viewOf } from '../kinds/job-view.ts'
import { encodeJob, jobExample, jobSchema } from '../wire/job.ts'
import { assertSameRequest, conflictHeader, replayHeaders } from './replay.ts'
import { preferenceApplied, reserveWait, waitIfPreferred } from './wait-if-preferred.ts'

export const createJob = defineOperation({
  operationId: 'createJob',
  method: 'post',
  path: '/jobs',
  tag: 'Jobs',
  permission: 'jobs:enqueue',
  summary: 'Enqueue a job',
  description:
    'The answer comes after the job is committed. With an idempotency key the request is safe to repeat: one key makes ' +
    'one job for as long as the job is kept, whatever the body. Repeat it when no answer came (504, a broken ' +
    'connection). Numbers that a double cannot hold exactly, U+0000, lone surrogates and members named `__proto__` are ' +
    'refused. With `Prefer: wait=N` the answer comes when the job has ended, at the latest after N seconds.',
  headers: z.object({
    'idempotency-key': idempotencyKeyHeader,
    ...enqueueHeaders,
    prefer: enqueuePreferHeader,
  }),
  body: { schema: createJobSchema, description: 'The job.', examples: createJobExamples },
  successes: [
    {
      status: 201,
      description: 'The job was enqueued.',
      headers: { Location: 'The path of the job.', 'Preference-Applied': preferenceApplied },
      content: { mediaType: 'application/json', schema: jobSchema, example: jobExample },
    },
    {
      status: 200,
      description:
        'The idempotency key is known: the job that it made, as it is now. Nothing was written. Or the unique key is held: ' +
        'the job that holds it, as on_conflict has left it.',
      headers: {
        'Idempotent-Replayed': 'true when the idempotency key is known.',
        'Preference-Applied': preferenceApplied,
        'Idempotency-Mismatch': 'true when kind, queue or payload are not those of the original request.',
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
    'too_many_waits',
    ...databaseProblems,
  ],
  async handle({ headers, body, context }, services) {
    const { grouped, kinds, idempotencyMismatch } = services
    const view = await viewOf(context, services)
    const options = decodeJobOptions(body, {
      idempotencyKey: headers['idempotency-key'],
      traceContext: acceptedTraceparent(headers.traceparent),
    })
    const preferences = parsePrefer(headers.prefer)
    reserveWait(preferences, { context, services })
    const enqueued = await grouped.enqueue(await kinds.find(body.kind), body.payload, options)
    context.about = aboutJob(enqueued.job)
    if (enqueued.replayed) assertSameRequest(enqueued, { idempotencyMismatch, preferences })
    const { job, applied } = await waitIfPreferred(enqueued.job, { preferences, context, services })
    const isNew = !enqueued.replayed && enqueued.conflict === undefined
    const own = isNew ? { location: `/jobs/${job.id}` } : replayHeaders([enqueued])
    return {
      status: isNew ? 201 : 200,
      headers: { ...own, ...applied },
      json: encodeJob(job, view),
    }
  },
})

/** How lines of the log name a job. */
function aboutJob({ id, kind, traceContext }: Job): Readonly<Record<string, string>> {
  const traceId = traceIdOf(traceContext)
  return { job_id: id, kind, ...(traceId === undefined ? {} : { trace_id: traceId }) }
}
