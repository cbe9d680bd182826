import { setTimeout as sleep } from 'node:timers/promises'
import { isEnded, type Job, WaitTimeoutError } from '@queue/client'
import type { Queue } from '@queue/core'
import { defineCommand } from '../command.ts'
import { eitherWay } from '../doors/door.ts'
import { toWire } from '../doors/wire.ts'
import { duration } from '../options.ts'
import { exitCodeOf, jobNotFound, printJob } from './jobs.ts'

interface Waiting {
  readonly id: string
  readonly signal: AbortSignal
  readonly timeoutMs: number
}

export const endOf = eitherWay<Waiting, Promise<Job>>({
  api: (client, { id, signal, timeoutMs }) => client.waitFor(id, { signal, timeoutMs }),
  database: (queue, waiting) => endInDatabase(queue, waiting),
})

/** Between two reads of the state of a job. */
const pollMs = 500

async function endInDatabase(queue: Queue, { id, signal, timeoutMs }: Waiting): Promise<Job> {
  const endsAtMs = performance.now() + timeoutMs
  for (;;) {
    const [state] = await queue.states([id])
    const job = state === undefined || isEnded(state) ? await queue.get(id) : undefined
    if (job !== undefined) return toWire(job)
    if (state === undefined) throw jobNotFound()
    const leftMs = endsAtMs - performance.now()
    if (leftMs <= 0) throw new WaitTimeoutError({ jobId: id, timeoutMs, job: toWire(await queue.get(id)) })
    await sleep(Math.min(pollMs, leftMs), undefined, { signal })
  }
}

export const waitForJob = defineCommand({
  name: 'wait',
  summary: 'wait until a job has ended, and show it',
  description:
    'The exit code is 0 where the job has succeeded, 9 where it has failed or was cancelled, and 8 where it had not ended in time. The job goes on in any case.',
  arguments: [{ name: 'ID' }],
  options: {
    timeout: duration('DURATION', 'how long at most, such as 90s or 15m; default: as long as it takes'),
  },
  examples: [
    { line: 'queue wait ID', says: 'As long as it takes' },
    { line: 'queue wait ID --timeout 10m', says: 'No longer than ten minutes' },
  ],
  async run({ words: [id = ''], values: { timeout: timeoutMs = Infinity }, door, print, signal }) {
    const job = await endOf(await door(), { id, signal, timeoutMs })
    await (print.isJson ? print.json(job) : printJob({ print }, job))
    return exitCodeOf(job)
  },
})
