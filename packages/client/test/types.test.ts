import { expect, test } from '@jest/globals'
import { type BuiltInKinds, type Client, createClient, type PayloadOf } from '../src/index.ts'

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

interface Kinds {
  readonly thumbnail: { readonly url: string; readonly width?: number }
  readonly nightly_report: null
}

/** The same, for a client that was told which kinds there are. */
const samplesOfOwn: readonly ((client: Client<Kinds>, both: Client<BuiltInKinds & Kinds>) => unknown)[] = [
  (client) => client.enqueue('thumbnail', { url: 'https://a.example/1.png' }, { priority: 1 }),
  (client) => client.enqueueMany([{ kind: 'nightly_report', payload: null, delay_ms: 1_000 }]),
  (_, both) =>
    both.enqueue('thumbnail', { url: '' }).then(() => both.enqueue('summarize_text', { text: '' })),
  // @ts-expect-error: this is the payload of another kind
  (client) => client.enqueue('thumbnail', null),
  // @ts-expect-error: there is no such kind
  (client) => client.enqueue('send_email', { to: 'a@example.com', subject: '', body: '' }),
  // @ts-expect-error: the API has snake_case
  (client) => client.enqueue('thumbnail', { url: '' }, { maxAttempts: 3 }),
  // @ts-expect-error: kind and payload belong together in a list too
  (client) => client.enqueueMany([{ kind: 'nightly_report', payload: { url: '' } }]),
]

test('kinds of your own compile, and are sent as they come', async () => {
  const sent: unknown[] = []
  const client = createClient<Kinds>({
    baseUrl: 'http://localhost',
    fetch: async (request) => {
      sent.push(await request.json())
      return Response.json({ id: '01890a5d-ac96-774b-bcce-b302099a8057', status: 'queued' }, { status: 201 })
    },
  })
  const options = { idempotency_key: 'a', priority: 1 }
  await client.enqueue('thumbnail', { url: 'https://a.example/1.png', width: 64 }, options)
  expect(samplesOfOwn).toHaveLength(7)
  expect(sent).toEqual([
    { kind: 'thumbnail', payload: { url: 'https://a.example/1.png', width: 64 }, ...options },
  ])
})

test('what the document does not allow does not compile', () => {
  const payload: PayloadOf<'summarize_text'> = { text: 'a', max_sentences: 1 }
  expect(createClient({ baseUrl: 'http://localhost' })).toHaveProperty('enqueue')
  expect([samples.length, payload.text]).toEqual([6, 'a'])
})
