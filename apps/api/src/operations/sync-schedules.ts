import { actorOf } from '../http/actor.ts'
import { databaseProblems, defineOperation } from '../http/operation.ts'
import { createScheduleExample, syncReportSchema, syncSchedulesSchema } from '../wire/schedule.ts'
import { newSchedules } from './scheduled-work.ts'

export const syncSchedules = defineOperation({
  operationId: 'syncSchedules',
  method: 'post',
  path: '/schedules/sync',
  tag: 'Schedules',
  permission: 'schedules:write',
  act: 'schedule.sync',
  summary: 'Bring the schedules of a source in step, all or none',
  description:
    'Schedules of the list are made or changed; those that are as they should be keep their next instant, and a pause ' +
    'stays. With prune, further schedules of this source are deleted. A revision older than one that was there before ' +
    'changes nothing.',
  body: {
    schema: syncSchedulesSchema,
    refusedAs: 'invalid_schedule',
    description: 'The schedules of the source.',
    examples: {
      release: {
        summary: 'All schedules of a release',
        value: { source: 'billing', revision: 42, prune: true, schedules: [createScheduleExample] },
      },
    },
  },
  successes: [
    {
      status: 200,
      description: 'What was done.',
      content: {
        mediaType: 'application/json',
        schema: syncReportSchema,
        example: {
          outcome: 'synced',
          revision: 42,
          created: ['nightly-report'],
          updated: [],
          unchanged: [],
          deleted: [],
        },
      },
    },
  ],
  problems: ['unknown_kind', 'schedule_exists', 'refused', ...databaseProblems],
  async handle({ body, context, raw }, { queue, kinds }) {
    const { source, revision, prune, schedules } = body
    const options = { source, revision, ...(prune !== undefined && { prune }) }
    const report = await queue
      .actAs(actorOf({ context, raw }))
      .schedules.sync(await newSchedules(schedules, kinds), options)
    return { status: 200, json: report }
  },
})
