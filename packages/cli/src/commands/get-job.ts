import type { Execution, Job } from '@queue/client'
import { defineCommand } from '../command.ts'
import { eitherWay } from '../doors/door.ts'
import { toWire } from '../doors/wire.ts'
import type { Column } from '../output/table.ts'
import { jobNotFound, printJob, toSeconds } from './jobs.ts'

const readJob = eitherWay<string, Promise<Job>>({
  api: (client, id) => client.get(id),
  database: async (queue, id) => {
    const job = await queue.get(id)
    if (job === undefined) throw jobNotFound()
    return toWire(job)
  },
})

const attemptsOf = eitherWay<string, Promise<Execution[]>>({
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
  summary: 'show a job and its attempts',
  arguments: [{ name: 'ID' }],
  options: {},
  examples: [
    { line: 'queue get ID', says: 'What a job is, and what became of its attempts' },
    { line: 'queue get ID --json', says: 'The same for a program' },
  ],
  async run({ words: [id = ''], door, print }) {
    const way = await door()
    const job = await readJob(way, id)
    const executions = await attemptsOf(way, id)
    if (print.isJson) return print.json({ ...job, executions })
    await printJob({ print }, job)
    if (executions.length === 0) return
    await print.raw('\n')
    await print.table(executions, attemptColumns)
  },
})
