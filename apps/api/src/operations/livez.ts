import { defineOperation } from '../http/operation.ts'
import { livenessSchema } from '../wire/health.ts'

export const livez = defineOperation({
  operationId: 'livez',
  method: 'get',
  path: '/livez',
  tag: 'Monitoring',
  permission: 'none',
  summary: 'Is the process alive?',
  description: 'Asks nothing of the database: a process that has lost it must not be restarted for that.',
  successes: [
    {
      status: 200,
      description: 'The event loop turns.',
      content: { mediaType: 'application/json', schema: livenessSchema, example: { status: 'alive' } },
    },
  ],
  problems: [],
  handle: () => ({ status: 200, json: { status: 'alive' } }),
})
