import { renderMetrics } from '@queue/telemetry'
import { defineOperation } from '../../http/operation.ts'

export const metrics = defineOperation({
  operationId: 'metrics',
  method: 'get',
  path: '/metrics',
  tag: 'Monitoring',
  permission: 'ops:read',
  load: 'none',
  summary: 'Get Prometheus metrics',
  description:
    'Returns the metrics of this process and of the queue in the Prometheus text format, version 0.0.4.',
  successes: [{ status: 200, description: 'The metrics.', content: { mediaType: 'text/plain' } }],
  problems: [],
  // While it waits for the next rendering, it uses no connection, so it takes the place of no request that does.
  handle: ({ context }, { registry, scrapeAdmission }) =>
    scrapeAdmission.run(context, 'heavy', async () => {
      const { contentType, body } = await renderMetrics(registry)
      return { status: 200, contentType, text: body }
    }),
})
