import type { Job } from '@queue/client'
import { duration } from '@queue/commands'
import { defineCommand } from '../../command.ts'
import { backendCall } from '../../backends/backend.ts'
import { isQueueError } from '../../backends/to-failure.ts'
import { toWire } from '../../backends/wire.ts'
import { exitCodeOf, jobNotFound, printJob } from './jobs.ts'

interface Waiting {
  readonly id: string
  readonly signal: AbortSignal
  readonly timeoutMs: number
}

export const endOf = backendCall<Waiting, Promise<Job>>({
  api: (client, { id, signal, timeoutMs }) => client.waitFor(id, { signal, timeoutMs }),
  database: async (queue, { id, signal, timeoutMs }) => {
    try {
      return toWire(await queue.waitFor(id, { signal, timeoutMs }))
    } catch (error) {
      throw isQueueError(error) && error.code === 'job_not_found' ? jobNotFound() : error
    }
  },
})

export const waitForJob = defineCommand({
  name: 'wait',
  summary: 'wait until a job has ended, and show it',
  description:
    'The exit code is 0 if the job succeeded, 9 if it failed or was cancelled, and 8 if it did not end in time. The ' +
    'job continues in any case.',
  arguments: [{ name: 'ID' }],
  options: {
    timeout: duration('DURATION', 'maximum wait, such as 90s or 15m; default: no maximum'),
  },
  examples: [
    { line: 'queue wait ID', description: 'Wait until the job has ended' },
    { line: 'queue wait ID --timeout 10m', description: 'Wait for at most ten minutes' },
  ],
  async run({ args: [id = ''], values: { timeout: timeoutMs = Infinity }, connect, print, signal }) {
    const job = await endOf(await connect(), { id, signal, timeoutMs })
    await (print.isJson ? print.json(job) : printJob({ print }, job))
    return exitCodeOf(job)
  },
})
