import { changedWork, decodeTiming, updateScheduleSchema } from '@queue/core/internal'
import { actorOf } from '../../http/actor.ts'
import { databaseProblems, defineOperation } from '../../http/operation.ts'
import { findBetween } from '../../kinds/find-between.ts'
import { assertMayReuse, viewOf } from '../../kinds/job-view.ts'
import type { FindKind } from '../../kinds/kind-catalogue.ts'
import { encodeSchedule, scheduleExample, scheduleNameParameters, scheduleSchema } from './schedule.ts'

export const updateSchedule = defineOperation({
  operationId: 'updateSchedule',
  method: 'patch',
  path: '/schedules/{name}',
  tag: 'Schedules',
  permission: 'schedules:write',
  act: 'schedule.update',
  summary: 'Update a schedule',
  description:
    'Changes the members that are sent. Absent members stay; null removes a value. A cron expression replaces an ' +
    'interval; an interval replaces an expression and its time zone. A new kind or payload sets version and key as in ' +
    'a new schedule, unless they are sent. If the change moves the run times, the schedule starts again from now. ' +
    'Otherwise, a run that is already due uses the new values.',
  params: scheduleNameParameters,
  body: {
    schema: updateScheduleSchema,
    refusedAs: 'invalid_schedule',
    description: 'The changes.',
    examples: { later: { summary: 'Run an hour later', value: { cron: '0 3 * * 1-5' } } },
  },
  successes: [
    {
      status: 200,
      description: 'The updated schedule.',
      content: { mediaType: 'application/json', schema: scheduleSchema, example: scheduleExample },
    },
  ],
  problems: ['unknown_kind', 'schedule_not_found', 'refused', ...databaseProblems],
  async handle({ params, body, context }, services) {
    const { queue, kinds } = services
    const view = await viewOf(context, services)
    const { schedules } = queue.actAs(actorOf(context))
    const update = (find: FindKind) =>
      schedules.update(params.name, async (current) => {
        const work = await changedWork(body, current, find)
        if (work.payload === current.payload) assertMayReuse(current, view, context)
        return { ...work, ...decodeTiming(body) }
      })
    const schedule = await kinds.using((find) => findBetween(find, update))
    return { status: 200, json: encodeSchedule(schedule, view) }
  },
})
