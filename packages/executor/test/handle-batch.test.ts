import { describe, expect, test } from '@jest/globals'
import { defineJob, upgradeFrom } from '@queue/core'
import {
  AttemptAborted,
  type BatchFunction,
  type BatchOptions,
  cancelled,
  handleBatch,
  HandlerExecutor,
  PermanentFailure,
  RetryAfter,
  snoozed,
  succeeded,
} from '@queue/executor'
import { z } from 'zod'
import { buildContext, buildJob } from './attempt-builders.ts'
import { testExecutorLaws } from './executor-laws.ts'

const numbered = defineJob({ kind: 'numbered', payload: z.object({ n: z.number() }) })
type Work = BatchFunction<typeof numbered.payload>

const jobOf = (n: unknown) => buildJob({ kind: 'numbered', payload: { n } as never })

/** Runs jobs with these numbers with one handler. Resolves with their outcomes. */
async function runBatch(work: Work, options: BatchOptions, numbers: readonly unknown[]) {
  const handler = handleBatch(numbered, options, work)
  const jobs = numbers.map(jobOf)
  return Promise.all(jobs.map((job) => handler.run(buildContext(job) as never, job)))
}

describe('conformance, with batches of one', () => {
  const singleJobBatch = (kind: string, work: BatchFunction) =>
    handleBatch(defineJob({ kind, payload: z.unknown() }), { size: 1, waitMs: 0 }, work)
  testExecutorLaws({
    executor: new HandlerExecutor([
      singleJobBatch('works', () => [{ done: true }]),
      singleJobBatch('breaks', () => {
        throw new Error('broken')
      }),
      singleJobBatch('waits', async ([job], ctx) => {
        job?.ctx.progress(0)
        const stopped = Promise.withResolvers<never>()
        ctx.signal.addEventListener('abort', () => stopped.reject(ctx.signal.reason), { once: true })
        return stopped.promise
      }),
    ]),
    jobThatSucceeds: () => buildJob({ kind: 'works' }),
    jobThatFails: () => buildJob({ kind: 'breaks' }),
    jobThatWaits: () => buildJob({ kind: 'waits' }),
  })
})

describe('a job of an older version', () => {
  const counted = defineJob({
    kind: 'counted',
    version: 2,
    payload: z.object({ n: z.number() }),
    upgrade: { 1: upgradeFrom(z.object({ text: z.string() }), ({ text }) => ({ n: Number(text) })) },
  })
  const run = (kindVersion: number, payload: object) => {
    const handler = handleBatch(counted, { size: 1, waitMs: 0 }, (jobs) => jobs.map((job) => job.payload.n))
    const job = buildJob({ kind: 'counted', kindVersion, payload: payload as never })
    return handler.run(buildContext(job) as never, job)
  }

  test('reaches a batch upgraded, as it reaches a single handler', async () => {
    expect(await run(1, { text: '4' })).toStrictEqual(succeeded(4))
  })

  test('that the definition does not know waits for a worker that knows it', async () => {
    expect(await run(3, { n: 4 })).toMatchObject({ kind: 'failed', permanent: false })
  })
})

describe('a batch', () => {
  test('is complete at its maximum size; later jobs form the next batch, which starts after its wait', async () => {
    const calls: number[][] = []
    const work: Work = (jobs) => {
      calls.push(jobs.map(({ payload }) => payload.n))
      return jobs.map(({ payload }) => payload.n * 10)
    }
    const outcomes = await runBatch(work, { size: 3, waitMs: 20 }, [1, 2, 3, 4, 5, 6, 7])
    expect(calls).toEqual([[1, 2, 3], [4, 5, 6], [7]])
    expect(outcomes).toMatchObject(
      [10, 20, 30, 40, 50, 60, 70].map((result) => ({ kind: 'succeeded', result })),
    )
  })

  test('gives each job its own outcome, from outcomes, errors and results', async () => {
    const returned = [
      succeeded({ a: 1 }),
      new PermanentFailure('never'),
      new RetryAfter(5),
      snoozed(7),
      cancelled(),
      null,
      10n,
      undefined,
    ]
    const outcomes = await runBatch(() => returned, { size: 9, waitMs: 1 }, [1, 2, 3, 4, 5, 6, 7, 8, 9])
    expect(outcomes).toMatchObject([
      { kind: 'succeeded', result: { a: 1 } },
      { kind: 'failed', permanent: true },
      { kind: 'failed', retryAfterMs: 5 },
      { kind: 'snoozed', ms: 7 },
      { kind: 'cancelled' },
      { kind: 'succeeded', result: null },
      { kind: 'succeeded', result: null, note: expect.stringContaining('JSON') },
      { kind: 'failed', error: { message: expect.stringContaining('no outcome for this job') } },
      { kind: 'failed', error: { message: expect.stringContaining('no outcome for this job') } },
    ])
  })

  test('accepts a map by id; an error fails only the jobs without an outcome', async () => {
    const byId = await runBatch(
      (jobs) => new Map([[jobs[1]?.id ?? '', 'second']]),
      { size: 2, waitMs: 0 },
      [1, 2],
    )
    expect(byId).toMatchObject([{ kind: 'failed' }, { kind: 'succeeded', result: 'second' }])
    const work: Work = async ([first, second], { end }) => {
      if (first === undefined || second === undefined) throw new Error('two are due')
      end(first, 'early')
      end(first, new Error('too late'))
      end(second, snoozed(9))
      throw new PermanentFailure('the rest')
    }
    expect(await runBatch(work, { size: 3, waitMs: 0 }, [1, 2, 3])).toMatchObject([
      { kind: 'succeeded', result: 'early' },
      { kind: 'snoozed', ms: 9 },
      { kind: 'failed', permanent: true },
    ])
  })

  test.each<[string, Work, string]>([
    ['more outcomes than jobs', () => [1, 2, 3], '3 outcomes for 2 jobs'],
    ['what is neither array nor map', () => 'all' as never, 'array or a map'],
    ['the end of a foreign job', (_jobs, { end }) => end({ id: 'foreign' }, null), 'not in this batch'],
  ])('fails every job on %s', async (_what, work, message) => {
    for (const outcome of await runBatch(work, { size: 2, waitMs: 0 }, [1, 2])) {
      expect(outcome).toMatchObject({ kind: 'failed', error: { message: expect.stringContaining(message) } })
    }
  })

  test('does not contain jobs with invalid payloads or jobs that were aborted before the start', async () => {
    const sizes: number[] = []
    const handler = handleBatch(numbered, { size: 3, waitMs: 30 }, (jobs) => {
      for (const { payload } of jobs) sizes.push(payload.n)
      return jobs.map(() => null)
    })
    const jobs = [jobOf(1), jobOf('wrong'), jobOf(3)]
    const contexts = jobs.map(buildContext)
    const running = jobs.map((job, index) => handler.run(contexts[index] as never, job))
    contexts[2]?.abort(new AttemptAborted('cancelled'))
    expect(await Promise.all(running)).toMatchObject([
      { kind: 'succeeded' },
      { kind: 'failed', permanent: true },
      { kind: 'cancelled' },
    ])
    expect(sizes).toEqual([1])
  })

  test('signals the abort of a job to it, and to the call when no job is left', async () => {
    const begun = Promise.withResolvers<void>()
    const goOn = Promise.withResolvers<void>()
    const events: unknown[] = []
    const handler = handleBatch(numbered, { size: 2, waitMs: 60_000 }, async (batch, ctx) => {
      begun.resolve()
      await goOn.promise
      events.push(
        batch.map((job) => job.ctx.aborted),
        ctx.signal.aborted,
      )
      ctx.end(batch[1] ?? { id: '' }, 'done')
      events.push(ctx.signal.aborted)
      return []
    })
    const jobs = [jobOf(1), jobOf(2)]
    const contexts = jobs.map(buildContext)
    const running = jobs.map((job, index) => handler.run(contexts[index] as never, job))
    await begun.promise
    contexts[0]?.abort(new Error('lost'))
    goOn.resolve()
    expect(await Promise.all(running)).toMatchObject([
      { kind: 'failed' },
      { kind: 'succeeded', result: 'done' },
    ])
    expect(events).toEqual([[true, false], false, true])
  })

  test.each([
    { size: 0, waitMs: 0 },
    { size: 1_001, waitMs: 0 },
    { size: 1, waitMs: -1 },
    { size: 1, waitMs: 60_001 },
    { size: 1.5, waitMs: 0 },
  ])('is refused outside of its limits: %j', (options) => {
    expect(() => handleBatch(numbered, options, () => [])).toThrow(/whole number/)
  })
})
