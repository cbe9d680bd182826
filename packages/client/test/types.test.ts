import { expect, test } from '@jest/globals'
import { type Client, createClient, type PayloadOf } from '../src/index.ts'

/** Compiled, and never called. */
const samples: readonly ((client: Client) => unknown)[] = [
  (client) => client.enqueue('summarize_text', { text: 'a' }, { retry_policy: { type: 'exponential' } }),
  // @ts-expect-error: this is the payload of another kind
  (client) => client.enqueue('send_email', { text: 'a' }),
  // @ts-expect-error: there is no such kind
  (client) => client.enqueue('no_such_kind', { text: 'a' }),
  // @ts-expect-error: the API has snake_case
  (client) => client.enqueue('summarize_text', { text: 'a' }, { maxAttempts: 3 }),
  // @ts-expect-error: kind and payload belong together in a list too
  (client) => client.enqueueMany([{ kind: 'send_email', payload: { text: 'a' } }]),
  // @ts-expect-error: there is no such state
  (client) => client.jobs({ status: 'done' }),
]

test('what the document does not allow does not compile', () => {
  const payload: PayloadOf<'summarize_text'> = { text: 'a', max_sentences: 1 }
  expect(createClient({ baseUrl: 'http://localhost' })).toHaveProperty('enqueue')
  expect([samples.length, payload.text]).toEqual([6, 'a'])
})
