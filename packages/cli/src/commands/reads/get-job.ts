import type { Execution, Job } from '@queue/client'
import type { Column } from '@queue/commands'
import { defineCommand } from '../../command.ts'
import { backendCall } from '../../backends/backend.ts'
import { toWire } from '../../backends/wire.ts'
import { jobNotFound, printJob, toSeconds } from './jobs.ts'

const readJob = backendCall<string, Promise<Job>>({
  api: (client, id) => client.get(id),
  database: async (queue, id) => {
    const job = await queue.get(id)
    if (job === undefined) throw jobNotFound()
    return toWire(job)
  },
})

const attemptsOf = backendCall<string, Promise<Execution[]>>({
  api: (client, id) => client.executions(id),
  database: async (queue, id) => toWire((await queue.executions(id)) ?? []),
})

export const attemptColumns: readonly Column<Execution>[] = [
  { title: 'attempt', of: ({ attempt }) => attempt, align: 'right' },
  { title: 'outcome', of: ({ outcome }) => outcome },
  { title: 'started', of: ({ started_at: at }) => toSeconds(at) },
  { title: 'finished', of: ({ finished_at: at }) => toSeconds(at) },
  { title: 'worker', of: ({ worker_id: id }) => id, shrinks: true },
  { title: 'error', of: ({ error }) => error, shrinks: true },
]

export const getJob = defineCommand({
  name: 'get',
  summary: 'show a job with its attempts',
  arguments: [{ name: 'ID' }],
  options: {},
  examples: [
    { line: 'queue get ID', description: 'Show a job and its attempts' },
    { line: 'queue get ID --json', description: 'Print the same as JSON' },
  ],
  async run({ args: [id = ''], connect, print }) {
    const backend = await connect()
    const job = await readJob(backend, id)
    const executions = await attemptsOf(backend, id)
    if (print.isJson) return print.json({ ...job, executions })
    await printJob({ print }, job)
    if (executions.length === 0) return
    await print.raw('\n')
    await print.table(executions, attemptColumns)
  },
})
