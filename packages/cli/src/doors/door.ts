import type { Client } from '@queue/client'
import type { Queue } from '@queue/core'

/** Commands send any kind: which there are is for the API to say. */
export type AnyClient = Client<Readonly<Record<string, unknown>>>

/** A way to the queue. */
export type Door =
  | { readonly way: 'api'; readonly client: AnyClient; close(): Promise<void> }
  | { readonly way: 'database'; readonly queue: Queue; close(): Promise<void> }

/** One capability of the queue, by either way, with one answer. */
export interface Ways<Input, Answer> {
  api(client: AnyClient, input: Input): Answer
  database(queue: Queue, input: Input): Answer
}

/** The capability as one function, for commands that do not know which way they go. */
export function eitherWay<Input, Answer>(ways: Ways<Input, Answer>): (door: Door, input: Input) => Answer {
  return (door, input) =>
    door.way === 'api' ? ways.api(door.client, input) : ways.database(door.queue, input)
}
