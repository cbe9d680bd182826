import { actorOf } from '../../http/actor.ts'
import { databaseProblems, defineOperation } from '../../http/operation.ts'
import { viewOf } from '../../kinds/job-view.ts'
import { encodeSchedule, scheduleExample, scheduleNameParameters, scheduleSchema } from './schedule.ts'

export const pauseSchedule = defineOperation({
  operationId: 'pauseSchedule',
  method: 'post',
  path: '/schedules/{name}/pause',
  tag: 'Schedules',
  permission: 'schedules:control',
  act: 'schedule.pause',
  summary: 'Pause a schedule',
  description:
    'After the response, the schedule enqueues nothing until it is resumed. Pausing a paused schedule has no effect.',
  params: scheduleNameParameters,
  successes: [
    {
      status: 200,
      description: 'The schedule is paused.',
      content: {
        mediaType: 'application/json',
        schema: scheduleSchema,
        example: { ...scheduleExample, paused_at: '2026-01-15T09:30:00.000Z' },
      },
    },
  ],
  problems: ['schedule_not_found', 'refused', ...databaseProblems],
  async handle({ params, context }, services) {
    const { queue } = services
    const view = await viewOf(context, services)
    const schedule = await queue.actAs(actorOf(context)).schedules.pause(params.name)
    return { status: 200, json: encodeSchedule(schedule, view) }
  },
})

export const resumeSchedule = defineOperation({
  operationId: 'resumeSchedule',
  method: 'post',
  path: '/schedules/{name}/resume',
  tag: 'Schedules',
  permission: 'schedules:control',
  act: 'schedule.resume',
  summary: 'Resume a schedule',
  description:
    'Resumes a paused schedule from now. Runs that were due during the pause are not made up for. Resuming a ' +
    'schedule that is not paused has no effect.',
  params: scheduleNameParameters,
  successes: [
    {
      status: 200,
      description: 'The schedule is not paused.',
      content: { mediaType: 'application/json', schema: scheduleSchema, example: scheduleExample },
    },
  ],
  problems: ['schedule_not_found', 'refused', ...databaseProblems],
  async handle({ params, context }, services) {
    const { queue } = services
    const view = await viewOf(context, services)
    const schedule = await queue.actAs(actorOf(context)).schedules.resume(params.name)
    return { status: 200, json: encodeSchedule(schedule, view) }
  },
})
