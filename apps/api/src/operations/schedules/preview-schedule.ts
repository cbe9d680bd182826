import { decodeTiming, scheduleTimingSchema } from '@queue/core/internal'
import { databaseProblems, defineOperation } from '../../http/operation.ts'
import { encodePreview, previewExample, scheduleNameParameters, schedulePreviewSchema } from './schedule.ts'

const success = {
  status: 200,
  description: 'The next run times, and the timing in words.',
  content: { mediaType: 'application/json', schema: schedulePreviewSchema, example: previewExample },
} as const

export const previewTiming = defineOperation({
  operationId: 'previewTiming',
  method: 'post',
  path: '/schedules/preview',
  tag: 'Schedules',
  permission: 'schedules:read',
  summary: 'Preview a timing',
  description:
    'Returns the next run times of a timing, from now by the clock of the database. Nothing is written.',
  body: {
    schema: scheduleTimingSchema,
    refusedAs: 'invalid_schedule',
    description: 'The timing to preview.',
    examples: {
      weekdays: { summary: 'Weekdays at 02:00', value: { cron: '0 2 * * 1-5', time_zone: 'Europe/Berlin' } },
    },
  },
  successes: [success],
  problems: [...databaseProblems],
  async handle({ body }, { queue }) {
    return { status: 200, json: encodePreview(await queue.schedules.preview(decodeTiming(body))) }
  },
})

export const previewSchedule = defineOperation({
  operationId: 'previewSchedule',
  method: 'get',
  path: '/schedules/{name}/preview',
  tag: 'Schedules',
  permission: 'schedules:read',
  summary: 'Preview a schedule',
  description:
    'Returns the next run times of a schedule, from now by the clock of the database, as if it were not paused.',
  params: scheduleNameParameters,
  successes: [success],
  problems: ['schedule_not_found', ...databaseProblems],
  async handle({ params }, { queue }) {
    return { status: 200, json: encodePreview(await queue.schedules.preview(params.name)) }
  },
})
