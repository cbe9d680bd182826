import type { Job } from '@queue/client'
import type { Context } from '../command.ts'
import { type Backend, backendCall } from '../backends/backend.ts'
import { toFailure } from '../backends/to-failure.ts'
import { toWire } from '../backends/wire.ts'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import { Failure } from '../failure.ts'
import { jobColumns } from './jobs.ts'

export const cancelJob = backendCall<string, Promise<Job>>({
  api: (client, id) => client.cancel(id),
  database: async (queue, id) => {
    const { outcome, job } = await queue.cancel(id)
    if (outcome !== 'already_terminal') return toWire(job)
    const detail = `job ${job.id} is ${job.status} and cannot be cancelled`
    throw new Failure({ error: 'invalid_transition', detail })
  },
})

export interface RequeueRequest {
  readonly id: string
  readonly expiry: { readonly expires_at?: string; readonly expires_in_ms?: number }
}

export const requeueJob = backendCall<RequeueRequest, Promise<Job>>({
  api: (client, { id, expiry }) => client.requeue(id, expiry),
  database: async (queue, { id, expiry: { expires_at: at, expires_in_ms: expiresInMs } }) =>
    toWire(
      await queue.requeue(id, {
        ...(at !== undefined && { expiresAt: new Date(at) }),
        ...(expiresInMs !== undefined && { expiresInMs }),
      }),
    ),
})

/** Changes one job. */
export type ChangeOne = (backend: Backend, id: string) => Promise<Job>

/** Changes the jobs one by one. A job that cannot be changed does not stop the others. */
export async function changeEach(
  { args, connect, print, signal }: Context<unknown>,
  changeOne: ChangeOne,
): Promise<ExitCode | void> {
  const backend = await connect()
  const changed: Job[] = []
  const failures: Failure[] = []
  for (const id of args) {
    signal.throwIfAborted()
    try {
      changed.push(await changeOne(backend, id))
    } catch (error) {
      const failure = toFailure(error)
      const isAboutThisJob = failure.exitCode === exitCodes.notFound || failure.exitCode === exitCodes.refused
      // Any other failure would also happen to the other jobs.
      if (args.length === 1 || !isAboutThisJob) throw failure
      failures.push(failure)
      print.note(`queue: ${id}: ${failure.message}`)
    }
  }
  await (print.isJson ? print.json({ data: changed }) : print.table(changed, jobColumns))
  return failures[0]?.exitCode
}
