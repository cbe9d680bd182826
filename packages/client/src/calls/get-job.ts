import type { Transport } from '../transport.ts'
import type { Job } from '../wire.ts'

export interface GetJobOptions {
  readonly id: string
  readonly signal?: AbortSignal | undefined
  /** How long the API may wait for the end of the job before it answers. */
  readonly waitSeconds?: number | undefined
}

export async function getJob(
  { http, send }: Transport,
  { id, signal, waitSeconds = 0 }: GetJobOptions,
): Promise<Job> {
  const header = waitSeconds > 0 ? { prefer: `wait=${waitSeconds}` } : {}
  const { data } = await send({
    request: `GET /jobs/${id}`,
    repetition: 'freely',
    signal,
    fetch: (attempt) => http.GET('/jobs/{id}', { params: { path: { id }, header }, signal: attempt }),
  })
  return data
}
