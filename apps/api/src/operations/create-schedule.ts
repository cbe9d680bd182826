import { actorOf } from '../http/actor.ts'
import { databaseProblems, defineOperation } from '../http/operation.ts'
import { viewOf } from '../kinds/job-view.ts'
import {
  createScheduleExample,
  createScheduleSchema,
  encodeSchedule,
  scheduleExample,
  scheduleSchema,
} from '../wire/schedule.ts'
import { newSchedule } from './scheduled-work.ts'

export const createSchedule = defineOperation({
  operationId: 'createSchedule',
  method: 'post',
  path: '/schedules',
  tag: 'Schedules',
  permission: 'schedules:write',
  act: 'schedule.create',
  summary: 'Create a schedule',
  description:
    'A job of its kind is enqueued at each of its instants, by whichever worker comes first, and once. What its kind ' +
    'decides (queue, priority, attempts) is kept as it is now.',
  body: {
    schema: createScheduleSchema,
    refusedAs: 'invalid_schedule',
    description: 'The schedule.',
    examples: { nightly: { summary: 'A report on weekdays, in Berlin', value: createScheduleExample } },
  },
  successes: [
    {
      status: 201,
      description: 'The schedule was created.',
      headers: { Location: 'The path of the schedule.' },
      content: { mediaType: 'application/json', schema: scheduleSchema, example: scheduleExample },
    },
  ],
  problems: ['unknown_kind', 'schedule_exists', 'refused', ...databaseProblems],
  async handle({ body, context, raw }, services) {
    const { queue, kinds } = services
    const view = await viewOf(context, services)
    const schedule = await queue
      .actAs(actorOf({ context, raw }))
      .schedules.create(await newSchedule(body, kinds))
    return {
      status: 201,
      headers: { location: `/schedules/${schedule.name}` },
      json: encodeSchedule(schedule, view),
    }
  },
})
