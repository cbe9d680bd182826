import { describe, expect, test } from '@jest/globals'
import { z } from 'zod'
import { z as z3 } from 'zod/v3'
import { builtInJobs } from '../../src/domain/built-in-jobs.ts'
import { InvalidInput } from '../../src/domain/errors.ts'
import { defineJob, type JobOptions } from '../../src/domain/job-definition.ts'
import * as limits from '../../src/domain/limits.ts'
import { defaultRetryPolicy } from '../../src/domain/retry.ts'

const invoice = defineJob({ kind: 'send_invoice', payload: z.object({ invoice_id: z.string() }) })
const anyJob = defineJob({ kind: 'any', payload: z.unknown() })

function refusal(act: () => unknown): InvalidInput {
  try {
    act()
  } catch (error) {
    if (error instanceof InvalidInput) return error
    throw error
  }
  throw new Error('nothing was refused')
}

function optionIssue(options: object): string | undefined {
  return refusal(() => invoice.create({ invoice_id: 'i' }, options)).issues[0]?.path.join('.')
}

describe('a definition', () => {
  test('fills in the defaults of the contract', () => {
    expect(invoice).toMatchObject({
      kind: 'send_invoice',
      queue: 'default',
      priority: 4,
      maxAttempts: 3,
      timeoutMs: null,
      retryPolicy: null,
    })
  })

  test('gives its own defaults to its jobs, which each job may override', () => {
    const mail = defineJob({
      kind: 'mail',
      payload: z.object({}),
      queue: 'mail',
      priority: 1,
      maxAttempts: 7,
      timeoutMs: 500,
      retryPolicy: { type: 'decorrelated' },
    })
    expect(mail.create({})).toMatchObject({
      queue: 'mail',
      priority: 1,
      maxAttempts: 7,
      timeoutMs: 500,
      retryPolicy: defaultRetryPolicy,
    })
    const defaults = {
      queue: 'slow',
      priority: 9,
      maxAttempts: 1,
      timeoutMs: 1,
      retryPolicy: { type: 'fixed', baseMs: 5 },
    } as const
    expect(mail.create({}, defaults)).toMatchObject(defaults)
  })

  test.each<[string, object]>([
    ['kind', { kind: 'Send Invoice' }],
    ['kind', { kind: '' }],
    ['kind', { kind: 'k'.repeat(64) }],
    ['queue', { queue: '_mail' }],
    ['priority', { priority: 10 }],
    ['maxAttempts', { maxAttempts: 0 }],
    ['timeoutMs', { timeoutMs: 0 }],
    ['retryPolicy.capMs', { retryPolicy: { type: 'decorrelated', baseMs: 10, capMs: 9 } }],
    ['', { maxattempts: 5 }],
  ])('is refused for its %s: %j', (path, options) => {
    const error = refusal(() => defineJob({ kind: 'k', payload: z.object({}), ...options }))
    expect(error.code).toBe('invalid_options')
    expect(error.issues[0]?.path.join('.')).toBe(path)
  })
})

describe('the options of a job', () => {
  test('are accepted at both ends of every bound', () => {
    const sets: JobOptions[] = [
      { priority: limits.priorityMin, maxAttempts: limits.maxAttemptsMin, timeoutMs: 1, delayMs: 0 },
      {
        priority: limits.priorityMax,
        maxAttempts: limits.maxAttemptsMax,
        timeoutMs: limits.timeoutMsMax,
        delayMs: limits.delayMsMax,
        idempotencyKey: 'k'.repeat(limits.idempotencyKeyLengthMax),
        tenantId: 't'.repeat(limits.tenantIdLengthMax),
        queue: 'q'.repeat(limits.nameLengthMax),
      },
      { runAt: new Date(0) },
      { runAt: new Date(limits.runAtMsMax) },
    ]
    for (const options of sets) expect(invoice.create({ invoice_id: 'i' }, options)).toMatchObject(options)
  })

  test.each<[string, object]>([
    ['priority', { priority: -1 }],
    ['priority', { priority: 10 }],
    ['priority', { priority: 4.5 }],
    ['maxAttempts', { maxAttempts: 0 }],
    ['maxAttempts', { maxAttempts: 101 }],
    ['timeoutMs', { timeoutMs: 0 }],
    ['timeoutMs', { timeoutMs: limits.timeoutMsMax + 1 }],
    ['delayMs', { delayMs: -1 }],
    ['delayMs', { delayMs: limits.delayMsMax + 1 }],
    ['delayMs', { delayMs: Number.NaN }],
    ['delayMs', { delayMs: 1, runAt: new Date() }],
    ['runAt', { runAt: new Date(Number.NaN) }],
    ['runAt', { runAt: new Date(limits.runAtMsMax + 1) }],
    ['runAt', { runAt: '2030-01-01T00:00:00Z' }],
    ['queue', { queue: 'Mail' }],
    ['queue', { queue: 'a\nb' }],
    ['queue', { queue: '' }],
    ['queue', { queue: 'q'.repeat(64) }],
    ['idempotencyKey', { idempotencyKey: '' }],
    ['idempotencyKey', { idempotencyKey: 'k'.repeat(256) }],
    ['idempotencyKey', { idempotencyKey: 'a\u0000' }],
    ['idempotencyKey', { idempotencyKey: '\uD83D' }],
    ['tenantId', { tenantId: '' }],
    ['tenantId', { tenantId: 't'.repeat(256) }],
    ['tenantId', { tenantId: 'a\u0000' }],
    ['traceContext', { traceContext: '\u0000' }],
    ['retryPolicy.capMs', { retryPolicy: { type: 'decorrelated', baseMs: 10, capMs: 9 } }],
    ['', { dueAt: new Date() }],
    ['', { id: 'mine' }],
  ])('are refused for %s: %j', (path, options) => {
    expect(optionIssue(options)).toBe(path)
  })

  test('are refused together with an invalid payload, each issue with its path', () => {
    const error = refusal(() => invoice.create({ invoice_id: 7 } as never, { priority: 10 }))
    expect(error.code).toBe('invalid_job')
    expect(error.issues.map((issue) => issue.path)).toEqual([['payload', 'invoice_id'], ['priority']])
    expect(error.message).toContain('payload.invoice_id')
  })
})

describe('a payload', () => {
  const nested = (levels: number): unknown => {
    let value: unknown = 1
    for (let level = 0; level < levels; level += 1) value = [value]
    return value
  }

  const circular: unknown[] = []
  circular.push(circular)

  test.each<[string, unknown]>([
    ['U+0000', { a: '\u0000' }],
    ['a lone surrogate', { a: '\uD83D' }],
    ['NaN', { a: Number.NaN }],
    ['a BigInt', { a: 1n }],
    ['an undefined payload', undefined],
    ['a document nested too deep', nested(limits.payloadDepthMax + 1)],
    ['a document that contains itself', circular],
    ['more values than a document may have', Array.from({ length: limits.payloadNodesMax }, () => 0)],
    ['as many in objects', Array.from({ length: limits.payloadNodesMax / 2 }, () => ({ a: 0 }))],
    ['more than 1 MiB', 'x'.repeat(limits.payloadBytesMax - 1)],
    [
      'numbers that the database would write out to more than 1 MiB',
      Array.from({ length: 4_000 }, () => 1e300),
    ],
    ['small numbers of which the same is true', { a: Array.from({ length: 4_000 }, () => -1.5e-300) }],
    ['more than 1 MiB in characters of two bytes', 'é'.repeat(limits.payloadBytesMax / 2)],
  ])('is refused for %s, before anything is written', (_what, payload) => {
    const error = refusal(() => anyJob.create(payload))
    expect(error.code).toBe('invalid_job')
    expect(error.issues[0]?.path[0]).toBe('payload')
  })

  test('of exactly as many values as allowed is accepted', () => {
    const values = Array.from({ length: limits.payloadNodesMax - 1 }, () => 0)
    expect(anyJob.create(values).payload).toHaveLength(limits.payloadNodesMax - 1)
  })

  test('of exactly 1 MiB of text is accepted', () => {
    expect(anyJob.create('x'.repeat(limits.payloadBytesMax - 2)).payloadText).toHaveLength(
      limits.payloadBytesMax,
    )
  })

  test.each(builtInJobs.map((job) => [job.kind, job] as const))(
    'of 100 000 levels is refused by %s and does not exhaust the stack of its schema',
    (_kind, job) => {
      const deep = { url: 'https://example.com', body: nested(100_000), text: nested(100_000) }
      expect(refusal(() => (job.create as (payload: unknown) => unknown)(deep)).code).toBe('invalid_job')
    },
  )

  test('that is JSON but invalid is described by its schema: every issue, not only the first', () => {
    const pair = defineJob({ kind: 'pair', payload: z.strictObject({ a: z.string(), b: z.int() }) })
    const error = refusal(() => pair.create({ a: 1, b: 'x', c: true } as never))
    expect(error.issues.map((issue) => issue.path.join('.')).toSorted()).toEqual([
      'payload.a',
      'payload.b',
      'payload.c',
    ])
  })

  test('in the request is the one that the database will return, not the original object', () => {
    const request = anyJob.create({ at: new Date(0), gone: undefined, zero: -0, list: [1.5, 'ü'] })
    expect(request.payload).toEqual({ at: '1970-01-01T00:00:00.000Z', zero: 0, list: [1.5, 'ü'] })
    expect(Object.keys(request.payload as object)).not.toContain('gone')
    expect(JSON.parse(request.payloadText)).toEqual(request.payload)
  })

  test('is stored as it was given, while the handler gets it as its schema parses it', () => {
    const trimmed = defineJob({
      kind: 'trimmed',
      payload: z.object({ a: z.string().trim(), b: z.int().default(3) }),
    })
    expect(trimmed.create({ a: ' x ' }).payload).toEqual({ a: ' x ' })
    expect(trimmed.payload.parse(trimmed.create({ a: ' x ' }).payload)).toEqual({ a: 'x', b: 3 })
  })

  test('is accepted exactly when its schema will accept it again before the handler runs', () => {
    const strict = defineJob({ kind: 'strict', payload: z.object({ at: z.date().or(z.number()) }) })
    const coerced = defineJob({ kind: 'coerced', payload: z.object({ at: z.coerce.date() }) })
    expect(refusal(() => strict.create({ at: new Date(0) })).issues[0]?.path).toEqual(['payload', 'at'])
    const stored = coerced.create({ at: new Date(0) }).payload
    expect(coerced.payload.parse(stored)).toEqual({ at: new Date(0) })
  })

  test.each([
    ['date', z.date(), 'z.coerce.date()'],
    ['optional date', z.date().optional(), 'z.coerce.date()'],
    ['BigInt', z.bigint(), 'z.string()'],
    ['Map', z.map(z.string(), z.string()), 'z.record'],
    ['Set', z.set(z.string()), 'z.array'],
  ])('whose schema no JSON fits is refused where it is defined, with what to write: %s', (_, part, hint) => {
    const define = () => defineJob({ kind: 'absent', payload: z.object({ list: z.array(part) }) })
    expect(refusal(define).issues).toEqual([
      { path: ['payload', 'list', '*'], message: expect.stringContaining(`write ${hint}`) },
    ])
  })

  test('whose part of an intersection, or with a refinement, no JSON fits is refused once where it is defined', () => {
    const parts = [
      z.intersection(z.object({ a: z.string() }), z.object({ at: z.date() })),
      z.object({ at: z.date().refine(() => true) }),
    ]
    for (const payload of parts) {
      expect(refusal(() => defineJob({ kind: 'absent', payload })).issues).toEqual([
        { path: ['payload', 'at'], message: expect.stringContaining('write z.coerce.date()') },
      ])
    }
  })

  test('that fits an alternative without JSON is refused when it is created, with what to write', () => {
    const payload = z.discriminatedUnion('type', [
      z.object({ type: z.literal('at'), at: z.date() }),
      z.object({ type: z.literal('now') }),
    ])
    const kind = defineJob({ kind: 'alternative', payload })
    kind.create({ type: 'now' })
    expect(refusal(() => kind.create({ type: 'at', at: new Date() })).issues).toEqual([
      { path: ['payload', 'at'], message: expect.stringContaining('write z.coerce.date()') },
    ])
  })

  test('of zod 3 is refused', () => {
    const payload = z3.object({ a: z3.string() }) as never
    expect(() => defineJob({ kind: 'old', payload })).toThrow('payload must be a schema of zod 4')
  })

  test.each([
    ['an alternative that JSON has', z.union([z.date(), z.string()])],
    ['a value that is made of JSON', z.coerce.date()],
    ['a transform of JSON', z.string().transform((text) => new Date(text))],
    ['a schema that checks nothing', z.unknown()],
  ])('can have %s', (_, part) => {
    defineJob({ kind: 'present', payload: z.object({ part }) })
  })
})

test('a request has a fingerprint exactly when it has an idempotency key', () => {
  expect(invoice.create({ invoice_id: 'i' }).fingerprint).toBeNull()
  expect(invoice.create({ invoice_id: 'i' }, { idempotencyKey: 'k' }).fingerprint).toHaveLength(32)
})
