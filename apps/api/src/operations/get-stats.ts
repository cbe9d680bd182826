import { z } from 'zod'
import { databaseProblems, defineOperation } from '../http/operation.ts'
import { encodeStats, statsExample, statsQuery, statsSchema } from '../wire/stats.ts'

export const getStats = defineOperation({
  operationId: 'getStats',
  method: 'get',
  path: '/stats',
  tag: 'Queues',
  permission: 'jobs:read',
  summary: 'What has happened to jobs over time',
  description:
    'How many jobs were enqueued, started, ended and retried within each minute, hour or day, and how long they waited and ' +
    'ran; or the same of each queue and kind over the whole time. Minutes are kept for 48 hours, hours for 90 days, in UTC. Each process counts what it does and adds it every 10 ' +
    'seconds, so up to the last 10 seconds are missing still; a process that is killed takes its last 10 seconds along. No job ' +
    'is read.',
  query: z.strictObject(statsQuery),
  successes: [
    {
      status: 200,
      description: 'The numbers.',
      content: { mediaType: 'application/json', schema: statsSchema, example: statsExample },
    },
  ],
  problems: ['out_of_scope', ...databaseProblems],
  async handle({ query: { tenant: tenantId, ...query } }, services) {
    return { status: 200, json: encodeStats(await services.queue.stats({ ...query, tenantId })) }
  },
})
