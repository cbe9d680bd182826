import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { eventually, insertJob } from '@queue/testing'
import { createWorker, handle, PermanentFailure, type Worker } from '@queue/worker'
import { sendEmail, summarizeText } from '@queue/core'
import { digestSecret, formatApiKey } from '@queue/core/internal'
import {
  ApiError,
  type Client,
  createClient,
  ForbiddenError,
  type Job,
  UnauthorizedError,
  WaitTimeoutError,
} from '../src/index.ts'
import { type Api, startApi } from './support/start-api.ts'
import { type Proxy, startProxy } from './support/start-proxy.ts'

const email = { to: 'ada@example.com', subject: 'Welcome', body: 'Good to have you here.' }
const token = 'a-token-of-these-tests'
const silentLogger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }

let api: Api
let proxy: Proxy
let client: Client

beforeAll(async () => {
  api = await startApi({ API_TOKEN: token, API_LINK_SECRET: 'a-secret-of-these-tests' })
  proxy = await startProxy(api.url)
  client = createClient({ baseUrl: api.url, token })
})

afterAll(async () => {
  await proxy.close()
  await api.close()
})

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const collected: Item[] = []
  for await (const item of items) collected.push(item)
  return collected
}

const idsOf = (jobs: readonly { readonly id: string }[]): string[] => jobs.map(({ id }) => id)

describe('an id that would lead to another path', () => {
  const calls: Readonly<Record<string, (id: string) => Promise<unknown>>> = {
    get: (id) => client.get(id),
    waitFor: (id) => client.waitFor(id),
    executions: (id) => client.executions(id),
    cancel: (id) => client.cancel(id),
    requeue: (id) => client.requeue(id),
    deadLetter: (id) => client.deadLetter(id),
    requeueDeadLetter: (id) => client.requeueDeadLetter(id),
    deleteDeadLetter: (id) => client.deleteDeadLetter(id),
    pause: (id) => client.pause(id),
    resume: (id) => client.resume(id),
    revokeKey: (id) => client.revokeKey(id),
    linkTo: (id) => client.linkTo(id),
  }

  test.each(Object.entries(calls))('is refused by %s', async (_name, call) => {
    for (const id of ['', '.', '..']) await expect(call(id)).rejects.toThrow(TypeError)
  })

  test('is any that is no text', async () => {
    await expect(client.get(undefined as unknown as string)).rejects.toThrow(TypeError)
  })
})

describe('enqueue', () => {
  test('makes the job that it was told to make', async () => {
    const { job, replayed } = await client.enqueue('send_email', email, { queue: 'told', priority: 2 })
    expect(replayed).toBe(false)
    expect(job).toMatchObject({
      kind: 'send_email',
      payload: email,
      queue: 'told',
      priority: 2,
      status: 'queued',
    })
    expect(await client.get(job.id)).toEqual(job)
  })

  test('says what a known key gives, and whether it was made by something else', async () => {
    const options = { idempotency_key: 'Ada, ünïcode' }
    const { job } = await client.enqueue('send_email', email, options)
    expect(await client.enqueue('send_email', email, options)).toEqual({
      job,
      replayed: true,
      mismatch: false,
    })
    const other = { ...email, subject: 'Goodbye' }
    expect(await client.enqueue('send_email', other, options)).toEqual({
      job,
      replayed: true,
      mismatch: true,
    })
    const strict = client.enqueue('send_email', other, { ...options, onMismatch: 'reject' })
    await expect(strict).rejects.toMatchObject({ status: 422, error: 'idempotency_mismatch' })
  })

  test('of many makes all of them, and says which were known', async () => {
    const known = { kind: 'send_email', payload: email, idempotency_key: 'many' } as const
    const fresh = { kind: 'summarize_text', payload: { text: 'a' } } as const
    const { job } = await client.enqueue('send_email', email, { idempotency_key: 'many' })
    const { jobs, replayed } = await client.enqueueMany([fresh, known, fresh])
    expect(idsOf(jobs)).toEqual([expect.any(String), job.id, expect.any(String)])
    expect(new Set(idsOf(jobs)).size).toBe(3)
    expect(replayed).toEqual([1])
  })

  test('says what became of a job that holds a unique key, or is refused by its id', async () => {
    const unique = { key: 'u', scope: 'waiting' } as const
    const queueOptions = { queue: 'unique', delay_ms: 600_000 }
    const { job, ...rest } = await client.enqueue('send_email', email, { ...queueOptions, unique })
    expect(rest).toEqual({ replayed: false, mismatch: false })
    expect(job).toMatchObject({ unique_key: 'u', unique_scope: 'waiting' })
    expect(await client.enqueue('send_email', email, { unique })).toEqual({
      job,
      replayed: false,
      mismatch: false,
      conflict: 'returned',
    })
    const other = { ...email, subject: 'Goodbye' }
    const replacing = { kind: 'send_email', payload: other, ...queueOptions } as const
    const { jobs, conflicts } = await client.enqueueMany([
      { kind: 'send_email', payload: email },
      { ...replacing, unique: { ...unique, on_conflict: 'replace' } },
    ])
    expect(conflicts).toEqual([{ index: 1, outcome: 'replaced' }])
    expect(jobs[1]).toMatchObject({ id: job.id, payload: other })
    const refused: unknown = await client
      .enqueue('send_email', email, { unique: { ...unique, on_conflict: 'refuse' } })
      .catch((thrown: unknown) => thrown)
    expect(refused).toBeInstanceOf(ApiError)
    expect(refused).toMatchObject({
      status: 409,
      error: 'unique_conflict',
      detail: expect.stringContaining(job.id),
    })
    await client.cancel(job.id)
    expect(await client.enqueue('send_email', email, { ...queueOptions, unique })).not.toHaveProperty(
      'conflict',
    )
  })

  test('of an invalid payload rejects with the issues and the id of the request', async () => {
    const error: unknown = await client
      .enqueue('send_email', { ...email, to: 'nobody' })
      .catch((e: unknown) => e)
    expect(error).toBeInstanceOf(ApiError)
    expect(error).toMatchObject({
      status: 422,
      error: 'invalid_job',
      issues: [{ path: '/payload/to', message: expect.any(String) }],
      detail: expect.any(String),
      requestId: expect.any(String),
      message: expect.stringContaining('/payload/to'),
    })
  })
})

describe('the token', () => {
  test('is needed, and its absence is an error of the API', async () => {
    const stranger = createClient({ baseUrl: api.url })
    await expect(stranger.queuesPage()).rejects.toMatchObject({ status: 401, error: 'unauthorized' })
  })

  test('may come from a function, which is asked anew for each call', async () => {
    const tokens = ['another-token-of-these', token]
    const rotating = createClient({ baseUrl: api.url, token: async () => tokens.shift() ?? '' })
    await expect(rotating.queuesPage()).rejects.toMatchObject({ status: 401 })
    await expect(rotating.queuesPage()).resolves.toBeDefined()
  })

  test('whose function fails or says nothing leaves the call with that', async () => {
    const failure = new Error('the vault is sealed')
    const failing = createClient({ baseUrl: api.url, token: () => Promise.reject(failure) })
    await expect(failing.queuesPage()).rejects.toBe(failure)
    const silent = createClient({
      baseUrl: api.url,
      token: () => new Promise(() => {}),
      timeoutMs: 50,
      retries: 0,
    })
    await expect(silent.queuesPage()).rejects.toMatchObject({ reason: 'timeout' })
  })
})

describe('lists', () => {
  test('give every job once over three pages while others are enqueued', async () => {
    const payload = { text: 'a' }
    const filter = { queue: 'pages', status: 'queued', limit: 3 } as const
    const make = () => client.enqueue('summarize_text', payload, { queue: filter.queue })
    const before: string[] = []
    for (let count = 0; count < 8; count += 1) before.unshift((await make()).job.id)
    const seen: string[] = []
    for await (const job of client.jobs(filter)) {
      seen.push(job.id)
      await make()
    }
    expect(seen).toEqual(before)
    expect(await collect(client.jobs(filter))).toHaveLength(16)
  })

  test('come by the page too', async () => {
    const first = await client.jobsPage({ queue: 'pages', limit: 5 })
    expect(first.data).toHaveLength(5)
    const second = await client.jobsPage({ queue: 'pages', limit: 5, cursor: first.next_cursor ?? '' })
    expect(idsOf(first.data)).not.toContain(second.data[0]?.id)
  })

  test('are searched by metadata', async () => {
    const members = { metadata: { order_id: 4711, 'a.b': 'c d' }, expires_in_ms: 600_000, weight: 2 }
    const { job } = await client.enqueue('summarize_text', { text: 'a' }, members)
    expect(job).toMatchObject({ metadata: members.metadata, weight: 2, expires_at: expect.any(String) })
    const found = await collect(client.jobs({ metadata: { order_id: '4711', 'a.b': 'c d' } }))
    expect(idsOf(found)).toEqual([job.id])
    await client.cancel(job.id)
    expect(await client.requeue(job.id, { expires_in_ms: 1_200_000 })).toMatchObject({ status: 'queued' })
  })

  test('of a filter that is refused reject', async () => {
    const listing = collect(client.jobs({ queue: 'NOT A QUEUE' }))
    await expect(listing).rejects.toMatchObject({ status: 400, error: 'invalid_query' })
  })
})

describe('a job', () => {
  test('that waits is cancelled, and requeued', async () => {
    const { job } = await client.enqueue('send_email', email, { queue: 'idle' })
    expect(await client.cancel(job.id)).toMatchObject({ status: 'cancelled' })
    await expect(client.cancel(job.id)).rejects.toMatchObject({ status: 409, error: 'invalid_transition' })
    expect(await client.requeue(job.id)).toMatchObject({ id: job.id, status: 'queued' })
    await expect(client.requeue(job.id)).rejects.toMatchObject({ status: 409, error: 'invalid_transition' })
  })

  test('is moved with the others of its filter, and put back to the start that it had', async () => {
    const { job } = await client.enqueue('send_email', email, { queue: 'moved', delay_ms: 60_000 })
    const run_at = '2031-01-16T09:30:00.000Z'
    const { previous } = await client.rescheduleJobs({ filter: { queue: 'moved' }, run_at })
    expect(previous).toEqual([{ id: job.id, run_at: job.run_at, changed_at: expect.any(String) }])
    expect(await client.get(job.id)).toMatchObject({ run_at })
    expect(await client.undoReschedule({ jobs: previous })).toMatchObject({ count: 1, skipped: 0 })
    expect(await client.get(job.id)).toMatchObject({ run_at: job.run_at })
    expect(await client.undoReschedule({ jobs: previous })).toMatchObject({ count: 0, skipped: 1 })
  })

  test('is cancelled with the others of its filter, and waits again as it did', async () => {
    const { job } = await client.enqueue('send_email', email, { queue: 'undone', delay_ms: 60_000 })
    const { cancelled } = await client.cancelJobs({ filter: { queue: 'undone' } })
    expect(cancelled).toEqual([{ id: job.id, status: 'queued', changed_at: expect.any(String) }])
    expect(await client.undoCancel({ jobs: cancelled })).toMatchObject({ count: 1, skipped: 0 })
    const { updated_at: _, ...restored } = await client.get(job.id)
    expect(job).toMatchObject(restored)
    expect(await client.undoCancel({ jobs: cancelled })).toMatchObject({ count: 0, skipped: 1 })
  })

  test('is requeued with the others of its filter, and has ended again as it had', async () => {
    const { job } = await client.enqueue('send_email', email, { queue: 'ended' })
    const cancelled = await client.cancel(job.id)
    const { requeued } = await client.requeueJobs({ filter: { queue: 'ended' } })
    expect(requeued).toEqual([{ id: job.id, changed_at: expect.any(String) }])
    expect(await client.undoRequeue({ jobs: requeued })).toMatchObject({ count: 1, skipped: 0 })
    const { updated_at: _, ...restored } = await client.get(job.id)
    expect(cancelled).toMatchObject(restored)
    expect(await client.undoRequeue({ jobs: requeued })).toMatchObject({ count: 0, skipped: 1 })
  })

  test.each(['cancelJobs', 'requeueJobs', 'deleteJobs', 'eraseJobs'] as const)(
    'is changed by %s only with a filter that says which, or with all',
    async (act) => {
      for (const filter of [{ queue: undefined }, { kind: 'send_email', queue: undefined }]) {
        await expect(client[act]({ filter: filter as object, all: true })).rejects.toThrow(TypeError)
      }
      await expect(client[act]({ filter: {} })).rejects.toMatchObject({ error: 'selects_everything' })
    },
  )

  test('is not requeued by dead letters without a condition', async () => {
    await expect(client.requeueDeadLetters({ kind: undefined } as object)).rejects.toThrow(TypeError)
    await expect(client.requeueDeadLetters({})).rejects.toMatchObject({ error: 'selects_everything' })
  })

  test('that is not there is an error of the API', async () => {
    const missing = client.get('0198c5f0-0000-7000-8000-000000000000')
    await expect(missing).rejects.toMatchObject({ status: 404, error: 'job_not_found' })
  })
})

describe('dead letters', () => {
  test('are listed, read, requeued, counted and deleted', async () => {
    const queue = 'dead'
    const makeDeadLetter = () =>
      insertJob(api.database, { status: 'failed_permanent', kind: 'send_email', queue, payload: email })
    const jobs = [
      await makeDeadLetter(),
      await makeDeadLetter(),
      await makeDeadLetter(),
      await makeDeadLetter(),
    ]
    const deadLetters = await collect(client.deadLetters({ queue, limit: 1 }))
    expect(deadLetters.map(({ job_id: id }) => id).sort()).toEqual(idsOf(jobs).sort())
    const [first, second] = deadLetters
    if (first === undefined || second === undefined) throw new Error('there are dead letters')
    expect(await client.deadLetter(first.id)).toEqual(first)
    expect(await client.requeueDeadLetter(first.id)).toMatchObject({ id: first.job_id, status: 'queued' })
    await client.deleteDeadLetter(second.id)
    await expect(client.deleteDeadLetter(second.id)).rejects.toMatchObject({ error: 'dead_letter_not_found' })
    expect(await client.requeueDeadLetters({ queue, dry_run: true })).toMatchObject({
      count: 2,
      dry_run: true,
    })
    expect(await client.requeueDeadLetters({ queue })).toMatchObject({ count: 2, operation: null })
    expect((await client.deadLettersPage({ queue })).data).toEqual([])
  })
})

test('what a credential may not do is an error of its own class', async () => {
  const secret = Buffer.alloc(32, 7)
  await api.database.pool.query(
    `INSERT INTO queue.api_keys (id, digest, name, role) VALUES ('enqueue0', $1, 'shop', 'enqueue')`,
    [digestSecret(secret)],
  )
  const errorOf = (credential: string): Promise<unknown> =>
    createClient({ baseUrl: api.url, token: () => credential })
      .queuesPage()
      .catch((error: unknown) => error)
  expect(await errorOf('nothing-of-the-kind')).toBeInstanceOf(UnauthorizedError)
  const forbidden = await errorOf(formatApiKey('enqueue0', secret))
  expect(forbidden).toBeInstanceOf(ForbiddenError)
  expect(forbidden).toMatchObject({ error: 'forbidden', permission: 'jobs:read' })
  await api.database.pool.query('DELETE FROM queue.api_keys')
})

test('a link reads its job without a token, and without its payload', async () => {
  const { job } = await client.enqueue('send_email', email, { queue: 'linked' })
  const { path } = await client.linkTo(job.id)
  expect(await (await fetch(api.url + path)).json()).toMatchObject({ id: job.id, payload: '***' })
})

test('kinds are registered, read and retired', async () => {
  const kind = { kind: 'client_kind', payload_schema: { type: 'object' } }
  expect(await client.registerKinds({ kinds: [kind] })).toMatchObject([
    { kind: 'client_kind', outcome: 'new' },
  ])
  expect(await client.kinds()).toContainEqual(expect.objectContaining({ kind: 'client_kind', versions: [1] }))
  expect(await client.kind('client_kind')).toMatchObject({ versions: [{ version: 1, live_workers: 0 }] })
  await client.retireKind('client_kind')
  await client.retireKind('client_kind')
  expect(await client.kind('client_kind')).toMatchObject({ versions: [{ retired_at: expect.any(String) }] })
  await expect(client.retireKind('nothing')).rejects.toMatchObject({ error: 'kind_not_found' })
})

test('keys are listed and revoked, and who did it is shown', async () => {
  await api.database.pool.query(
    `INSERT INTO queue.api_keys (id, digest, name, role) VALUES ('abcd1234', sha256('x'), 'shop', 'read')`,
  )
  expect(await client.keys()).toMatchObject([{ id: 'abcd1234', name: 'shop', revoked_at: null }])
  await client.revokeKey('abcd1234')
  await client.revokeKey('abcd1234')
  await expect(client.revokeKey('nothing0')).rejects.toMatchObject({ error: 'key_not_found' })
  expect(await client.keys()).toMatchObject([{ revoked_at: expect.any(String) }])
  const revocations = await collect(client.audit({ act: 'key.revoke', limit: 1 }))
  expect(revocations).toMatchObject([
    { target: 'abcd1234', count: 0, actor_type: 'token' },
    { target: 'abcd1234', count: 1, actor_type: 'token' },
  ])
  expect((await client.auditPage({ actor: 'nobody' })).data).toEqual([])
})

describe('with a worker', () => {
  let worker: Worker

  beforeAll(async () => {
    worker = createWorker({
      connectionString: api.database.urlAs('worker'),
      queues: ['worked'],
      pollIntervalMs: 50,
      logger: silentLogger,
      maxPollIntervalMs: 50,
      handlers: [
        handle(summarizeText, async () => ({ summary: 'short' })),
        handle(sendEmail, async () => {
          throw new PermanentFailure('no such mailbox')
        }),
      ],
    })
    await worker.start()
  })

  afterAll(() => worker.stop())

  test('workers are shown', async () => {
    expect(await client.workers()).toContainEqual(expect.objectContaining({ id: worker.id }))
  })

  test('queues are paused, resumed and shown', async () => {
    expect(await client.pause('worked')).toMatchObject({ name: 'worked', paused_at: expect.any(String) })
    expect(await collect(client.queues())).toContainEqual(expect.objectContaining({ name: 'worked' }))
    expect(await client.resume('worked')).toMatchObject({ paused_at: null })
    await expect(client.pause('no-such-queue')).rejects.toMatchObject({ error: 'queue_not_found' })
  })

  test('waitFor resolves with the job that has ended, however it ended', async () => {
    const queue = 'worked'
    const summarized = await client.enqueue('summarize_text', { text: 'a' }, { queue })
    const failing = await client.enqueue('send_email', email, { queue })
    expect(await client.waitFor(summarized.job)).toMatchObject({
      status: 'succeeded',
      result: { summary: 'short' },
    })
    expect(await client.waitFor(failing.job.id, { timeoutMs: 20_000 })).toMatchObject({
      status: 'failed_permanent',
    })
    expect(await client.executions(failing.job.id)).toMatchObject([{ attempt: 1 }])
  })

  test('waitFor polls where Prefer does not reach the API', async () => {
    proxy.removedHeaders.add('prefer')
    try {
      const { job } = await client.enqueue(
        'summarize_text',
        { text: 'a' },
        // Longer than the first poll takes on a busy machine.
        { queue: 'worked', delay_ms: 2_000 },
      )
      const ended = await createClient({ baseUrl: proxy.url, token }).waitFor(job)
      expect(ended.status).toBe('succeeded')
      const polls = proxy.requests.filter(({ line }) => line.includes(job.id))
      expect(polls.length).toBeGreaterThan(1)
    } finally {
      proxy.removedHeaders.clear()
    }
  })
})

describe('follow', () => {
  const statesOf = async (of: Client, id: string): Promise<string[]> =>
    (await collect(of.follow(id))).map(({ event, job }) => `${event} ${'status' in job ? job.status : ''}`)

  test('gives the state of a job, each change, and its end', async () => {
    const { job } = await client.enqueue('send_email', email, { queue: 'followed' })
    const following = statesOf(client, job.id)
    await client.cancel(job.id)
    expect((await following).at(-1)).toBe('state cancelled')
    expect(await statesOf(client, job.id)).toEqual(['state cancelled'])
    await expect(collect(client.follow(crypto.randomUUID()))).rejects.toMatchObject({
      error: 'job_not_found',
    })
  })

  test('opens a stream again that breaks, and shows nothing twice', async () => {
    const { job } = await client.enqueue('send_email', email, { queue: 'followed' })
    let streams = 0
    const breaking = createClient({
      baseUrl: api.url,
      token,
      fetch: async (request) => {
        const response = await fetch(request)
        streams += 1
        if (streams > 2) await client.cancel(job.id)
        return streams > 2 ? response : new Response(firstChunkOf(response), response)
      },
    })
    expect(await statesOf(breaking, job.id)).toEqual(['state queued', 'state cancelled'])
    expect(streams).toBeGreaterThan(2)
  })

  test('rejects with the reason of its signal', async () => {
    const { job } = await client.enqueue('send_email', email, { queue: 'followed' })
    const controller = new AbortController()
    const reason = new Error('enough')
    const events = client.follow(job.id, { signal: controller.signal })[Symbol.asyncIterator]()
    await events.next()
    const next = events.next().catch((error: unknown) => error)
    controller.abort(reason)
    expect(await next).toBe(reason)
  })
})

/** The body up to its first piece; then it breaks. */
function firstChunkOf(response: Response): ReadableStream<Uint8Array> {
  const reader = response.body?.getReader()
  let pieces = 0
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      pieces += 1
      const { value } = pieces > 1 || reader === undefined ? { value: undefined } : await reader.read()
      if (value !== undefined) return controller.enqueue(value)
      await reader?.cancel()
      controller.error(new Error('the connection broke'))
    },
  })
}

describe('waitFor without a worker', () => {
  let job: Job

  beforeAll(async () => {
    ;({ job } = await client.enqueue('send_email', email, { queue: 'idle' }))
  })

  test.each([700, 2_500])('rejects after %d ms with the job as it was', async (timeoutMs) => {
    const error: unknown = await client.waitFor(job.id, { timeoutMs }).catch((e: unknown) => e)
    expect(error).toBeInstanceOf(WaitTimeoutError)
    expect(error).toMatchObject({ jobId: job.id, message: expect.stringContaining(`${timeoutMs} ms`) })
    expect((await client.get(job.id)).status).toBe('queued')
  })

  test.each<[string, unknown, object]>([
    ['a status alone', { status: 'succeeded' }, {}],
    ['an object without an id', {}, {}],
    ['a number', 1, {}],
    ['a negative time', 'id', { timeoutMs: -1 }],
    ['a time that is no number', 'id', { timeoutMs: Number.NaN }],
    ['a time as text', 'id', { timeoutMs: '5' }],
  ])('refuses wrong arguments before it sends anything: %s', async (_what, waited, options) => {
    const requestsBefore = proxy.requests.length
    const waiting = createClient({ baseUrl: proxy.url, token }).waitFor(waited as Job, options)
    await expect(waiting).rejects.toMatchObject({ name: 'InvalidCall', code: 'invalid_options' })
    expect(proxy.requests.length).toBe(requestsBefore)
  })

  test('asks the API once for as long as it may wait', async () => {
    const requestsBefore = proxy.requests.length
    const controller = new AbortController()
    const waiting = createClient({ baseUrl: proxy.url, token }).waitFor(job, { signal: controller.signal })
    const settled = waiting.catch((e: unknown) => e)
    await eventually(() => proxy.requests.length > requestsBefore)
    await client.cancel(job.id)
    expect(await settled).toMatchObject({ status: 'cancelled' })
    expect(proxy.requests.length).toBe(requestsBefore + 1)
  })

  test('rejects with the reason of its signal', async () => {
    const { job: waiting } = await client.enqueue('send_email', email, { queue: 'idle' })
    const controller = new AbortController()
    const settled = client.waitFor(waiting, { signal: controller.signal }).catch((e: unknown) => e)
    const reason = new Error('enough')
    controller.abort(reason)
    expect(await settled).toBe(reason)
  })
})
