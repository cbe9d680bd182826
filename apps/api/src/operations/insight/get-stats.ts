import { z } from 'zod'
import { databaseProblems, defineOperation } from '../../http/operation.ts'
import { encodeStats, statsExample, statsQuery, statsSchema } from './stats.ts'

export const getStats = defineOperation({
  operationId: 'getStats',
  method: 'get',
  path: '/stats',
  tag: 'Queues',
  permission: 'jobs:read',
  load: 'heavy',
  summary: 'Get job statistics over time',
  description:
    'Returns how many jobs were enqueued, started, ended and retried in each minute, hour or day (UTC), and how long ' +
    'they waited and ran. With `by`, the same numbers are returned for each queue, or for each queue and kind, over ' +
    'the whole time range. Minutes are kept for 48 hours, hours for 90 days. Each process adds its counts every 10 ' +
    'seconds, so the last 10 seconds can be missing; a killed process loses its last 10 seconds. No jobs are read.',
  query: z.strictObject(statsQuery),
  successes: [
    {
      status: 200,
      description: 'The statistics.',
      content: { mediaType: 'application/json', schema: statsSchema, example: statsExample },
    },
  ],
  problems: ['out_of_scope', ...databaseProblems],
  async handle({ query: { tenant: tenantId, ...query } }, services) {
    return { status: 200, json: encodeStats(await services.queue.stats({ ...query, tenantId })) }
  },
})
