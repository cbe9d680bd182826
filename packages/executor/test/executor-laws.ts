import { getEventListeners } from 'node:events'
import { expect, test } from '@jest/globals'
import { limits } from '@queue/core'
import { type ClaimedJob, findJsonFault } from '@queue/core/internal'
import { abortReasons, AttemptAborted, type Executor, isOutcome } from '@queue/executor'
import { buildContext, buildJob } from './attempt-builders.ts'

/** An executor under test, and jobs with known outcomes. */
export interface ExecutorCase {
  readonly executor: Executor
  readonly jobThatSucceeds: () => ClaimedJob
  readonly jobThatFails: () => ClaimedJob
  /** A job that reports progress when it runs, and then ends only when its signal aborts. */
  readonly jobThatWaits: () => ClaimedJob
}

/** The tests that every executor must pass. */
export function testExecutorLaws({
  executor,
  jobThatSucceeds,
  jobThatFails,
  jobThatWaits,
}: ExecutorCase): void {
  test('kinds are unique and cannot be changed from outside', () => {
    expect(executor.kinds.length).toBeGreaterThan(0)
    expect(new Set(executor.kinds).size).toBe(executor.kinds.length)
    expect(() => (executor.kinds as string[]).push('another')).toThrow(TypeError)
  })

  test('work that succeeds is a succeeded outcome whose result PostgreSQL can store', async () => {
    const outcome = await run(jobThatSucceeds())

    expect(outcome.kind).toBe('succeeded')
    const { result } = outcome as { result: unknown }
    expect(findJsonFault(result, { depthMax: limits.payloadDepthMax })).toBeUndefined()
    expect(JSON.parse(JSON.stringify(result))).toStrictEqual(result)
  })

  test('work that fails is a failed outcome, never a rejection', async () => {
    expect(await run(jobThatFails())).toMatchObject({ kind: 'failed', permanent: false, retryAfterMs: null })
  })

  test('an unknown kind fails the attempt, but not the remaining attempts of the job', async () => {
    const outcome = await run({ ...jobThatSucceeds(), kind: 'never_registered' })

    expect(outcome).toMatchObject({ kind: 'failed', permanent: false, error: { code: 'unknown_kind' } })
  })

  test.each(['__proto__', 'constructor', 'toString', ''])('the kind %j is an unknown kind', async (kind) => {
    expect(await run({ ...jobThatSucceeds(), kind })).toMatchObject({ error: { code: 'unknown_kind' } })
  })

  test('every outcome is made by the constructors', async () => {
    for (const job of [jobThatSucceeds(), jobThatFails(), buildJob({ kind: 'never_registered' })]) {
      expect(isOutcome(await run(job))).toBe(true)
    }
  })

  test.each(abortReasons)('running work ends as soon as its signal aborts: %s', async (reason) => {
    const job = jobThatWaits()
    const context = buildContext(job)
    const running = executor.execute(context, job)
    await context.begun
    const aborted = new AttemptAborted(reason)
    context.abort(aborted)

    const expected = reason === 'cancelled' ? { kind: 'cancelled' } : { kind: 'failed', error: aborted }
    expect(await running).toMatchObject(expected)
  })

  test.each(abortReasons)(
    'work whose signal has aborted before the start does not begin: %s',
    async (reason) => {
      const job = jobThatSucceeds()
      const context = buildContext(job)
      context.abort(new AttemptAborted(reason))

      const outcome = await executor.execute(context, job)

      expect(outcome.kind).toBe(reason === 'cancelled' ? 'cancelled' : 'failed')
      expect(context.reports).toStrictEqual([])
    },
  )

  test('no listener remains on the signal after the end', async () => {
    const waiting = jobThatWaits()
    const contexts = [jobThatSucceeds(), jobThatFails(), waiting].map((job) => ({
      job,
      context: buildContext(job),
    }))
    const running = contexts.map(({ job, context }) => executor.execute(context, job))
    await contexts[2]?.context.begun
    contexts[2]?.context.abort(new AttemptAborted('shutdown'))
    await Promise.all(running)

    expect(contexts.flatMap(({ context }) => getEventListeners(context.signal, 'abort'))).toStrictEqual([])
  })

  test('concurrent attempts do not affect each other', async () => {
    const jobs = Array.from({ length: 50 }, (_, index) =>
      index % 2 === 0 ? jobThatSucceeds() : jobThatFails(),
    )

    const outcomes = await Promise.all(jobs.map(run))

    const expected = jobs.map((_, index) => (index % 2 === 0 ? 'succeeded' : 'failed'))
    expect(outcomes.map(({ kind }) => kind)).toStrictEqual(expected)
  })

  function run(job: ClaimedJob) {
    return executor.execute(buildContext(job), job)
  }
}
