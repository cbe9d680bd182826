import type { Client } from '@queue/client'
import type { Queue } from '@queue/core'

/** Commands can send any kind. The API knows which kinds exist. */
export type AnyClient = Client<Readonly<Record<string, unknown>>>

/** A connection to the queue: over the API, or in the database. */
export type Backend =
  | { readonly type: 'api'; readonly client: AnyClient; close(): Promise<void> }
  | { readonly type: 'database'; readonly queue: Queue; close(): Promise<void> }

/** One call of the queue by either backend, with the same result. */
interface BackendCalls<Input, Result> {
  api(client: AnyClient, input: Input): Result
  database(queue: Queue, input: Input): Result
}

/** Combines both calls into one function, so that commands do not depend on the backend. */
export function backendCall<Input, Result>(
  calls: BackendCalls<Input, Result>,
): (backend: Backend, input: Input) => Result {
  return (backend, input) =>
    backend.type === 'api' ? calls.api(backend.client, input) : calls.database(backend.queue, input)
}
