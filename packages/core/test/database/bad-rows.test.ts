import { afterAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { ClaimedJob } from '../../src/domain/job.ts'
import { snoozeMsMax } from '../../src/domain/limits.ts'
import { finishJobs } from '../../src/transitions/finish-jobs.ts'
import { retryOrDeadLetterJobs } from '../../src/transitions/retry-or-dead-letter-jobs.ts'
import { snoozeJobs } from '../../src/transitions/snooze-jobs.ts'
import { deadLettersOfJob, historyOf, rowOf, runningJobs } from '../support/builders.ts'
import { openWorld } from '../support/world.ts'

const world = await openWorld()
afterAll(() => world.close())
beforeEach(() => world.reset())

const { database } = world

async function threeRunningJobs(maxAttempts = 3): Promise<[ClaimedJob, ClaimedJob, ClaimedJob]> {
  return (await runningJobs(world, 3, { maxAttempts })) as [ClaimedJob, ClaimedJob, ClaimedJob]
}

describe('a result that PostgreSQL refuses', () => {
  test.each<[string, string]>([
    ['no JSON at all', 'undefined'],
    ['U+0000 as bytes', '"a\u0000b"'],
    ['U+0000 as an escape', '"a\\u0000b"'],
    ['a lone surrogate as an escape', '"\\ud83d"'],
    ['a number beyond numeric', '1e131073'],
    ['a nesting that exhausts the parser', '['.repeat(100_000) + ']'.repeat(100_000)],
  ])('%s: its job succeeds without it and says so, and its neighbours keep theirs', async (_what, bad) => {
    const [first, second, third] = await threeRunningJobs()
    const completions = await finishJobs(database, [
      { lease: first.lease, resultText: '1', note: null },
      { lease: second.lease, resultText: bad, note: null },
      { lease: third.lease, resultText: '3', note: null },
    ])
    expect(completions).toMatchObject(
      [first, second, third].map(({ lease }) => ({ lease, status: 'succeeded' })),
    )
    expect(await rowOf(world, first.id)).toMatchObject({ status: 'succeeded', result: '1', last_error: null })
    expect(await rowOf(world, third.id)).toMatchObject({ status: 'succeeded', result: '3', last_error: null })
    expect(await rowOf(world, second.id)).toMatchObject({
      status: 'succeeded',
      result: null,
      last_error: expect.stringMatching(/result could not be stored \(SQLSTATE [0-9A-Z]{5}\)/),
    })
    expect(await historyOf(world, second.id)).toMatchObject([{ outcome: 'succeeded' }])
  })
})

describe('an error that PostgreSQL refuses', () => {
  test.each([
    ['reaches the retry', 3, 'retrying', 0],
    ['reaches the dead letter', 1, 'failed_permanent', 1],
  ])(
    '%s in harmless words, and its neighbours keep theirs',
    async (...[, maxAttempts, status, deadLetters]) => {
      const [first, second, third] = await threeRunningJobs(maxAttempts)
      const failure = (job: ClaimedJob, error: string) => ({
        lease: job.lease,
        error,
        waitMs: 0,
        permanent: false,
      })
      const completions = await retryOrDeadLetterJobs(database, [
        failure(first, 'one'),
        failure(second, 'a\u0000b'),
        failure(third, 'three'),
      ])
      expect(completions).toMatchObject([{ status }, { status }, { status }])
      expect(await rowOf(world, first.id)).toMatchObject({ last_error: 'one' })
      expect(await rowOf(world, third.id)).toMatchObject({ last_error: 'three' })
      const harmlessError = expect.stringMatching(/could not be stored \(SQLSTATE 22021\)/)
      expect(await rowOf(world, second.id)).toMatchObject({ status, last_error: harmlessError })
      expect(await historyOf(world, second.id)).toMatchObject([{ outcome: 'failed', error: harmlessError }])
      expect(await deadLettersOfJob(world, second.id)).toHaveLength(deadLetters)
    },
  )
})

describe('a wait that is not a valid time', () => {
  const invalidWaits: [string, number, number][] = [
    ['NaN', Number.NaN, 0],
    ['negative', -60_000, 0],
    ['minus infinity', Number.NEGATIVE_INFINITY, 0],
    ['infinity', Number.POSITIVE_INFINITY, snoozeMsMax],
    ['beyond a timestamp', 1e300, snoozeMsMax],
  ]

  test.each(invalidWaits)(
    '%s: counts as the nearest valid one, and does not affect other jobs',
    async (_what, waitMs, kept) => {
      const [first, second, third] = await threeRunningJobs()
      const wait = (job: ClaimedJob, ms: number) => ({ lease: job.lease, waitMs: ms })
      const failed = { lease: third.lease, error: 'boom', waitMs, permanent: false }
      expect(await snoozeJobs(database, [wait(first, 1_000), wait(second, waitMs)])).toMatchObject([
        { status: 'retrying' },
        { status: 'retrying' },
      ])
      expect(await retryOrDeadLetterJobs(database, [failed])).toMatchObject([{ status: 'retrying' }])
      for (const job of [second, third]) {
        const { run_in_ms: waited } = await rowOf(world, job.id)
        expect(Math.abs(waited - kept)).toBeLessThan(10_000)
      }
    },
  )
})

test('a group in which every row is refused completes every row', async () => {
  const jobs = await runningJobs(world, 5)
  const completions = await finishJobs(
    database,
    jobs.map(({ lease }) => ({ lease, resultText: 'not json', note: null })),
  )
  expect(completions.map((one) => one.status)).toEqual(jobs.map(() => 'succeeded'))
})

test('an unreachable database is not taken for a bad row: nothing is written, and the error says so', async () => {
  const [job] = await threeRunningJobs()
  const unreachable = {
    ...database,
    run: () => Promise.reject(Object.assign(new Error('terminating'), { code: '57P01', severity: 'FATAL' })),
  }
  const writing = finishJobs(unreachable, [{ lease: job.lease, resultText: '1', note: null }])
  await expect(writing).rejects.toMatchObject({ code: '57P01' })
  expect(await rowOf(world, job.id)).toMatchObject({ status: 'running' })
})
