import { jobFields, scheduleFields } from '@queue/core/internal'
import { z } from 'zod'
import { databaseProblems, defineOperation } from '../../http/operation.ts'
import { viewOf } from '../../kinds/job-view.ts'
import { nextCursor, pageQuery } from '../../wire/list-query.ts'
import { encodeSchedule, scheduleExample, scheduleSchema } from './schedule.ts'

const scheduleListSchema = z
  .object({
    data: z.array(scheduleSchema).meta({ description: 'The schedules, sorted by name.' }),
    next_cursor: nextCursor,
  })
  .meta({ id: 'ScheduleList', description: 'A page of schedules.' })

export const listSchedules = defineOperation({
  operationId: 'listSchedules',
  method: 'get',
  path: '/schedules',
  tag: 'Schedules',
  permission: 'schedules:read',
  summary: 'List schedules',
  description: 'Returns the schedules that match the filters, sorted by name.',
  query: z.strictObject({
    source: scheduleFields.source.optional().meta({ description: 'Schedules of this source.' }),
    kind: jobFields.kind.optional().meta({ description: 'Schedules whose jobs have this kind.' }),
    ...pageQuery,
  }),
  successes: [
    {
      status: 200,
      description: 'A page of schedules.',
      content: {
        mediaType: 'application/json',
        schema: scheduleListSchema,
        example: { data: [scheduleExample], next_cursor: null },
      },
    },
  ],
  problems: ['invalid_cursor', ...databaseProblems],
  async handle({ query, context }, services) {
    const { queue } = services
    const view = await viewOf(context, services)
    const page = await queue.schedules.list(query)
    const data = page.schedules.map((schedule) => encodeSchedule(schedule, view))
    return { status: 200, json: { data, next_cursor: page.nextCursor } }
  },
})
