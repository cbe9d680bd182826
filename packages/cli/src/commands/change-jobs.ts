import type { Job } from '@queue/client'
import { type Context, defineCommand } from '../command.ts'
import { type Door, eitherWay } from '../doors/door.ts'
import { toFailure } from '../doors/to-failure.ts'
import { toWire } from '../doors/wire.ts'
import type { ExitCode } from '../exit-codes.ts'
import { Failure } from '../failure.ts'
import { duration, instant } from '../options.ts'
import { jobColumns } from './jobs.ts'

const cancelJob = eitherWay<string, Promise<Job>>({
  api: (client, id) => client.cancel(id),
  database: async (queue, id) => {
    const { outcome, job } = await queue.cancel(id)
    if (outcome !== 'already_terminal') return toWire(job)
    const detail = `job ${job.id} is ${job.status} and cannot be cancelled`
    throw new Failure({ error: 'invalid_transition', detail })
  },
})

interface Requeued {
  readonly id: string
  readonly expiry: { readonly expires_at?: string; readonly expires_in_ms?: number }
}

const requeueJob = eitherWay<Requeued, Promise<Job>>({
  api: (client, { id, expiry }) => client.requeue(id, expiry),
  database: async (queue, { id, expiry: { expires_at: at, expires_in_ms: expiresInMs } }) =>
    toWire(
      await queue.requeue(id, {
        ...(at !== undefined && { expiresAt: new Date(at) }),
        ...(expiresInMs !== undefined && { expiresInMs }),
      }),
    ),
})

export const cancelJobs = defineCommand({
  name: 'cancel',
  summary: 'cancel jobs: waiting ones at once, running ones at their next safe point',
  arguments: [{ name: 'ID', count: 'many' }],
  options: {},
  examples: [{ line: 'queue cancel ID', says: 'Cancel one job' }],
  run: (context) => changeEach(context, cancelJob),
})

export const requeueJobs = defineCommand({
  name: 'requeue',
  summary: 'give failed or cancelled jobs a new life',
  arguments: [{ name: 'ID', count: 'many' }],
  options: {
    'expires-at': instant(
      'INSTANT',
      'cancel it if it has not begun by then; needed where its expiry is past',
    ),
    'expires-in': duration('DURATION', 'the same after so long, such as 10m'),
  },
  examples: [{ line: 'queue requeue ID', says: 'Run a job again, its attempts counted anew' }],
  run: (context) => {
    const { 'expires-at': at, 'expires-in': inMs } = context.values
    const expiry = {
      ...(at !== undefined && { expires_at: at }),
      ...(inMs !== undefined && { expires_in_ms: inMs }),
    }
    return changeEach(context, (door, id) => requeueJob(door, { id, expiry }))
  },
})

/** Changes one job after the other. One that is refused does not keep the others from their change. */
export async function changeEach(
  { words, door, print, signal }: Context<unknown>,
  change: (door: Door, id: string) => Promise<Job>,
): Promise<ExitCode | void> {
  const way = await door()
  const changed: Job[] = []
  const failures: Failure[] = []
  for (const id of words) {
    signal.throwIfAborted()
    try {
      changed.push(await change(way, id))
    } catch (error) {
      const failure = toFailure(error)
      // Of one alone, and of what would fail for all, it is the end.
      if (words.length === 1 || failure.exitCode < 4 || failure.exitCode > 5) throw failure
      failures.push(failure)
      print.note(`queue: ${id}: ${failure.message}`)
    }
  }
  await (print.isJson ? print.json({ data: changed }) : print.table(changed, jobColumns))
  return failures[0]?.exitCode
}
