import { defineOperation } from '../../http/operation.ts'
import { healthSchema } from '../../wire/health.ts'
import { readyOrThrow } from './readyz.ts'

export const health = defineOperation({
  operationId: 'health',
  method: 'get',
  path: '/health',
  tag: 'Monitoring',
  permission: 'none',
  summary: 'Check health',
  description: 'Returns the checks of /readyz and the uptime of the process, for people.',
  successes: [
    {
      status: 200,
      description: 'The server is ready.',
      content: {
        mediaType: 'application/json',
        schema: healthSchema,
        example: {
          status: 'ready',
          checks: { process: 'running', database: 'up', schema: 'compatible', writes: 'accepted' },
          uptime_seconds: 86_400,
        },
      },
    },
  ],
  problems: ['not_ready'],
  async handle(_request, { readiness }) {
    const report = await readyOrThrow(readiness)
    return { status: 200, json: { ...report, uptime_seconds: Math.round(process.uptime()) } }
  },
})
