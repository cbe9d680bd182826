import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { createClient } from '@queue/client'
import {
  asApiJob,
  createOutbox,
  createOutboxWorker,
  migrateOutbox,
  type OutboxWorker,
  toHttp,
} from '@queue/outbox'
import { createTestDatabase, eventually, type TestDatabase } from '@queue/testing'
import { orderPlaced } from '../src/messages.ts'

interface Answer {
  readonly status: number
  readonly type: string
  readonly body: string
  /** Where the connection ends: before the answer, or in the middle of it. `never`: it stays open without an answer. */
  readonly cut?: 'before' | 'within' | 'never'
}

interface Example {
  readonly value: { readonly status: number; readonly error: string }
}

/** What the tests read of the API's document. */
interface ApiDocument {
  readonly paths: Readonly<
    Record<
      string,
      { readonly post: { readonly responses: Readonly<Record<string, { readonly content?: unknown }>> } }
    >
  >
  readonly components: { readonly examples: Readonly<Record<string, Example>> }
}

const document = JSON.parse(
  readFileSync(new URL('../../../apps/api/openapi.json', import.meta.url), 'utf8'),
) as ApiDocument

const responses = JSON.stringify(document.paths['/jobs']?.post.responses)
// The key of an error response is the errors that it is for.
const names = [...responses.matchAll(/#\/components\/responses\/([\w.]+)/g)].flatMap(([, key = '']) =>
  key.split('.'),
)
const errors = Object.entries(document.components.examples).filter(([name]) => names.includes(name))

/** The errors that only another job would not get. */
const refusals = ['unparsable_body', 'body_too_large', 'invalid_job', 'unique_conflict']

/** The API says so of a message that it has a job of already. */
const repetition = 'idempotency_mismatch'

const problem = ({ value }: Example): Answer => ({
  status: value.status,
  type: 'application/problem+json',
  body: JSON.stringify(value),
})
const job: Answer = {
  status: 201,
  type: 'application/json',
  body: JSON.stringify({ id: '01890a5d-ac96-774b-bcce-b302099a8057', status: 'queued' }),
}

/** Answers of proxies and other servers. */
const foreign: Readonly<Record<string, Answer>> = {
  'an empty 204': { status: 204, type: 'text/plain', body: '' },
  'an empty 200': { status: 200, type: 'application/json', body: '' },
  'a document that is no job': { status: 200, type: 'application/json', body: '{"status":"maintenance"}' },
  'a document with an id and a status': {
    status: 202,
    type: 'application/json',
    body: '{"id":"hello","status":"maintenance"}',
  },
  'a page to sign in': { status: 200, type: 'text/html', body: '<h1>Sign in</h1>' },
  'a redirect': { status: 302, type: 'text/plain', body: '' },
  'a page with 400': { status: 400, type: 'text/html', body: '<h1>Bad request</h1>' },
  'a page with 403': { status: 403, type: 'text/html', body: '<h1>Forbidden</h1>' },
  'a page with 404': { status: 404, type: 'text/html', body: '<h1>Not found</h1>' },
  'a page with 502': { status: 502, type: 'text/html', body: '<h1>Bad gateway</h1>' },
  'a connection that is reset': { ...job, cut: 'before' },
  'an answer that is cut off': { ...job, cut: 'within' },
  'no answer': { ...job, cut: 'never' },
}

let answer = job
let answered = 0
let orders: TestDatabase
let relay: OutboxWorker
let server: ReturnType<typeof createServer>

beforeAll(async () => {
  server = createServer((request, response) => {
    request.resume().on('end', () => {
      answered += 1
      const { status, type, body, cut } = answer
      if (cut === 'before') request.socket.resetAndDestroy()
      if (cut === 'before' || cut === 'never') return
      response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(body) })
      if (cut === undefined) response.end(body)
      else response.write(body.slice(0, 10), () => request.socket.resetAndDestroy())
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  orders = await createTestDatabase()
  await migrateOutbox({ connectionString: orders.url })
  const { port } = server.address() as AddressInfo
  const client = createClient({ baseUrl: `http://127.0.0.1:${port}`, retries: 0 })
  relay = createOutboxWorker({
    connectionString: orders.url,
    target: toHttp(client, [asApiJob(orderPlaced, ({ payload }) => ({ kind: 'send_email', payload }))]),
    logger: { debug: ignore, info: ignore, warn: ignore, error: ignore },
    // A second charged attempt would make a dead letter.
    config: {
      pollInterval: 5,
      maxAttempts: 1,
      retryBaseDelay: 1,
      retryMaxDelay: 1,
      concurrency: 4,
      dispatchTimeout: 1_000,
    },
  })
  await relay.start()
})

afterAll(async () => {
  await relay.stop()
  await orders.close()
  server.close()
  server.closeAllConnections()
})

function ignore(): void {}

async function publish(): Promise<string> {
  const outbox = createOutbox({ pool: orders.pool })
  const client = await orders.pool.connect()
  try {
    await client.query('BEGIN')
    const payload = { order_id: 'a', customer: 'ada', number: 1, total_cents: 100 }
    const id = await outbox.publish(orderPlaced.create(payload), { transaction: client })
    await client.query('COMMIT')
    return id
  } finally {
    client.release()
  }
}

async function expectUncharged(given: Answer): Promise<void> {
  answer = given
  answered = 0
  const id = await publish()
  const outbox = createOutbox({ pool: orders.pool })
  await eventually(() => answered >= 2, { what: 'a second request' })
  answer = job
  const delivered = await eventually(
    async () => {
      const dead = await outbox.deadLetters.get(id)
      if (dead !== undefined) return dead
      const message = await outbox.get(id)
      return message?.deliveredAt instanceof Date ? message : undefined
    },
    { what: 'the delivery' },
  )
  expect(delivered).toMatchObject({ attempts: 1, history: [], deliveredAt: expect.any(Date) })
}

describe('no message is charged while the API answers with', () => {
  test.each(errors.filter(([name]) => name !== repetition && !refusals.includes(name)))(
    '%s',
    async (_, example) => {
      await expectUncharged(problem(example))
    },
  )

  test.each(Object.entries(foreign))('%s', async (_, given) => {
    await expectUncharged(given)
  })
})

test.each(errors.filter(([name]) => refusals.includes(name)))(
  'a message whose job the API refuses with %s becomes a dead letter at once',
  async (_, example) => {
    answer = problem(example)
    const id = await publish()
    const outbox = createOutbox({ pool: orders.pool })
    expect(await eventually(() => outbox.deadLetters.get(id))).toMatchObject({ reason: 'undeliverable' })
  },
)

test('a message that the API has a job of already counts as delivered', async () => {
  const example = errors.find(([name]) => name === repetition)?.[1]
  if (example === undefined) throw new Error(`the document has no example of ${repetition}`)
  answer = problem(example)
  const id = await publish()
  const outbox = createOutbox({ pool: orders.pool })
  await eventually(async () => (await outbox.get(id))?.deliveredAt)
})
