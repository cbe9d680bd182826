import type { Attention } from '@queue/client'
import type { Column } from '@queue/commands'
import { defineCommand } from '../../command.ts'
import { backendCall } from '../../backends/backend.ts'
import { toWire } from '../../backends/wire.ts'
import { toSeconds } from '../reads/jobs.ts'

const readAttention = backendCall<undefined, Promise<Attention[]>>({
  api: (client) => client.attention(),
  database: async (queue) => toWire(await queue.attention()),
})

const columns: readonly Column<Attention>[] = [
  { title: 'severity', of: ({ severity }) => severity },
  { title: 'condition', of: ({ condition }) => condition },
  { title: 'queue or kind', of: ({ queue, kind }) => queue ?? kind, shrinks: true },
  { title: 'count', of: ({ count, count_is_capped: more }) => `${count}${more ? '+' : ''}`, align: 'right' },
  { title: 'since', of: ({ since }) => toSeconds(since) },
  { title: 'fix', of: ({ ends }) => ends, shrinks: true },
]

export const showAttention = defineCommand({
  name: 'attention',
  summary: 'list the active alert conditions, most severe first',
  description:
    'An empty list means that nothing was found. Each condition belongs to an alert and has a page in docs/runbooks.',
  arguments: [],
  options: {},
  examples: [{ line: 'queue attention', description: 'What is wrong, since when, and how to fix it' }],
  async run({ connect, print }) {
    const data = await readAttention(await connect(), undefined)
    await (print.isJson ? print.json({ data }) : print.table(data, columns))
  },
})
