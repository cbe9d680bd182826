import type { Readiness, ReadinessReport } from '@queue/service'
import { defineOperation } from '../../http/operation.ts'
import { Problem } from '../../http/problem.ts'
import { readinessSchema } from '../../wire/health.ts'

export const readyz = defineOperation({
  operationId: 'readyz',
  method: 'get',
  path: '/readyz',
  tag: 'Monitoring',
  permission: 'none',
  summary: 'Check readiness',
  description:
    'For load balancers. Ready means that the database answers within 2 s, its schema fits this release, and the ' +
    'process is not stopping. A database that refuses writes, such as a standby, still counts as ready; `writes` is ' +
    'then `refused`. Probes that arrive close together share one result.',
  successes: [
    {
      status: 200,
      description: 'The server is ready.',
      content: {
        mediaType: 'application/json',
        schema: readinessSchema,
        example: {
          status: 'ready',
          checks: { process: 'running', database: 'up', schema: 'compatible', writes: 'accepted' },
        },
      },
    },
  ],
  problems: ['not_ready'],
  handle: async (_request, { readiness }) => ({ status: 200, json: await readyOrThrow(readiness) }),
})

/** The report of a ready server. Throws 503 with the failed checks otherwise. */
export async function readyOrThrow(readiness: Readiness): Promise<ReadinessReport> {
  const report = await readiness()
  if (report.status === 'ready') return report
  throw new Problem('not_ready', { members: { checks: report.checks } })
}
