import type { JobStatus } from '@queue/core'

/** The members of a job's answer that the demo looks at. */
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

export interface Answer {
  readonly status: number
  readonly replayed: boolean
  readonly job: WireJob
}

const requestTimeoutMs = 30_000

export interface Call {
  readonly url: string
  readonly method: 'GET' | 'POST'
  readonly body?: unknown
  readonly idempotencyKey?: string | undefined
}

/** One request to the API. Where it answers with a problem document, `job` is that document. */
export async function call({ url, method, body, idempotencyKey }: Call): Promise<Answer> {
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

/** Runs `work` over `items`, at most `width` at a time, in order. The first failure ends it. */
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
