import { actorOf } from '../http/actor.ts'
import { databaseProblems, defineOperation } from '../http/operation.ts'
import { scheduleNameParameters } from '../wire/schedule.ts'

export const deleteSchedule = defineOperation({
  operationId: 'deleteSchedule',
  method: 'delete',
  path: '/schedules/{name}',
  tag: 'Schedules',
  permission: 'schedules:write',
  act: 'schedule.delete',
  summary: 'Delete a schedule',
  description: 'Once this has answered, it enqueues nothing. The jobs that it has enqueued stay.',
  params: scheduleNameParameters,
  successes: [{ status: 204, description: 'The schedule is gone.' }],
  problems: ['schedule_not_found', 'refused', ...databaseProblems],
  async handle({ params, context, raw }, { queue }) {
    await queue.actAs(actorOf({ context, raw })).schedules.delete(params.name)
    return { status: 204 }
  },
})
