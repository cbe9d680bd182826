import { describe, expect, test } from '@jest/globals'
import { defineJob, QueueError } from '@queue/core'
import {
  AttemptAborted,
  cancelled,
  failed,
  HandlerExecutor,
  handle,
  PermanentFailure,
  RetryAfter,
  Snooze,
  snoozed,
  succeeded,
} from '@queue/executor'
import { z } from 'zod'
import { buildContext, buildJob, type TestContext } from './attempt-builders.ts'

describe('what a handler returns', () => {
  test.each<[string, unknown, unknown]>([
    ['nothing', undefined, null],
    ['null', null, null],
    ['false', false, false],
    ['zero', 0, 0],
    ['a text', 'done', 'done'],
    ['a date', new Date(0), '1970-01-01T00:00:00.000Z'],
    ['a member that is undefined', { a: 1, b: undefined }, { a: 1 }],
    ['a look-alike of an outcome', { kind: 'failed', error: 'no' }, { kind: 'failed', error: 'no' }],
    ['a member named __proto__', JSON.parse('{"__proto__":{"a":1}}'), JSON.parse('{"__proto__":{"a":1}}')],
  ])('%s is the result', async (_, returned, result) => {
    expect(await returning(returned)).toStrictEqual(succeeded(result))
    expect(await returning(Promise.resolve(returned))).toStrictEqual(succeeded(result))
  })

  test('an outcome is the outcome', async () => {
    const error = new Error('no')
    for (const outcome of [succeeded(1), failed(error, { permanent: true }), cancelled(), snoozed(5)]) {
      expect(await returning(outcome)).toBe(outcome)
    }
  })

  test('later changes of a result have no effect', async () => {
    const shared = { count: 1 }
    const outcome = await returning(shared)
    shared.count = 2

    expect(outcome).toMatchObject({ result: { count: 1 } })
  })

  const circular: Record<string, unknown> = {}
  circular['self'] = circular
  test.each<[string, unknown, RegExp]>([
    ['a BigInt', 1n, /cannot be written as JSON/],
    ['a BigInt inside', { items: [1n] }, /cannot be written as JSON/],
    ['a cycle', circular, /cannot be written as JSON/],
    ['a function', () => 1, /^the job succeeded; its result .*function/],
    ['a function inside', { items: [() => 1] }, /^the job succeeded; its result at items\.0 .*function/],
    ['a symbol', Symbol('s'), /^the job succeeded; its result .*symbol/],
    ['NaN', { n: Number.NaN }, /^the job succeeded; its result at n .*number/],
    ['a Map', { m: new Map() }, /^the job succeeded; its result at m .*JSON/],
    ['U+0000', ['a\u0000b'], /^the job succeeded; its result at 0 .*U\+0000/],
    ['a lone surrogate', { s: '\ud800' }, /^the job succeeded; its result at s .*surrogate/],
    ['65 levels', nested(65), /^the job succeeded; its result at 0\.0.* deeper than 64/],
    ['100 000 levels', nested(100_000), /^the job succeeded; its result /],
    [
      'a toJSON that throws',
      {
        toJSON: () => {
          throw new Error('no')
        },
      },
      /cannot be written as JSON/,
    ],
  ])('%s is not kept, and a note says why: the work is done', async (_, returned, note) => {
    const outcome = await returning(returned)

    expect(outcome).toMatchObject({ kind: 'succeeded', result: null, note: expect.stringMatching(note) })
  })

  test('such a value inside an outcome is not kept either', async () => {
    expect(await runWork(() => succeeded(1n))).toMatchObject({
      kind: 'succeeded',
      result: null,
      note: 'the job succeeded; its result cannot be written as JSON, and was not kept',
    })
  })
})

describe('what a handler throws', () => {
  test.each<[string, unknown]>([
    ['an error', new Error('no')],
    ['a text', 'no'],
    ['null', null],
    ['undefined', undefined],
    ['a frozen object', Object.freeze({ no: true })],
  ])('%s fails the attempt with it', async (_, thrown) => {
    const expected = failed(thrown)
    expect(await throwing(thrown)).toStrictEqual(expected)
    expect(await runWork(() => Promise.reject(thrown as Error))).toStrictEqual(expected)
  })

  test('a thrown value whose members throw fails the attempt', async () => {
    expect(await throwing(hostileProxy())).toMatchObject({ kind: 'failed', permanent: false })
  })

  test('PermanentFailure ends the job and keeps its cause', async () => {
    const error = new PermanentFailure('no such account', { cause: new Error('404') })

    expect(await throwing(error)).toStrictEqual(failed(error, { permanent: true }))
  })

  test('RetryAfter sets the wait', async () => {
    const error = new RetryAfter(1_234)

    expect(await throwing(error)).toStrictEqual(failed(error, { retryAfterMs: 1_234 }))
  })

  test('Snooze postpones the job', async () => {
    expect(await throwing(new Snooze(60_000))).toStrictEqual(snoozed(60_000))
  })

  test.each([Number.NaN, -1, Number.POSITIVE_INFINITY, 1e15])(
    'a wait of %p ms is refused with an error that names the function',
    async (ms) => {
      const cause = new Error('429')
      expect(await runWork(() => failed(cause, { retryAfterMs: ms }))).toMatchObject({
        kind: 'failed',
        retryAfterMs: null,
        error: { code: 'invalid_options', cause },
      })
      for (const construct of [() => new Snooze(ms), () => new RetryAfter(ms), () => snoozed(ms)]) {
        expect(construct).toThrow(QueueError)
      }
    },
  )

  test('fractions of a millisecond are rounded up', () => {
    expect(snoozed(0.5)).toMatchObject({ ms: 1 })
    expect(new RetryAfter(1.2).ms).toBe(2)
  })
})

describe('a cancel', () => {
  test.each<[string, (signal: AbortSignal) => unknown]>([
    ["the signal's own reason", (signal) => signal.reason],
    [
      "Node's AbortError",
      (signal) => new DOMException('aborted', { name: 'AbortError', cause: signal.reason }),
    ],
    ["the reason wrapped by a library's error", (signal) => new Error('no', { cause: signal.reason })],
  ])('%s, thrown after it, is a cancelled outcome', async (_, errorFor) => {
    const aborted = new AttemptAborted('cancelled')
    const outcome = await runWork((ctx) => {
      ctx.abort(aborted)
      throw errorFor(ctx.signal)
    })

    expect(outcome).toStrictEqual(cancelled())
  })

  test('an error of its own, thrown after it, stays a failure', async () => {
    const error = new Error('the disk is full')
    const outcome = await runWork((ctx) => {
      ctx.abort(new AttemptAborted('cancelled'))
      throw error
    })

    expect(outcome).toStrictEqual(failed(error))
  })

  test('an AbortError without it stays a failure', async () => {
    const error = new DOMException('of a signal of its own', 'AbortError')

    expect(await throwing(error)).toStrictEqual(failed(error))
  })

  test('a circular chain of causes is followed to an end', async () => {
    const error = new Error('round')
    error.cause = error
    const outcome = await runWork((ctx) => {
      ctx.abort(new AttemptAborted('cancelled'))
      throw error
    })

    expect(outcome).toStrictEqual(failed(error))
  })

  test('a handler that finishes anyway keeps its result', async () => {
    const outcome = await runWork((ctx) => {
      ctx.abort(new AttemptAborted('cancelled'))
      return 'done all the same'
    })

    expect(outcome).toStrictEqual(succeeded('done all the same'))
  })
})

function runWork(work: (ctx: TestContext) => unknown) {
  const job = buildJob({ kind: 'any' })
  const context = buildContext(job)
  const definition = defineJob({ kind: 'any', payload: z.unknown() })
  return new HandlerExecutor([handle(definition, () => work(context))]).execute(context, job)
}

function returning(value: unknown) {
  return runWork(() => value)
}

function throwing(value: unknown) {
  return runWork(() => {
    throw value
  })
}

function nested(levels: number): unknown {
  let value: unknown = 1
  for (let level = 0; level < levels; level += 1) value = [value]
  return value
}

function hostileProxy(): object {
  const refuse = (): never => {
    throw new Error('hostile')
  }
  return new Proxy({}, { get: refuse, has: refuse, getPrototypeOf: refuse, ownKeys: refuse })
}
