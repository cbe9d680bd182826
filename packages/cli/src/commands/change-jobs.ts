import type { Job } from '@queue/client'
import type { Context } from '../command.ts'
import { type Door, eitherWay } from '../doors/door.ts'
import { toFailure } from '../doors/to-failure.ts'
import { toWire } from '../doors/wire.ts'
import type { ExitCode } from '../exit-codes.ts'
import { Failure } from '../failure.ts'
import { jobColumns } from './jobs.ts'

export const cancelJob = eitherWay<string, Promise<Job>>({
  api: (client, id) => client.cancel(id),
  database: async (queue, id) => {
    const { outcome, job } = await queue.cancel(id)
    if (outcome !== 'already_terminal') return toWire(job)
    const detail = `job ${job.id} is ${job.status} and cannot be cancelled`
    throw new Failure({ error: 'invalid_transition', detail })
  },
})

export interface Requeued {
  readonly id: string
  readonly expiry: { readonly expires_at?: string; readonly expires_in_ms?: number }
}

export const requeueJob = eitherWay<Requeued, Promise<Job>>({
  api: (client, { id, expiry }) => client.requeue(id, expiry),
  database: async (queue, { id, expiry: { expires_at: at, expires_in_ms: expiresInMs } }) =>
    toWire(
      await queue.requeue(id, {
        ...(at !== undefined && { expiresAt: new Date(at) }),
        ...(expiresInMs !== undefined && { expiresInMs }),
      }),
    ),
})

/** A change of one job. */
export type ChangeOne = (door: Door, id: string) => Promise<Job>

/** Changes one job after the other. One that is refused does not keep the others from their change. */
export async function changeEach(
  { words, door, print, signal }: Context<unknown>,
  change: ChangeOne,
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
