import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from '@jest/globals'
import { defineJob, sendEmail } from '@queue/core'
import type { ClaimedJob } from '@queue/core/internal'
import { type ExecutionContext, HandlerExecutor, handle } from '@queue/executor'
import { z } from 'zod'
import { buildContext, buildJob } from './attempt-builders.ts'
import { testExecutorLaws } from './executor-laws.ts'

const hourMs = 3_600_000
const resize = defineJob({
  kind: 'resize',
  payload: z.strictObject({
    width: z.int(),
    format: z.enum(['png', 'webp']).default('webp'),
    at: z.string().optional(),
  }),
})

describe('conformance', () => {
  testExecutorLaws({
    executor: new HandlerExecutor([
      handle(defineAny('works'), () => ({ done: true, at: new Date(0) })),
      handle(defineAny('breaks'), () => {
        throw new Error('broken')
      }),
      handle(defineAny('waits'), async (_job, ctx) => {
        ctx.progress(0)
        await sleep(hourMs, undefined, { signal: ctx.signal })
      }),
    ]),
    jobThatSucceeds: () => buildJob({ kind: 'works' }),
    jobThatFails: () => buildJob({ kind: 'breaks' }),
    jobThatWaits: () => buildJob({ kind: 'waits' }),
  })
})

describe('the registry', () => {
  test('the kinds are those of the handlers, in their order', () => {
    const executor = new HandlerExecutor([handle(resize, () => null), handle(sendEmail, () => null)])

    expect(executor.kinds).toStrictEqual(['resize', 'send_email'])
  })

  test('a kind with two handlers is an error that names it', () => {
    const twice = () => new HandlerExecutor([handle(resize, () => 1), handle(resize, () => 2)])

    expect(twice).toThrow(
      expect.objectContaining({
        code: 'invalid_options',
        message: expect.stringContaining("'resize' already has a handler"),
        issues: [expect.objectContaining({ path: ['handlers', 1] })],
      }),
    )
  })

  test('the timeout and retry policy of a kind are available, those of an unknown kind are not', () => {
    const slow = defineJob({
      kind: 'slow',
      payload: z.unknown(),
      timeoutMs: 5_000,
      retryPolicy: { type: 'fixed', baseMs: 10 },
    })
    const executor = new HandlerExecutor([handle(slow, () => null), handle(resize, () => null)])

    expect(executor.definition('slow')).toMatchObject({
      timeoutMs: 5_000,
      retryPolicy: { type: 'fixed', baseMs: 10 },
    })
    expect(executor.definition('resize')).toMatchObject({ timeoutMs: null, retryPolicy: null })
    expect(executor.definition('never_registered')).toBeUndefined()
  })
})

describe('the payload', () => {
  test('the handler gets the parsed payload with defaults, and the other members of the job', async () => {
    const job = buildJob({ kind: 'resize', payload: { width: 3 }, attempt: 2, queue: 'images' })
    const outcome = await runHandler(job, (seen) => ({
      payload: seen.payload,
      twice: seen.payload.width * 2,
      format: seen.payload.format.toUpperCase(),
      queue: seen.queue,
      attempt: seen.attempt,
    }))

    expect(outcome).toMatchObject({
      result: {
        payload: { width: 3, format: 'webp' },
        twice: 6,
        format: 'WEBP',
        queue: 'images',
        attempt: 2,
      },
    })
  })

  test('an invalid payload is a permanent failure with every issue, and the handler does not run', async () => {
    let ran = false
    const outcome = await runHandler(
      buildJob({ kind: 'resize', payload: { width: 'wide', format: 'bmp' } }),
      () => {
        ran = true
      },
    )

    expect(outcome).toMatchObject({
      kind: 'failed',
      permanent: true,
      error: { issues: [{ path: ['payload', 'width'] }, { path: ['payload', 'format'] }] },
    })
    expect(ran).toBe(false)
  })

  test('a schema that throws fails the attempt like a handler that throws', async () => {
    const fault = new TypeError('a bug in a transform')
    const broken = defineJob({
      kind: 'broken',
      payload: z.unknown().transform(() => {
        throw fault
      }),
    })
    const outcome = await new HandlerExecutor([handle(broken, () => null)]).execute(
      ...attemptOf(buildJob({ kind: 'broken' })),
    )

    expect(outcome).toMatchObject({ kind: 'failed', permanent: false, error: fault })
  })

  test('a payload of the wrong type does not compile', () => {
    handle(resize, (job) => {
      const width: number = job.payload.width
      // @ts-expect-error -- the payload has no height
      const height: unknown = job.payload.height
      return { width, height }
    })
    // @ts-expect-error -- a context of another transaction type
    handle(resize, (job, ctx: ExecutionContext<Date>) => ctx.transaction((tx: number) => Promise.resolve(tx)))
  })
})

function attemptOf(job: ClaimedJob): [ExecutionContext, ClaimedJob] {
  return [buildContext(job), job]
}

function runHandler(job: ClaimedJob, work: Parameters<typeof handle<(typeof resize)['payload']>>[1]) {
  return new HandlerExecutor([handle(resize, work)]).execute(...attemptOf(job))
}

function defineAny(kind: string) {
  return defineJob({ kind, payload: z.unknown() })
}
