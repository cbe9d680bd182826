import type { JobStatus } from '@queue/core'

/** The members of a job that the demo uses. */
export interface WireJob {
  readonly id: string
  readonly kind: string
  readonly status: JobStatus
  readonly attempts: number
  readonly max_attempts: number
  readonly cancel_requested: boolean
  readonly created_at: string
  readonly finished_at: string | null
}

export interface ApiResponse {
  readonly status: number
  readonly replayed: boolean
  readonly job: WireJob
}

const requestTimeoutMs = 30_000

export interface ApiRequest {
  readonly url: string
  readonly method: 'GET' | 'POST'
  readonly body?: unknown
  readonly idempotencyKey?: string | undefined
}

/** Sends a request to the API. If the response is a problem document, `job` is that document. */
export async function call({ url, method, body, idempotencyKey }: ApiRequest): Promise<ApiResponse> {
  const response = await fetch(url, {
    method,
    headers: {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(requestTimeoutMs),
  })
  const job = (await response.json()) as WireJob
  return { status: response.status, replayed: response.headers.get('idempotent-replayed') === 'true', job }
}

/** Runs `work` for each item, at most `width` at a time, in order. Rejects with the first error. */
export async function inParallel<Item>(
  items: readonly Item[],
  width: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const queue = items.values()
  const lane = async (): Promise<void> => {
    for (const item of queue) await work(item)
  }
  await Promise.all(Array.from({ length: width }, lane))
}
