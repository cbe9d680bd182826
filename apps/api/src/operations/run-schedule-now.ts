import { actorOf } from '../http/actor.ts'
import { z } from 'zod'
import { databaseProblems, defineOperation } from '../http/operation.ts'
import { viewOf } from '../kinds/job-view.ts'
import { idempotencyKeyHeader } from '../wire/create-job.ts'
import { encodeJob, jobExample, jobSchema } from '../wire/job.ts'
import { scheduleNameParameters } from '../wire/schedule.ts'
import { conflictHeader, replayHeaders } from './replay.ts'

export const runScheduleNow = defineOperation({
  operationId: 'runScheduleNow',
  method: 'post',
  path: '/schedules/{name}/run-now',
  tag: 'Schedules',
  permission: 'schedules:control',
  act: 'schedule.run_now',
  summary: 'Enqueue a job of a schedule now',
  description:
    'Paused or not; its instants stay as they are. With an idempotency key the request may be repeated at will.',
  params: scheduleNameParameters,
  headers: z.object({ 'idempotency-key': idempotencyKeyHeader }),
  successes: [
    {
      status: 201,
      description: 'The job was enqueued.',
      headers: { Location: 'The path of the job.' },
      content: { mediaType: 'application/json', schema: jobSchema, example: jobExample },
    },
    {
      status: 200,
      description:
        'The idempotency key is known: the job that it made. Nothing was written. Or the unique key of its jobs is held: the ' +
        'job that holds it.',
      headers: {
        'Idempotent-Replayed': 'true when the idempotency key is known.',
        'Unique-Conflict': conflictHeader,
        'Idempotency-Mismatch': 'true when kind, queue or payload are not those of the original request.',
      },
      content: { mediaType: 'application/json', schema: jobSchema, example: jobExample },
    },
  ],
  problems: [
    'invalid_schedule',
    'schedule_not_found',
    'schedule_overlaps',
    'idempotency_key_locked',
    'unique_conflict',
    'unique_key_locked',
    'queue_full',
    'refused',
    ...databaseProblems,
  ],
  async handle({ params, headers, context, raw }, services) {
    const { queue } = services
    const view = await viewOf(context, services)
    const enqueued = await queue.actAs(actorOf({ context, raw })).schedules.runNow(params.name, {
      idempotencyKey: headers['idempotency-key'],
    })
    const { job, replayed, conflict } = enqueued
    const isNew = !replayed && conflict === undefined
    return {
      status: isNew ? 201 : 200,
      headers: isNew ? { location: `/jobs/${job.id}` } : replayHeaders([enqueued]),
      json: encodeJob(job, view),
    }
  },
})
