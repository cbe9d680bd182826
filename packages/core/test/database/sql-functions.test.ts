import { afterAll, beforeEach, describe, expect, test } from '@jest/globals'
import { keptMembers, keptNumbers, refusedMembers, refusedNumbers } from '@queue/dev-postgres'
import fc from 'fast-check'
import { z } from 'zod'
import { InvalidInput } from '../../src/domain/errors.ts'
import { type JobOptions, defineJob } from '../../src/domain/job-definition.ts'
import { type JsonValue, canonicalJson } from '../../src/domain/json.ts'
import * as limits from '../../src/domain/limits.ts'
import type { JobMetadata } from '../../src/domain/metadata.ts'
import { type RetryPolicy, decodeRetryPolicy, encodeRetryPolicy } from '../../src/domain/retry.ts'
import { claim, enqueueProbe, newWorker } from '../support/builders.ts'
import { openWorld } from '../support/world.ts'
import { databaseOf } from '../../src/enqueue/queue-internals.ts'

const world = await openWorld()
afterAll(() => world.close())
beforeEach(() => world.reset())

interface Input {
  readonly kind: string
  readonly payload: JsonValue
  readonly options: JobOptions
}

const columns =
  'kind, payload, queue, priority, max_attempts, timeout_ms, retry_policy, idempotency_key, ' +
  "encode(idempotency_fingerprint, 'hex') AS fingerprint, tenant_id, trace_context, status, attempts, " +
  'CASE WHEN run_at > created_at THEN run_at - created_at END AS delay, expires_at - created_at AS expires_in, metadata, weight, ' +
  'ARRAY(SELECT (m.tenant_id, m.name, m.value)::text FROM queue.job_metadata AS m WHERE m.job_id = all_jobs.id ORDER BY m.name) AS found_by'

async function rowOf(id: string): Promise<Record<string, unknown>> {
  const [row] = await world.sql(`SELECT ${columns} FROM queue.all_jobs WHERE id = $1`, [id])
  return row ?? {}
}

/** Enqueues in TypeScript; undefined if the input is refused. */
async function enqueueInTypeScript({ kind, payload, options }: Input): Promise<string | undefined> {
  try {
    const definition = defineJob({ kind, payload: z.unknown() })
    return (await world.queue.enqueue(definition, payload, options)).job.id
  } catch (error) {
    if (error instanceof InvalidInput) return undefined
    throw error
  }
}

const parameters = [
  ['queue', 'queue', 'text'],
  ['priority', 'priority', 'integer'],
  ['delayMs', 'delay_ms', 'bigint'],
  ['maxAttempts', 'max_attempts', 'integer'],
  ['timeoutMs', 'timeout_ms', 'integer'],
  ['retryPolicy', 'retry_policy', 'jsonb'],
  ['idempotencyKey', 'idempotency_key', 'text'],
  ['tenantId', 'tenant_id', 'text'],
  ['traceContext', 'trace_context', 'text'],
  ['metadata', 'metadata', 'jsonb'],
  ['expiresInMs', 'expires_in_ms', 'bigint'],
  ['weight', 'weight', 'integer'],
] as const

/** Enqueues by the function of the schema; undefined if the input is refused. */
async function enqueueInSql({ kind, payload, options }: Input): Promise<string | undefined> {
  const setParameters = parameters.filter(([option]) => options[option] !== undefined)
  const values = setParameters.map(([option]) => {
    const value = options[option]
    if (option === 'metadata') return JSON.stringify(value)
    return option === 'retryPolicy' ? JSON.stringify(encodeRetryPolicy(value as RetryPolicy)) : value
  })
  const namedArguments = setParameters.map(([, name, type], index) => `, ${name} => $${index + 3}::${type}`)
  try {
    const [row] = await world.sql<{ id: string }>(
      `SELECT queue.enqueue($1::text, $2::jsonb${namedArguments.join('')}) AS id`,
      [kind, JSON.stringify(payload), ...values] as never,
    )
    return row?.id
  } catch (error) {
    if ((error as { code?: string }).code === '22023') return undefined
    throw error
  }
}

const orUndefined = <Value>(arbitrary: fc.Arbitrary<Value>) => fc.option(arbitrary, { nil: undefined })
/** Any character that PostgreSQL can store. fast-check's unit 'binary' would first build a map of a million characters. */
const character = fc
  .integer({ min: 1, max: 0x10_ff_ff })
  .map((code) => String.fromCodePoint(code))
  .filter((text) => text.isWellFormed())
/** Texts around a bound, with characters of one and of two UTF-16 units. */
const boundedText = fc.oneof(
  fc.string({ maxLength: 5, unit: character }),
  fc
    .tuple(fc.constantFrom('a', 'ä', '漢', '😀'), fc.integer({ min: 126, max: 257 }))
    .map(([letter, count]) => letter.repeat(count)),
)
const name = fc.oneof(
  fc.stringMatching(/^[a-z0-9][a-z0-9_.-]{0,5}$/),
  fc.constantFrom('', 'A', '-a', 'a b', 'a\n', 'ä', 'a'.repeat(63), 'a'.repeat(64)),
)
const aroundBounds = (min: number, max: number) =>
  fc.oneof(fc.integer({ min, max }), fc.constantFrom(min - 1, min, max, max + 1))
const retryPolicy = fc.oneof(
  fc.record({ type: fc.constant('fixed' as const), baseMs: aroundBounds(1, limits.retryBaseMsMax) }),
  fc.record({
    type: fc.constant('decorrelated' as const),
    baseMs: aroundBounds(1, limits.retryBaseMsMax),
    capMs: aroundBounds(1, limits.retryCapMsMax),
  }),
  fc.record({
    type: fc.constant('exponential' as const),
    jitter: fc.constantFrom('full' as const, 'none' as const, 'proportional' as const),
    baseMs: aroundBounds(1, 10_000),
    capMs: aroundBounds(1, 20_000),
  }),
)
const traceContext = fc.constantFrom(
  '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  'ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  `00-${'0'.repeat(32)}-b7ad6b7169203331-01`,
  'no traceparent',
)
/** Names of members that sort differently by code units, code points and index. */
const member = fc.oneof(
  fc.string({ maxLength: 3, unit: character }),
  fc.constantFrom(
    '10',
    '9',
    '-1',
    '01',
    '4294967294',
    '4294967295',
    '\uE000',
    '\uFFFF',
    '😀',
    '\u{10FFFF}',
    '__proto__',
  ),
)
const number = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(
    0,
    -0,
    1e21,
    1e-6,
    1e-7,
    123456789012345680000,
    0.1,
    -1.5e300,
    5e-324,
    1e15,
    999999999999999,
    1e22,
  ),
)
const json = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    number,
    member,
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(member, tie('value'), { maxKeys: 5, noNullPrototype: true }),
  ),
})).value

const metadata = fc.oneof(
  fc.dictionary(
    fc.oneof(
      { weight: 5, arbitrary: fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,8}$/) },
      { weight: 1, arbitrary: name },
    ),
    fc.oneof(number, boundedText, fc.boolean()),
    { maxKeys: 4, noNullPrototype: true },
  ),
  fc.integer({ min: 4_084, max: 4_087 }).map((length) => ({ order: 'a'.repeat(length) })),
  fc
    .integer({ min: 20, max: 21 })
    .map((count) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`m${n}`, n]))),
  fc.constant({ nested: {} } as unknown as JobMetadata),
  fc.constant([] as unknown as JobMetadata),
)

const anyInput: fc.Arbitrary<Input> = fc.record({
  kind: fc.oneof({ weight: 5, arbitrary: fc.constant('kind') }, { weight: 1, arbitrary: name }),
  payload: json,
  options: fc
    .record({
      queue: orUndefined(name),
      priority: orUndefined(aroundBounds(0, 9)),
      delayMs: orUndefined(aroundBounds(0, limits.delayMsMax)),
      maxAttempts: orUndefined(aroundBounds(1, 100)),
      timeoutMs: orUndefined(aroundBounds(1, limits.timeoutMsMax)),
      retryPolicy: orUndefined(retryPolicy),
      idempotencyKey: orUndefined(
        fc.oneof(boundedText, fc.constantFrom('schedule:', 'schedule:a', 'Schedule:')),
      ),
      tenantId: orUndefined(boundedText),
      traceContext: orUndefined(traceContext),
      metadata: orUndefined(metadata),
      expiresInMs: orUndefined(aroundBounds(1, limits.delayMsMax)),
      weight: orUndefined(aroundBounds(1, limits.jobWeightMax)),
    })
    // Most inputs have few options, because one invalid option hides the others.
    .chain((options) =>
      fc
        .subarray(Object.keys(options))
        .map(
          (chosen) =>
            Object.fromEntries(
              Object.entries(options).filter(([option]) => chosen.includes(option) && chosen.length < 5),
            ) as JobOptions,
        ),
    ),
})

describe('queue.enqueue', () => {
  test('makes the row of the TypeScript enqueue, or refuses as it does, and finds its key', async () => {
    await fc.assert(
      fc.asyncProperty(anyInput, async (input) => {
        await world.sql('DELETE FROM queue.jobs')
        const id = await enqueueInSql(input)
        const row = id === undefined ? undefined : await rowOf(id)
        if (id !== undefined && input.options.idempotencyKey !== undefined) {
          expect(await enqueueInTypeScript(input)).toBe(id)
          const otherInput = { ...input, payload: { another: 'request' } }
          const { mismatched } = await world.queue.enqueue(
            defineJob({ kind: input.kind, payload: z.unknown() }),
            otherInput.payload,
            otherInput.options,
          )
          expect(mismatched).toBe(canonicalJson(input.payload) !== canonicalJson(otherInput.payload))
        }
        await world.sql('DELETE FROM queue.jobs')
        const reference = await enqueueInTypeScript(input)
        expect(row).toEqual(reference === undefined ? undefined : await rowOf(reference))
        if (reference !== undefined && input.options.idempotencyKey !== undefined)
          expect(await enqueueInSql(input)).toBe(reference)
      }),
      { numRuns: 300 },
    )
  })

  test.each(refusedNumbers)('refuses the number %s: %s', async (...[source]) => {
    const enqueue = `SELECT queue.enqueue('probe', '{"n": ${source}}', idempotency_key => 'k')`
    await expect(world.sql(enqueue)).rejects.toMatchObject({
      code: '22023',
      message: expect.stringMatching(/^payload: /),
    })
    if (source.startsWith('[')) return
    await expect(
      world.sql(`SELECT queue.enqueue('probe', '{}', metadata => '{"n": ${source}}')`),
    ).rejects.toMatchObject({ code: '22023', message: expect.stringMatching(/metadata: /) })
  })

  const anyPayload = defineJob({ kind: 'probe', payload: z.unknown() })

  test.each(refusedMembers)('refuses the payload %s, as TypeScript does', async (text) => {
    const message = expect.stringMatching(/^payload.*__proto__/)
    const refused = { code: '22023', message }
    await expect(world.sql(`SELECT queue.enqueue('probe', $1)`, [text])).rejects.toMatchObject(refused)
    const { id } = await enqueueProbe(world)
    const edit = world.sql('SELECT queue.edit_job($1, $2)', [id, `{"payload": ${text}}`])
    await expect(edit).rejects.toMatchObject(refused)
    const refusedHere = { code: 'invalid_job', message }
    await expect(world.queue.enqueue(anyPayload, JSON.parse(text))).rejects.toMatchObject(refusedHere)
  })

  test.each(keptMembers)('takes the payload %s, as TypeScript does', async (text) => {
    const [row] = await world.sql<{ id: string }>(`SELECT queue.enqueue('probe', $1) AS id`, [text])
    const { job } = await world.queue.enqueue(anyPayload, JSON.parse(text))
    for (const id of [row?.id ?? '', job.id])
      expect(await world.queue.get(id)).toMatchObject({ payload: JSON.parse(text) })
  })

  test.each(keptNumbers)('takes the number %s and returns its value', async (source) => {
    const [row] = await world.sql<{ id: string }>(`SELECT queue.enqueue('probe', '{"n": ${source}}') AS id`)
    expect(await world.queue.get(row?.id ?? '')).toMatchObject({ payload: { n: Number(source) + 0 } })
  })

  test.each([...keptNumbers, '1.0', '10.00', '100e-2', '123456789012.50', '1.5e-7', '12e307'])(
    'lets a job be found by the metadata %s, as the job shows it',
    async (source) => {
      const [written] = await world.sql<{ id: string }>(
        `SELECT queue.enqueue('probe', '{}', metadata => '{"n": ${source}}', tenant_id => 'acme') AS id`,
      )
      const [inserted, edited] = await Promise.all([enqueueProbe(world), enqueueProbe(world)])
      await world.queue.edit(inserted.id, { metadata: { n: Number(source) } })
      await world.sql(`SELECT queue.edit_job($1, '{"metadata": {"n": ${source}}}')`, [edited.id])
      const shown = (await world.queue.get(written?.id ?? ''))?.metadata
      expect(shown).toEqual({ n: Number(source) + 0 })
      const { jobs } = await world.queue.list({ metadata: shown ?? {} })
      expect(new Set(jobs.map(({ id }) => id))).toEqual(new Set([written?.id, inserted.id, edited.id]))
      const rows = await world.sql('SELECT DISTINCT metadata::text FROM queue.all_jobs')
      expect(rows).toHaveLength(1)
      expect(await world.sql('SELECT DISTINCT value FROM queue.job_metadata')).toHaveLength(1)
      expect(await world.queue.many.cancel({ metadata: shown ?? {} })).toMatchObject({
        skipped: 0,
        jobIds: { length: 3 },
      })
    },
  )

  test('writes numbers whose shortest digits lie halfway between two doubles like TypeScript', async () => {
    const mantissa = fc.bigInt({ min: 10n ** 14n, max: 10n ** 16n })
    const exponent = fc.integer({ min: -20, max: 290 })
    const doubles = fc.tuple(mantissa, fc.oneof(fc.integer({ min: 0, max: 8 }), exponent))
    await fc.assert(
      fc.asyncProperty(fc.array(doubles, { minLength: 200, maxLength: 200 }), async (pairs) => {
        const numbers = pairs
          .map(([digits, power]) => Number(`${digits}e${power}`))
          .concat(253479149701575600, 1e23, Number.MAX_VALUE, Number.MIN_VALUE, 2 ** 70, 9007199254740993e3)
        const rows = await world.sql<{ text: string }>(
          'SELECT queue.canonical_number(d.value::numeric) AS text FROM jsonb_array_elements($1::jsonb) WITH ORDINALITY AS d (value, place) ORDER BY place',
          [JSON.stringify(numbers)],
        )
        expect(rows.map(({ text }) => text)).toEqual(numbers.map(String))
      }),
      { numRuns: 20 },
    )
  })

  test('writes canonical JSON like TypeScript', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(json, { minLength: 40, maxLength: 40 }), async (documents) => {
        const rows = await world.sql<{ text: string }>(
          'SELECT queue.canonical_json(d.value) AS text FROM jsonb_array_elements($1::jsonb) WITH ORDINALITY AS d (value, place) ORDER BY place',
          [JSON.stringify(documents)],
        )
        const stored = JSON.parse(JSON.stringify(documents)) as JsonValue[]
        expect(rows.map(({ text }) => text)).toEqual(stored.map((document) => canonicalJson(document)))
      }),
      { numRuns: 50 },
    )
  })

  test.each<[string, string, boolean]>([
    [
      'nested as deep as allowed',
      '['.repeat(limits.payloadDepthMax) + ']'.repeat(limits.payloadDepthMax),
      true,
    ],
    [
      'nested one deeper',
      '['.repeat(limits.payloadDepthMax + 2) + ']'.repeat(limits.payloadDepthMax + 2),
      false,
    ],
    [
      'of as many values as allowed',
      JSON.stringify(Array.from({ length: limits.payloadNodesMax - 1 }, () => 0)),
      true,
    ],
    ['of one value more', JSON.stringify(Array.from({ length: limits.payloadNodesMax }, () => 0)), false],
    ['as large as allowed', JSON.stringify('x'.repeat(limits.payloadBytesMax - 2)), true],
    ['one byte larger', JSON.stringify('x'.repeat(limits.payloadBytesMax - 1)), false],
    [
      'as large as allowed without the spaces of jsonb',
      JSON.stringify(Array.from({ length: 20 }, () => 'x'.repeat(52_425))),
      true,
    ],
    ['with a number that no double is', '1e400', false],
    ['that is null', 'null', true],
  ])('holds a payload to the bounds of the TypeScript enqueue: %s', async (_what, payload, isAccepted) => {
    const enqueued = world.sql('SELECT queue.enqueue($1, $2::jsonb)', ['kind', payload])
    if (isAccepted) await expect(enqueued).resolves.toHaveLength(1)
    else
      await expect(enqueued).rejects.toMatchObject({
        code: '22023',
        message: expect.stringMatching(/^payload: /),
      })
    if (payload !== '1e400') {
      const inTypeScript = enqueueInTypeScript({
        kind: 'kind',
        payload: JSON.parse(payload) as JsonValue,
        options: {},
      })
      expect((await inTypeScript) !== undefined).toBe(isAccepted)
    }
  })

  test('lists every fault of the input, and writes nothing', async () => {
    const enqueued = world.sql(
      "SELECT queue.enqueue('Kind', NULL, priority => 10, delay_ms => 1, run_at => now())",
    )
    await expect(enqueued).rejects.toMatchObject({
      code: '22023',
      message:
        'kind: must match ^[a-z0-9][a-z0-9_.-]{0,62}$; payload: is required; priority: must be 0 to 9; delay_ms: give run_at or delay_ms, not both',
    })
    expect(await world.sql('SELECT FROM queue.all_jobs')).toEqual([])
  })

  test('accepts an instant; a past one counts as now, and one after the year 9999 is refused', async () => {
    const [laterRow] = await world.sql<{ id: string }>(
      "SELECT queue.enqueue('kind', '{}', run_at => '2999-01-01 00:00:00.5+00') AS id",
    )
    const [pastRow] = await world.sql<{ id: string }>(
      "SELECT queue.enqueue('kind', '{}', run_at => '-infinity') AS id",
    )
    expect((await world.queue.get(laterRow?.id ?? ''))?.runAt).toEqual(new Date('2999-01-01T00:00:00.500Z'))
    const job = await world.queue.get(pastRow?.id ?? '')
    expect(job?.runAt).toEqual(job?.createdAt)
    await expect(world.sql("SELECT queue.enqueue('kind', '{}', run_at => 'infinity')")).rejects.toMatchObject(
      {
        code: '22023',
      },
    )
  })

  test("refuses a key of another request on demand, in one transaction with the caller's writes", async () => {
    const first = "SELECT queue.enqueue('kind', '1', idempotency_key => 'k') AS id"
    const [{ id } = { id: '' }] = await world.sql<{ id: string }>(first)
    expect(await world.sql("SELECT queue.enqueue('kind', '2', idempotency_key => 'k') AS id")).toEqual([
      { id },
    ])
    const rejected = world.sql(
      "SELECT queue.enqueue('kind', '2', idempotency_key => 'k', on_mismatch => 'reject')",
    )
    await expect(rejected).rejects.toMatchObject({ code: '23505', message: expect.stringContaining(id) })
    expect(await world.sql(first.replace("'k')", "'k', on_mismatch => 'reject')"))).toEqual([{ id }])
  })

  test('gives ids in the order of a session, with the instant at which the call began', async () => {
    const rows = await world.sql<{ id: string; place: number }>(
      `SELECT queue.enqueue('kind', '{}') AS id, n AS place FROM generate_series(1, 200) AS n`,
    )
    const ids = rows.toSorted((a, b) => a.place - b.place).map(({ id }) => id)
    expect(ids.toSorted()).toEqual(ids)
    expect(new Set(ids.map((id) => id[14]))).toEqual(new Set(['7']))
    const job = await world.queue.get(ids[0] ?? '')
    const mintedMs = Number.parseInt((ids[0] ?? '').replaceAll('-', '').slice(0, 12), 16)
    const createdMs = job?.createdAt.getTime() ?? 0
    expect(mintedMs).toBeLessThanOrEqual(createdMs)
    expect(mintedMs).toBeGreaterThan(createdMs - 60_000)
  })

  test('notifies the workers of a due job only, at the commit', async () => {
    const listener = await world.session()
    const payloads: string[] = []
    listener.on('notification', ({ payload = '' }) => payloads.push(payload))
    await listener.query('LISTEN "queue.jobs"')
    await world.sql(
      "SELECT queue.enqueue('kind', '{}', queue => 'now'), queue.enqueue('kind', '{}', queue => 'later', delay_ms => 1)",
    )
    await listener.query('SELECT')
    expect(payloads).toEqual(['now'])
  })
})

describe('queue.complete_retry_policy', () => {
  test('fills in defaults and refuses invalid policies, like TypeScript', async () => {
    const length = fc.oneof(
      fc.integer({ min: -1, max: 604_800_001 }),
      fc.constantFrom(1, 1.5, 1000, 86_400_000, '1', null, 604_800_000),
    )
    const wire = fc.record(
      {
        type: fc.constantFrom('fixed', 'decorrelated', 'exponential', 'linear', 1),
        base_ms: length,
        cap_ms: length,
        jitter: fc.constantFrom('full', 'none', 'proportional', 'half', null),
      },
      { requiredKeys: [] },
    )
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof({ weight: 20, arbitrary: wire }, json), { minLength: 200, maxLength: 200 }),
        async (policies) => {
          const rows = await world.sql<{ policy: unknown }>(
            'SELECT queue.complete_retry_policy(d.value) AS policy FROM jsonb_array_elements($1::jsonb) WITH ORDINALITY AS d (value, place) ORDER BY place',
            [JSON.stringify(policies)],
          )
          const decoded = policies.map((policy) => decodeRetryPolicy(JSON.parse(JSON.stringify(policy))))
          expect(rows.map(({ policy }) => policy)).toEqual(
            decoded.map((policy) => policy && encodeRetryPolicy(policy)),
          )
        },
      ),
      { numRuns: 10 },
    )
  })
})

describe('queue.cancel', () => {
  test('cancels a waiting job, requests it of a running one, leaves an ended one, and refuses an unknown one', async () => {
    const workerId = await newWorker({ database: databaseOf(world.queue) })
    const [{ id } = { id: '' }] = await world.sql<{ id: string }>("SELECT queue.enqueue('probe', '{}') AS id")
    await claim({ database: databaseOf(world.queue) }, workerId)
    const cancel = async (of: string) =>
      (await world.sql<{ outcome: string }>('SELECT queue.cancel($1) AS outcome', [of]))[0]?.outcome
    expect(await cancel(id)).toBe('requested')
    expect(await world.queue.get(id)).toMatchObject({ status: 'running', cancelRequested: true })
    const [{ id: waiting } = { id: '' }] = await world.sql<{ id: string }>(
      "SELECT queue.enqueue('probe', '{}') AS id",
    )
    expect(await cancel(waiting)).toBe('cancelled')
    expect(await cancel(waiting)).toBe('already_terminal')
    expect(await world.queue.get(waiting)).toMatchObject({ status: 'cancelled', cancelRequested: true })
    await expect(cancel('00000000-0000-7000-8000-000000000000')).rejects.toMatchObject({ code: 'P0002' })
  })
})
