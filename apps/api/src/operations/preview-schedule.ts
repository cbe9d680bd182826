import { databaseProblems, defineOperation } from '../http/operation.ts'
import {
  decodeTiming,
  encodePreview,
  previewExample,
  scheduleNameParameters,
  schedulePreviewSchema,
  scheduleTimingSchema,
} from '../wire/schedule.ts'

const success = {
  status: 200,
  description: 'The next instants, and the timing in words.',
  content: { mediaType: 'application/json', schema: schedulePreviewSchema, example: previewExample },
} as const

export const previewTiming = defineOperation({
  operationId: 'previewTiming',
  method: 'post',
  path: '/schedules/preview',
  tag: 'Schedules',
  permission: 'schedules:read',
  summary: 'When would a schedule fire?',
  description: 'The next instants of a timing, from now on by the clock of the database. Nothing is written.',
  body: {
    schema: scheduleTimingSchema,
    refusedAs: 'invalid_schedule',
    description: 'The timing.',
    examples: {
      weekdays: { summary: 'On weekdays', value: { cron: '0 2 * * 1-5', time_zone: 'Europe/Berlin' } },
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
  summary: 'When does a schedule fire?',
  description: 'Its next instants, paused or not, from now on by the clock of the database.',
  params: scheduleNameParameters,
  successes: [success],
  problems: ['schedule_not_found', ...databaseProblems],
  async handle({ params }, { queue }) {
    return { status: 200, json: encodePreview(await queue.schedules.preview(params.name)) }
  },
})
