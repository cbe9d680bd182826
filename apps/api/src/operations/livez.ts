import { defineOperation } from '../http/operation.ts'
import { livenessSchema } from '../wire/health.ts'

export const livez = defineOperation({
  operationId: 'livez',
  method: 'get',
  path: '/livez',
  tag: 'Monitoring',
  permission: 'none',
  summary: 'Liveness, for supervisors',
  description: 'Does not ask the database: a restart does not bring a lost database back.',
  successes: [
    {
      status: 200,
      description: 'The process answers.',
      content: { mediaType: 'application/json', schema: livenessSchema, example: { status: 'alive' } },
    },
  ],
  problems: [],
  handle: () => ({ status: 200, json: { status: 'alive' } }),
})
