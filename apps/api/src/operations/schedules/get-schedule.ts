import type { Schedule } from '@queue/core'
import { databaseProblems, defineOperation } from '../../http/operation.ts'
import { Problem } from '../../http/problem.ts'
import { viewOf } from '../../kinds/job-view.ts'
import type { ApiQueue } from '../../services.ts'
import { encodeSchedule, scheduleExample, scheduleNameParameters, scheduleSchema } from './schedule.ts'

export const getSchedule = defineOperation({
  operationId: 'getSchedule',
  method: 'get',
  path: '/schedules/{name}',
  tag: 'Schedules',
  permission: 'schedules:read',
  summary: 'Get a schedule',
  description: 'Returns the schedule with its next and last run and its counters.',
  params: scheduleNameParameters,
  successes: [
    {
      status: 200,
      description: 'The schedule.',
      content: { mediaType: 'application/json', schema: scheduleSchema, example: scheduleExample },
    },
  ],
  problems: ['schedule_not_found', ...databaseProblems],
  async handle({ params, context }, services) {
    const { queue } = services
    const view = await viewOf(context, services)
    return { status: 200, json: encodeSchedule(await scheduleOf(queue, params.name), view) }
  },
})

/** The schedule with this name. Throws 404 if there is none. */
async function scheduleOf(queue: ApiQueue, name: string): Promise<Schedule> {
  const schedule = await queue.schedules.get(name)
  if (schedule !== undefined) return schedule
  throw new Problem('schedule_not_found')
}
