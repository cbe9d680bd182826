import { defineOperation } from '../../http/operation.ts'
import { livenessSchema } from '../../wire/health.ts'

export const livez = defineOperation({
  operationId: 'livez',
  method: 'get',
  path: '/livez',
  tag: 'Monitoring',
  permission: 'none',
  summary: 'Check liveness',
  description:
    'For process supervisors. Answers without a database query, because a restart does not repair a lost database ' +
    'connection.',
  successes: [
    {
      status: 200,
      description: 'The process is alive.',
      content: { mediaType: 'application/json', schema: livenessSchema, example: { status: 'alive' } },
    },
  ],
  problems: [],
  handle: () => ({ status: 200, json: { status: 'alive' } }),
})
