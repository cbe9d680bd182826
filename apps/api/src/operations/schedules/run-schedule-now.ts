import { z } from 'zod'
import { actorOf } from '../../http/actor.ts'
import { databaseProblems, defineOperation } from '../../http/operation.ts'
import { viewOf } from '../../kinds/job-view.ts'
import { idempotencyKeyHeader } from '../enqueue/create-job-body.ts'
import { conflictHeader, replayHeaders, withoutGuesses } from '../enqueue/replay.ts'
import { encodeJob, jobExample, jobSchema } from '../reads/job.ts'
import { scheduleNameParameters } from './schedule.ts'

export const runScheduleNow = defineOperation({
  operationId: 'runScheduleNow',
  method: 'post',
  path: '/schedules/{name}/run-now',
  tag: 'Schedules',
  permission: 'schedules:control',
  act: 'schedule.run_now',
  summary: 'Run a schedule now',
  description:
    'Enqueues one job of the schedule immediately, even if the schedule is paused. Its run times do not change. With ' +
    'an idempotency key, the request is safe to repeat.',
  params: scheduleNameParameters,
  headers: z.object({ 'idempotency-key': idempotencyKeyHeader }),
  successes: [
    {
      status: 201,
      description: 'The job was enqueued.',
      headers: { Location: 'Path of the job.' },
      content: { mediaType: 'application/json', schema: jobSchema, example: jobExample },
    },
    {
      status: 200,
      description:
        'No job was enqueued. If the idempotency key already existed, this is the job that it created. If another job ' +
        'holds the unique key, this is that job.',
      headers: {
        'Idempotent-Replayed': '`true` if the idempotency key already existed.',
        'Unique-Conflict': conflictHeader,
        'Idempotency-Mismatch':
          '`true` if the idempotency key was first used with a different kind, queue or payload.',
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
    'enqueue_too_old',
    'refused',
    ...databaseProblems,
  ],
  async handle({ params, headers, context }, services) {
    const { queue } = services
    const view = await viewOf(context, services)
    const answered = await queue.actAs(actorOf(context)).schedules.runNow(params.name, {
      idempotencyKey: headers['idempotency-key'],
    })
    const enqueued = withoutGuesses(answered, view)
    const { job, replayed, conflict } = enqueued
    const isNew = !replayed && conflict === undefined
    return {
      status: isNew ? 201 : 200,
      headers: isNew ? { location: `/jobs/${job.id}` } : replayHeaders([enqueued]),
      json: encodeJob(job, view),
    }
  },
})
