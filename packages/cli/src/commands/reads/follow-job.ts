import { setTimeout as sleep } from 'node:timers/promises'
import { isEnded, type JobEvent, type JobState } from '@queue/client'
import { safeText } from '@queue/commands'
import type { Queue } from '@queue/core'
import { defineCommand } from '../../command.ts'
import { backendCall } from '../../backends/backend.ts'
import { toWire } from '../../backends/wire.ts'
import { failureOf } from '../../failure.ts'
import { exitCodeOf, jobNotFound, toSeconds } from './jobs.ts'

interface Followed {
  readonly id: string
  readonly signal: AbortSignal
}

const eventsOf = backendCall<Followed, AsyncIterable<JobEvent>>({
  api: (client, { id, signal }) => client.follow(id, { signal }),
  database: (queue, followed) => eventsInDatabase(queue, followed),
})

/** Interval between two reads of the state of a job. */
const pollMs = 500

async function* eventsInDatabase(queue: Queue, { id, signal }: Followed): AsyncGenerator<JobEvent, void> {
  for (let last: JobState | undefined; ; await sleep(pollMs, undefined, { signal })) {
    const [state] = await queue.states([id])
    if (state === undefined && last === undefined) throw jobNotFound()
    if (state === undefined) return yield { event: 'gone', job: { id } }
    const job = toWire(state)
    const event = last === undefined ? 'state' : changeOf(job, last)
    if (event !== undefined) yield { event, job }
    if (isEnded(job)) return
    last = job
  }
}

function changeOf(job: JobState, last: JobState): 'state' | 'progress' | undefined {
  const isNew = (name: keyof JobState): boolean => job[name] !== last[name]
  if (isNew('status') || isNew('attempts') || isNew('cancel_requested')) return 'state'
  return isNew('progress') || isNew('progress_message') ? 'progress' : undefined
}

export const followJob = defineCommand({
  name: 'follow',
  summary: 'show each change of a job until it ends',
  description:
    'Prints one line for each change of status or progress. The exit code is 9 if the job failed or was cancelled.',
  arguments: [{ name: 'ID' }],
  options: {},
  examples: [
    { line: 'queue follow ID', description: 'Follow a job' },
    { line: 'queue follow ID --json', description: 'Print each event as JSON' },
  ],
  async run({ args: [id = ''], connect, print, signal }) {
    let last: JobEvent | undefined
    for await (const event of eventsOf(await connect(), { id, signal })) {
      last = event
      await (print.isJson
        ? print.json({ event: event.event, ...event.job })
        : print.raw(`${lineOf(event)}\n`))
    }
    if (last === undefined || last.event === 'gone') {
      throw failureOf({ error: 'job_not_found', detail: `job ${id} was deleted` })
    }
    return exitCodeOf(last.job)
  },
})

function lineOf(event: JobEvent): string {
  if (event.event === 'gone') return `${event.job.id} was deleted`
  const {
    status,
    attempts,
    max_attempts: max,
    progress,
    progress_message: message,
    updated_at: at,
  } = event.job
  const parts = [toSeconds(at), status, `attempt ${attempts} of ${max}`]
  if (event.job.cancel_requested && !isEnded(event.job)) parts.push('cancel requested')
  if (progress !== null) parts.push(`${progress} %`)
  if (message !== null) parts.push(safeText(message))
  return parts.join('  ')
}
