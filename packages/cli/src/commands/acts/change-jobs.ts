import type { Job } from '@queue/client'
import type { ExitCode } from '@queue/commands'
import type { Context } from '../../command.ts'
import { type Backend, backendCall } from '../../backends/backend.ts'
import { toWire } from '../../backends/wire.ts'
import { failureOf } from '../../failure.ts'
import { eachArgument } from '../each-argument.ts'
import { jobColumns } from '../reads/jobs.ts'

export const cancelJob = backendCall<string, Promise<Job>>({
  api: (client, id) => client.cancel(id),
  database: async (queue, id) => {
    const { outcome, job } = await queue.cancel(id)
    if (outcome !== 'already_terminal') return toWire(job)
    const detail = `job ${job.id} is ${job.status} and cannot be cancelled`
    throw failureOf({ error: 'invalid_transition', detail })
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
export async function changeEach(context: Context<unknown>, changeOne: ChangeOne): Promise<ExitCode | void> {
  const { print } = context
  const changed: Job[] = []
  const code = await eachArgument(context, async (backend, id) => {
    changed.push(await changeOne(backend, id))
  })
  await (print.isJson ? print.json({ data: changed }) : print.table(changed, jobColumns))
  return code
}
