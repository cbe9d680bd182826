import { afterAll, beforeEach, describe, expect, test } from '@jest/globals'
import { seeded } from '@queue/dev-postgres'
import { compiler } from '@queue/postgres'
import fc from 'fast-check'
import type { ConnectedDatabase } from '../../src/database/connect.ts'
import { type IdentifiedRequest, identify, shapeOf } from '../../src/database/job-input.ts'
import { createNotifier } from '../../src/database/notifications.ts'
import { InvalidInput, QueueError } from '../../src/domain/errors.ts'
import type { JobOptions, JobRequest } from '../../src/domain/job-definition.ts'
import { writtenOutBytes } from '../../src/domain/json.ts'
import {
  enqueueBatchBytesMax,
  enqueueBatchMax,
  payloadBytesMax,
  runAtMsMax,
} from '../../src/domain/limits.ts'
import { createEnqueue } from '../../src/enqueue/enqueue.ts'
import { claim, enqueueProbes, finishAll, newWorker, probe } from '../support/builders.ts'
import { openWorld } from '../support/world.ts'
import { databaseOf, internalsOf } from '../../src/enqueue/queue-internals.ts'

const world = await openWorld()
afterAll(() => world.close())
beforeEach(() => world.reset())

const { queue } = world

async function jobCount(): Promise<number> {
  const [row] = await world.sql<{ count: number }>('SELECT count(*)::int AS count FROM queue.all_jobs')
  return row?.count ?? -1
}

const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'

/** Makes the keys of a batch distinct: a second use of a key would be a replay. */
function withUniqueKeys<Options extends { readonly idempotencyKey?: string }>(
  batch: readonly Options[],
): Options[] {
  return batch.map((options, n) => {
    if (options.idempotencyKey === undefined) return options
    return { ...options, idempotencyKey: `${options.idempotencyKey}-${n}` }
  })
}

/** A database whose connection breaks after its first insert has committed, and after what happens `meanwhile`. */
function losingFirstInsert(
  database: ConnectedDatabase,
  meanwhile: () => Promise<unknown> = async () => undefined,
): ConnectedDatabase {
  let isLost = false
  const run: ConnectedDatabase['run'] = async (statement) => {
    const rows = await database.run(statement)
    if (isLost || !statement.compile(compiler).sql.includes('INSERT')) return rows
    isLost = true
    await meanwhile()
    throw new QueueError('database_unavailable', 'the connection broke')
  }
  return { ...database, run, runFollowed: (statement) => run(statement) }
}

describe('an enqueued job', () => {
  test('is what a reader gets back, member by member', async () => {
    const sets: JobOptions[] = [
      {},
      {
        queue: 'mail',
        priority: 9,
        maxAttempts: 100,
        timeoutMs: 1,
        traceContext: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
      },
      { tenantId: 'acme', idempotencyKey: 'key', retryPolicy: { type: 'exponential', jitter: 'none' } },
      { delayMs: 60_000 },
      { runAt: new Date(4_102_444_800_123) },
    ]
    for (const options of sets) {
      const { job, replayed, mismatched } = await queue.enqueue(probe, { a: [1, null, 'ü'] }, options)
      expect({ replayed, mismatched }).toEqual({ replayed: false, mismatched: false })
      expect(await queue.get(job.id)).toEqual(job)
    }
  })

  test('is queued, without an attempt, and due at once', async () => {
    const { job } = await queue.enqueue(probe, {})
    expect(job).toMatchObject({
      status: 'queued',
      attempts: 0,
      crashes: 0,
      runAt: job.createdAt,
      finishedAt: null,
    })
  })

  test('with a start in the past is due now, so that due times stay in the order of enqueues', async () => {
    for (const options of [
      { runAt: new Date(0) },
      { runAt: new Date(-8.64e15) },
      { runAt: new Date(1e12) },
    ]) {
      const { job } = await queue.enqueue(probe, {}, options)
      expect(job.runAt).toEqual(job.createdAt)
    }
  })

  test("with a later start waits until that instant, or for its delay by the database's clock", async () => {
    const at = await queue.enqueue(probe, {}, { runAt: new Date(runAtMsMax) })
    expect(at.job.runAt).toEqual(new Date(runAtMsMax))
    const after = await queue.enqueue(probe, {}, { delayMs: 90_000 })
    expect(after.job.runAt.getTime() - after.job.createdAt.getTime()).toBe(90_000)
  })

  test('has an id that contains the instant of its creation', async () => {
    const { job } = await queue.enqueue(probe, {})
    const idMs = Number.parseInt(job.id.replaceAll('-', '').slice(0, 12), 16)
    // The client may have to wait between the two instants.
    expect(Math.abs(idMs - job.createdAt.getTime())).toBeLessThan(60_000)
  })
})

test('a request with an id has all members of the request', () => {
  const everything = probe.create(
    { note: 'x' },
    {
      key: 'c-1',
      weight: 3,
      metadata: { order: 1 },
      tenantId: 'acme',
      idempotencyKey: 'k',
      unique: { key: 'u', scope: 'live' },
      delayMs: 1_000,
      expiresInMs: 9_000,
      timeoutMs: 5_000,
      maxAttempts: 7,
      traceContext: traceparent,
    },
  )
  expect(identify([everything], ['an-id']).map((one) => ({ ...one }))).toEqual([
    { ...everything, id: 'an-id' },
  ])
})

describe('a value that only one job of a call has is sent for each job:', () => {
  const plain = probe.create({})
  const others: Omit<JobRequest, 'payload' | 'payloadText'> = {
    kind: 'other',
    kindVersion: 2,
    queue: 'other',
    metadata: { order: 1 },
    priority: 1,
    maxAttempts: 7,
    timeoutMs: 5_000,
    retryPolicy: { type: 'fixed', baseMs: 1_000 },
    runAt: new Date('2030-01-01'),
    delayMs: 1_000,
    expiresAt: new Date('2030-01-02'),
    expiresInMs: 9_000,
    idempotencyKey: 'k',
    fingerprint: Buffer.from('f'),
    unique: { key: 'u', scope: 'live', windowMs: null, maxWaitMs: null, onConflict: 'return' },
    tenantId: 'acme',
    key: 'c-1',
    weight: 3,
    traceContext: traceparent,
    sensitive: [],
    openResults: true,
  }
  test('every member of a request can be that value', () => {
    const payload = ['payload', 'payloadText']
    expect(Object.keys(plain).toSorted()).toEqual([...Object.keys(others), ...payload].toSorted())
  })

  test.each(Object.entries(others))('%s', (name, value) => {
    const requests = identify([plain, plain, { ...plain, [name]: value }], ['1', '2', '3'])
    const { differing } = shapeOf(requests).shape
    expect(differing).not.toEqual([])
    const [column] = differing
    expect(column?.read(requests[2] as IdentifiedRequest)).not.toEqual(
      column?.read(requests[0] as IdentifiedRequest),
    )
  })
})

describe('payloads are read back unchanged:', () => {
  const deepest: unknown = Array.from({ length: 64 }).reduce((value) => [value], 1)

  test.each<[string, unknown]>([
    ['null', null],
    ['a bare text', 'text'],
    ['a bare number', 12.5],
    ['an empty object', {}],
    ['numbers at the edges of a double', [Number.MAX_SAFE_INTEGER, 1e21, 5e-324, 1.797e308, -1e-7, 0.1]],
    ['text of every plane', 'a\u0001\u007f\u0080ü€😀\u{10FFFF}\u2028'],
    ['keys that JavaScript reorders', { 10: 'a', 9: 'b', b: 1, a: 2, '': 3 }],
    ['a key named constructor', { constructor: 2, prototype: { a: 1 } }],
    ['the deepest nesting', deepest],
    ['a text of nearly 1 MiB', 'x'.repeat(1_048_574)],
  ])('%s', async (_what, payload) => {
    const { job } = await queue.enqueue(probe, payload)
    const read = await queue.get(job.id)
    expect(read?.payload).toEqual(payload)
    expect(JSON.stringify(job.payload)).toBe(JSON.stringify(payload))
  })
})

test('the size of a payload is its size as the database returns it, without blanks', async () => {
  const numbers = fc.array(fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.integer()), {
    minLength: 1,
  })
  await fc.assert(
    fc.asyncProperty(numbers, async (payload) => {
      const text = JSON.stringify(payload)
      const [row] = await world.sql<{ bytes: number }>('SELECT octet_length($1::jsonb::text) AS bytes', [
        text,
      ])
      expect(row?.bytes ?? 0).toBeLessThanOrEqual(writtenOutBytes(text) + payload.length)
    }),
    seeded('written out', { numRuns: 60 }),
  )
})

describe('a batch', () => {
  test('is answered in the order of its requests, and has ids in that order', async () => {
    const requests = Array.from({ length: 50 }, (_, n) => probe.create({ n }, { priority: n % 10 }))
    const enqueued = await queue.enqueueMany(requests)
    expect(enqueued.map(({ job }) => (job.payload as { n: number }).n)).toEqual(requests.map((_, n) => n))
    const ids = enqueued.map(({ job }) => job.id)
    expect(ids).toEqual(ids.toSorted((a, b) => (a < b ? -1 : 1)))
  })

  test('is read back as it was answered, whatever options its jobs share, with keys or without', async () => {
    const minutes = fc.integer({ min: -60, max: 60 })
    const options = fc.record(
      {
        queue: fc.constantFrom('default', 'mail'),
        priority: fc.integer({ min: 0, max: 9 }),
        maxAttempts: fc.constantFrom(1, 3),
        timeoutMs: fc.constantFrom(1_000, 2_000),
        retryPolicy: fc.constantFrom(
          { type: 'fixed' as const, baseMs: 5 },
          { type: 'fixed' as const, baseMs: 6 },
        ),
        delayMs: minutes.map((count) => Math.abs(count) * 60_000),
        tenantId: fc.constantFrom('acme', 'initech'),
        traceContext: fc.constant(traceparent),
        idempotencyKey: fc.uuid(),
      },
      { requiredKeys: [] },
    )
    // Many jobs of a real batch have the same options, so batches with common options are as likely as others.
    const batches = fc
      .tuple(options, fc.array(fc.oneof(fc.constant({}), options), { minLength: 1, maxLength: 8 }))
      .map(([common, perJob]) => perJob.map((differences) => ({ ...common, ...differences })))
      .map((batch) => withUniqueKeys(batch))
    await fc.assert(
      fc.asyncProperty(batches, async (batch) => {
        const enqueued = await queue.enqueueMany(
          batch.map((jobOptions, n) => probe.create({ n }, jobOptions)),
        )
        const read = await Promise.all(enqueued.map(({ job }) => queue.get(job.id)))
        expect(read).toEqual(enqueued.map(({ job }) => job))
      }),
      seeded('batches', { numRuns: 60 }),
    )
  })

  test('without keys makes each job once when its first reply is lost', async () => {
    const enqueueMany = createEnqueue(losingFirstInsert(databaseOf(queue)), {
      full: internalsOf(queue).full,
      notifier: createNotifier(databaseOf(queue)),
    })
    const enqueued = await enqueueMany([probe.create({ n: 0 }), probe.create({ n: 1 })])
    expect(enqueued.map(({ replayed }) => replayed)).toEqual([false, false])
    expect(await jobCount()).toBe(2)
    expect(await queue.get(enqueued[0]?.job.id ?? '')).toEqual(enqueued[0]?.job)
  })

  test('makes each job once although it has succeeded before the call is repeated', async () => {
    const meanwhile = async () => finishAll(world, await claim(world, await newWorker(world)))
    const enqueueMany = createEnqueue(losingFirstInsert(databaseOf(queue), meanwhile), {
      full: internalsOf(queue).full,
      notifier: createNotifier(databaseOf(queue)),
    })
    const batch = [probe.create({ n: 0 }), probe.create({ n: 1 }, { key: 'a' }), probe.create({ n: 2 })]
    const enqueued = await enqueueMany(batch)
    expect(enqueued.map(({ job, replayed }) => ({ ...job, replayed }))).toMatchObject(
      batch.map(({ payload }) => ({ payload, status: 'succeeded', replayed: false })),
    )
    expect(await jobCount()).toBe(3)
  })

  test('of no requests makes no job', async () => {
    expect(await queue.enqueueMany([])).toEqual([])
  })

  test('of the largest size is written; one more is refused before anything is written', async () => {
    expect(await enqueueProbes(world, enqueueBatchMax)).toHaveLength(enqueueBatchMax)
    await expect(enqueueProbes(world, enqueueBatchMax + 1)).rejects.toThrow(InvalidInput)
    expect(await jobCount()).toBe(enqueueBatchMax)
  })

  const largestPayloads = enqueueBatchBytesMax / payloadBytesMax
  /** Requests whose text repeats `fill`, each as large as a payload may be. */
  const largest = (count: number, fill: string): JobRequest[] => {
    const perFill = Buffer.byteLength(JSON.stringify(fill)) - 2
    const text = fill.repeat(Math.floor((payloadBytesMax - '{"text":""}'.length) / perFill))
    return Array.from({ length: count }, () => probe.create({ text }))
  }

  // A backslash has two characters in JSON, and four in the array of JSON texts that is sent to the database.
  test('of as many bytes as allowed is written, whatever its characters', async () => {
    expect(await queue.enqueueMany(largest(largestPayloads, '\\'))).toHaveLength(largestPayloads)
    expect(await jobCount()).toBe(largestPayloads)
  })

  test.each([
    ['600 payloads of 1 MiB', () => largest(1, 'x').flatMap((one) => Array.from({ length: 600 }, () => one))],
    ['one payload more than fits', () => largest(largestPayloads + 1, 'x')],
    ['one more in characters of two bytes', () => largest(largestPayloads + 1, 'é')],
  ])('of %s is refused by its bound, before anything is sent', async (_what, requestsOf) => {
    const requests = requestsOf()
    const refused = {
      name: 'InvalidInput',
      code: 'invalid_job',
      message: expect.stringContaining(`at most ${enqueueBatchBytesMax} bytes`),
    }
    await expect(queue.enqueueMany(requests)).rejects.toMatchObject(refused)
    const client = await world.database.pool.connect()
    try {
      await client.query('BEGIN')
      await expect(queue.enqueueMany(requests, { transaction: client })).rejects.toMatchObject(refused)
      await queue.enqueueMany([probe.create({})], { transaction: client })
      await client.query('COMMIT')
    } finally {
      client.release()
    }
    expect(await jobCount()).toBe(1)
  })

  test('is all or nothing: one row that the database refuses, and none is written', async () => {
    const good = probe.create({})
    const bad = { ...probe.create({}), priority: 77 }
    await expect(queue.enqueueMany([good, bad, good])).rejects.toMatchObject({
      code: 'invalid_job',
      issues: [{ path: [], message: 'the database refuses one of the jobs (SQLSTATE 23514)' }],
      cause: { code: '23514', constraint: 'job_priority_check' },
    })
    expect(await jobCount()).toBe(0)
  })
})
