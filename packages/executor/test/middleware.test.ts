import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from '@jest/globals'
import { defineJob } from '@queue/core'
import {
  AttemptAborted,
  handle,
  HandlerExecutor,
  type HandlerFunction,
  type Middleware,
  PermanentFailure,
  RetryAfter,
  Snooze,
  snoozed,
  withMiddleware,
} from '@queue/executor'
import { z } from 'zod'
import { buildContext, buildJob } from './attempt-builders.ts'
import { testExecutorLaws } from './executor-laws.ts'

const any = z.unknown()
const kind = (name: string) => defineJob({ kind: name, payload: any })

function executorOf(work: HandlerFunction, ...middleware: Middleware[]) {
  return withMiddleware(new HandlerExecutor([handle(kind('any'), work)]), middleware)
}

const run = (work: HandlerFunction, ...middleware: Middleware[]) =>
  executorOf(work, ...middleware).execute(contextOf(), job)

const job = buildJob({ kind: 'any' })
const contextOf = () => buildContext(job)
const passing: Middleware = (_job, _ctx, next) => next()

describe('conformance, with a middleware that passes everything on', () => {
  testExecutorLaws({
    executor: withMiddleware(
      new HandlerExecutor([
        handle(kind('works'), () => ({ done: true })),
        handle(kind('breaks'), () => {
          throw new Error('broken')
        }),
        handle(kind('waits'), async (_job, ctx) => {
          ctx.progress(0)
          await sleep(3_600_000, undefined, { signal: ctx.signal })
        }),
      ]),
      [passing],
    ),
    jobThatSucceeds: () => buildJob({ kind: 'works' }),
    jobThatFails: () => buildJob({ kind: 'breaks' }),
    jobThatWaits: () => buildJob({ kind: 'waits' }),
  })
})

describe('middleware', () => {
  test('runs around the handler, the first outermost, with the job and its context', async () => {
    const events: unknown[] = []
    const layer =
      (name: string): Middleware =>
      async (middlewareJob, ctx, next) => {
        events.push(`${name} before ${middlewareJob.kind} ${ctx.attempt}`)
        const outcome = await next()
        events.push(`${name} after ${outcome.kind}`)
        return outcome
      }
    const outcome = await run(() => events.push('handler'), layer('a'), layer('b'))
    expect(outcome).toMatchObject({ kind: 'succeeded', result: 3 })
    expect(events).toEqual([
      'a before any 1',
      'b before any 1',
      'handler',
      'b after succeeded',
      'a after succeeded',
    ])
  })

  test('without middleware the executor itself is returned', () => {
    const executor = new HandlerExecutor([])
    expect(withMiddleware(executor, [])).toBe(executor)
  })

  test.each([
    [new PermanentFailure('never'), { kind: 'failed', permanent: true }],
    [new RetryAfter(5_000), { kind: 'failed', permanent: false, retryAfterMs: 5_000 }],
    [new Snooze(7_000), { kind: 'snoozed', ms: 7_000 }],
    [new Error('broken'), { kind: 'failed', permanent: false, retryAfterMs: null }],
  ])('an error has the same meaning in the handler and in a middleware: %s', async (error, expected) => {
    const throws = (): never => {
      throw error
    }
    expect(await run(throws, passing)).toMatchObject(expected)
    expect(await run(() => null, throws)).toMatchObject(expected)
    const seenOutcomes: string[] = []
    const watching: Middleware = async (_job, _ctx, next) => {
      const outcome = await next()
      seenOutcomes.push(outcome.kind)
      return outcome
    }
    await run(throws, watching)
    expect(seenOutcomes).toEqual([expected.kind])
  })

  test('can end the attempt without the handler, and can change the result of the handler', async () => {
    const never = (): never => {
      throw new Error('the handler has run')
    }
    expect(await run(never, () => snoozed(1_000))).toMatchObject({ kind: 'snoozed', ms: 1_000 })
    const hurried: Middleware = async (_job, _ctx, next) => {
      const outcome = await next()
      return outcome.kind === 'failed' ? snoozed(1) : outcome
    }
    expect(await run(never, hurried)).toMatchObject({ kind: 'snoozed', ms: 1 })
  })

  test('can replace the signal and the logger for the rest of the attempt, and nothing else', async () => {
    const ownController = new AbortController()
    const lines: string[] = []
    const logger = { ...contextOf().logger, info: (line: string) => void lines.push(`mine: ${line}`) }
    const wrapping: Middleware = (_job, ctx, next) =>
      next({ signal: AbortSignal.any([ctx.signal, ownController.signal]), logger })
    const work: HandlerFunction = async (_job, ctx) => {
      ctx.logger.info('working')
      expect([ctx.aborted, ctx.attempt, ctx.leaseToken]).toEqual([false, 1, contextOf().leaseToken])
      ownController.abort(new AttemptAborted('cancelled'))
      expect(ctx.aborted).toBe(true)
      ctx.signal.throwIfAborted()
    }
    expect(await run(work, wrapping)).toMatchObject({ kind: 'cancelled' })
    expect(lines).toEqual(['mine: working'])
  })

  test('that returns nothing, or calls next twice, fails the attempt with the reason', async () => {
    const forgetful = (async (...[, , next]: Parameters<Middleware>) =>
      void (await next())) as unknown as Middleware
    const outcome = await run(() => null, forgetful)
    expect(outcome).toMatchObject({ kind: 'failed', error: { message: expect.stringContaining('next()') } })
    let calls = 0
    const twice: Middleware = async (_job, _ctx, next) => {
      await next()
      return next()
    }
    expect(await run(() => (calls += 1), twice)).toMatchObject({
      kind: 'failed',
      error: { message: expect.stringContaining('twice') },
    })
    expect(calls).toBe(1)
  })
})
