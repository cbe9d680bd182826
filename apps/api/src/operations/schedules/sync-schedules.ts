import { syncSchedulesSchema } from '@queue/core/internal'
import { actorOf } from '../../http/actor.ts'
import { databaseProblems, defineOperation } from '../../http/operation.ts'
import { createScheduleExample } from './create-schedule.ts'
import { syncReportSchema } from './schedule.ts'
import { newSchedules } from './scheduled-work.ts'

export const syncSchedules = defineOperation({
  operationId: 'syncSchedules',
  method: 'post',
  path: '/schedules/sync',
  tag: 'Schedules',
  permission: 'schedules:write',
  act: 'schedule.sync',
  summary: 'Sync the schedules of a source',
  description:
    'Creates and updates the schedules of a source to match the list, in one transaction. Unchanged schedules keep ' +
    'their next run time, and paused schedules stay paused. With `prune`, other schedules of the source are deleted. ' +
    'A request whose revision is lower than the current one changes nothing.',
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
      description: 'The outcome of the sync.',
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
  async handle({ body, context }, { queue, kinds }) {
    const { source, revision, prune } = body
    const options = { source, revision, ...(prune !== undefined && { prune }) }
    const { schedules } = queue.actAs(actorOf(context))
    const report = await kinds.using(async (find) =>
      schedules.sync(await newSchedules(body.schedules, find), options),
    )
    return { status: 200, json: report }
  },
})
