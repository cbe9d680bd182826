import type { Transport } from '../../transport.ts'
import type { Job } from '../../wire.ts'

export interface GetJobOptions {
  readonly id: string
  readonly signal?: AbortSignal | undefined
  /** How long the API may hold the request open until the job ends. Default: 0. */
  readonly waitSeconds?: number | undefined
}

export function getJob(
  { http, fetchData }: Transport,
  { id, signal, waitSeconds = 0 }: GetJobOptions,
): Promise<Job> {
  const header = waitSeconds > 0 ? { prefer: `wait=${waitSeconds}` } : {}
  return fetchData({
    request: `GET /jobs/${id}`,
    idempotent: true,
    answer: 'job',
    signal,
    fetch: (attemptSignal) =>
      http.GET('/jobs/{id}', { params: { path: { id }, header }, signal: attemptSignal }),
  })
}
