import { databaseProblems, defineOperation } from '../../http/operation.ts'
import { Problem } from '../../http/problem.ts'
import { encodeKindVersion, kindParameters, kindSchema, registerKindExample } from './kind.ts'

export const getKind = defineOperation({
  operationId: 'getKind',
  method: 'get',
  path: '/kinds/{kind}',
  tag: 'Kinds',
  permission: 'kinds:read',
  summary: 'Get a job kind',
  description:
    'Returns the versions of a kind, each with its schema, its defaults and the number of live workers that run it.',
  params: kindParameters,
  successes: [
    {
      status: 200,
      description: 'The job kind.',
      content: {
        mediaType: 'application/json',
        schema: kindSchema,
        example: {
          kind: registerKindExample.kind,
          versions: [
            {
              version: 1,
              source: 'registered',
              payload_schema: registerKindExample.payload_schema,
              defaults: { queue: 'default', priority: 4, max_attempts: 3 },
              description: registerKindExample.description,
              sensitive: registerKindExample.sensitive,
              live_workers: 2,
              registered_by: 'worker-host',
              registered_at: '2026-01-15T09:00:00.000Z',
              last_seen_at: '2026-01-15T09:00:00.000Z',
              retired_at: null,
            },
          ],
        },
      },
    },
  ],
  problems: ['kind_not_found', ...databaseProblems],
  async handle({ params: { kind } }, { queue, kinds }) {
    const versions = (await kinds.list()).find((entry) => entry.kind === kind)?.versions
    if (versions === undefined) throw new Problem('kind_not_found')
    const workers = await queue.kinds.countWorkers(
      kind,
      versions.map(({ version }) => version),
    )
    const encoded = versions.map((version) => encodeKindVersion(version, workers.get(version.version) ?? 0))
    return { status: 200, json: { kind, versions: encoded } }
  },
})
