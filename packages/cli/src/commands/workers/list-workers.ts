import type { Worker } from '@queue/client'
import type { Column } from '@queue/commands'
import { defineCommand } from '../../command.ts'
import { backendCall } from '../../backends/backend.ts'
import { toWire } from '../../backends/wire.ts'
import { toSeconds } from '../reads/jobs.ts'

const workersOf = backendCall<undefined, Promise<Worker[]>>({
  api: (client) => client.workers(),
  database: async (queue) => toWire(await queue.workers()),
})

const columns: readonly Column<Worker>[] = [
  { title: 'id', of: ({ id }) => id, shrinks: true },
  { title: 'state', of: ({ state }) => state },
  { title: 'running', of: ({ running, concurrency }) => `${running}/${concurrency}`, align: 'right' },
  { title: 'version', of: ({ version }) => version },
  { title: 'heartbeat', of: ({ heartbeat_at: at }) => toSeconds(at) },
  { title: 'queues', of: ({ queues }) => queues.join(','), shrinks: true },
  { title: 'kinds', of: ({ kinds }) => kinds.join(','), shrinks: true },
]

export const listWorkers = defineCommand({
  name: 'workers',
  summary: 'list the workers of the last hour, active ones first',
  arguments: [],
  options: {},
  examples: [{ line: 'queue workers', description: 'The workers, their running jobs, queues and kinds' }],
  async run({ connect, print }) {
    const data = await workersOf(await connect(), undefined)
    await (print.isJson ? print.json({ data }) : print.table(data, columns))
  },
})
