import type { Attention } from '@queue/client'
import { defineCommand } from '../command.ts'
import { eitherWay } from '../doors/door.ts'
import { toWire } from '../doors/wire.ts'
import type { Column } from '../output/table.ts'
import { toSeconds } from './jobs.ts'

const readAttention = eitherWay<undefined, Promise<Attention[]>>({
  api: (client) => client.attention(),
  database: async (queue) => toWire(await queue.attention()),
})

const columns: readonly Column<Attention>[] = [
  { title: 'severity', of: ({ severity }) => severity },
  { title: 'condition', of: ({ condition }) => condition },
  { title: 'of', of: ({ queue, kind }) => queue ?? kind, shrinks: true },
  { title: 'count', of: ({ count, count_is_capped: more }) => `${count}${more ? '+' : ''}`, align: 'right' },
  { title: 'since', of: ({ since }) => toSeconds(since) },
  { title: 'ends by', of: ({ ends }) => ends, shrinks: true },
]

export const showAttention = defineCommand({
  name: 'attention',
  summary: 'show what needs somebody now, the worst first',
  description:
    'Nothing is a good sign. Each condition is that of an alert, and has its page in docs/runbooks.',
  arguments: [],
  options: {},
  examples: [{ line: 'queue attention', says: 'What is wrong, since when, and what ends it' }],
  async run({ door, print }) {
    const data = await readAttention(await door(), undefined)
    await (print.isJson ? print.json({ data }) : print.table(data, columns))
  },
})
