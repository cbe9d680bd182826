import { actorOf } from '../http/actor.ts'
import { databaseProblems, defineOperation } from '../http/operation.ts'
import { viewOf } from '../kinds/job-view.ts'
import {
  decodeTiming,
  encodeSchedule,
  scheduleExample,
  scheduleNameParameters,
  scheduleSchema,
  updateScheduleSchema,
} from '../wire/schedule.ts'
import { scheduleOf } from './get-schedule.ts'
import { changedWork } from './scheduled-work.ts'

export const updateSchedule = defineOperation({
  operationId: 'updateSchedule',
  method: 'patch',
  path: '/schedules/{name}',
  tag: 'Schedules',
  permission: 'schedules:write',
  act: 'schedule.update',
  summary: 'Change a schedule',
  description:
    'Absent members stay, and null takes away. An expression takes the place of an interval, and the other way round. ' +
    'Where the change moves its instants, the schedule starts anew from now; otherwise a run that is due comes as changed.',
  params: scheduleNameParameters,
  body: {
    schema: updateScheduleSchema,
    refusedAs: 'invalid_schedule',
    description: 'What changes.',
    examples: { later: { summary: 'An hour later', value: { cron: '0 3 * * 1-5' } } },
  },
  successes: [
    {
      status: 200,
      description: 'The schedule as it is now.',
      content: { mediaType: 'application/json', schema: scheduleSchema, example: scheduleExample },
    },
  ],
  problems: ['unknown_kind', 'schedule_not_found', 'refused', ...databaseProblems],
  async handle({ params, body, context, raw }, services) {
    const { queue, kinds } = services
    const view = await viewOf(context, services)
    const current = await scheduleOf(queue, params.name)
    const changes = { ...(await changedWork(body, current, kinds)), ...decodeTiming(body) }
    const schedule = await queue.actAs(actorOf({ context, raw })).schedules.update(params.name, changes)
    return { status: 200, json: encodeSchedule(schedule, view) }
  },
})
