import { actorOf } from '../../http/actor.ts'
import { databaseProblems, defineOperation } from '../../http/operation.ts'
import { scheduleNameParameters } from './schedule.ts'

export const deleteSchedule = defineOperation({
  operationId: 'deleteSchedule',
  method: 'delete',
  path: '/schedules/{name}',
  tag: 'Schedules',
  permission: 'schedules:write',
  act: 'schedule.delete',
  summary: 'Delete a schedule',
  description:
    'Deletes the schedule. After the response, the schedule enqueues nothing. Jobs that it has already enqueued are ' +
    'kept.',
  params: scheduleNameParameters,
  successes: [{ status: 204, description: 'The schedule was deleted.' }],
  problems: ['schedule_not_found', 'refused', ...databaseProblems],
  async handle({ params, context }, { queue }) {
    await queue.actAs(actorOf(context)).schedules.delete(params.name)
    return { status: 204 }
  },
})
