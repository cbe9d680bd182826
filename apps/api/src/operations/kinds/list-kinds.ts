import { databaseProblems, defineOperation } from '../../http/operation.ts'
import { encodeKindSummary, kindListSchema } from './kind.ts'

export const listKinds = defineOperation({
  operationId: 'listKinds',
  method: 'get',
  path: '/kinds',
  tag: 'Kinds',
  permission: 'kinds:read',
  summary: 'List job kinds',
  description: 'Returns the built-in and the registered kinds by name, including retired ones.',
  successes: [
    {
      status: 200,
      description: 'The job kinds.',
      content: {
        mediaType: 'application/json',
        schema: kindListSchema,
        example: {
          data: [
            {
              kind: 'send_invoice',
              description: 'Sends an invoice by mail.',
              versions: [2, 1],
              source: 'registered',
              retired_at: null,
            },
          ],
        },
      },
    },
  ],
  problems: databaseProblems,
  async handle(_request, { kinds }) {
    const known = await kinds.list()
    return {
      status: 200,
      json: { data: known.map(({ kind, versions }) => encodeKindSummary(kind, versions)) },
    }
  },
})
