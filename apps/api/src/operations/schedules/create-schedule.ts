import { type CreateScheduleDocument, createScheduleSchema, decodeNewSchedule } from '@queue/core/internal'
import { actorOf } from '../../http/actor.ts'
import { databaseProblems, defineOperation } from '../../http/operation.ts'
import { viewOf } from '../../kinds/job-view.ts'
import { encodeSchedule, scheduleExample, scheduleSchema } from './schedule.ts'

/** The example of a request. */
export const createScheduleExample: CreateScheduleDocument = {
  name: 'nightly-report',
  kind: 'send_email',
  payload: { to: 'ada@example.com', subject: 'Report', body: 'It is attached.' },
  cron: '0 2 * * 1-5',
  time_zone: 'Europe/Berlin',
  overlap: 'skip',
}

export const createSchedule = defineOperation({
  operationId: 'createSchedule',
  method: 'post',
  path: '/schedules',
  tag: 'Schedules',
  permission: 'schedules:write',
  act: 'schedule.create',
  summary: 'Create a schedule',
  description:
    'Creates a schedule, which enqueues one job at each of its run times, exactly once however many workers run. The ' +
    'defaults of the kind (queue, priority, attempts) are copied into the schedule and do not change with the kind ' +
    'later.',
  body: {
    schema: createScheduleSchema,
    refusedAs: 'invalid_schedule',
    description: 'The schedule to create.',
    examples: { nightly: { summary: 'A report on weekdays, in Berlin time', value: createScheduleExample } },
  },
  successes: [
    {
      status: 201,
      description: 'The schedule was created.',
      headers: { Location: 'Path of the schedule.' },
      content: { mediaType: 'application/json', schema: scheduleSchema, example: scheduleExample },
    },
  ],
  problems: ['unknown_kind', 'schedule_exists', 'refused', ...databaseProblems],
  async handle({ body, context }, services) {
    const { queue, kinds } = services
    const view = await viewOf(context, services)
    const { schedules } = queue.actAs(actorOf(context))
    const schedule = await kinds.using(async (find) => schedules.create(await decodeNewSchedule(body, find)))
    return {
      status: 201,
      headers: { location: `/schedules/${schedule.name}` },
      json: encodeSchedule(schedule, view),
    }
  },
})
