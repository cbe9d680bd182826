import { afterAll, beforeEach, expect, test } from '@jest/globals'
import { seeded } from '@queue/dev-postgres'
import { describeError } from '@queue/loop'
import fc from 'fast-check'
import { InvalidInput } from '../../src/domain/errors.ts'
import type { ClaimedJob } from '../../src/domain/job.ts'
import { findJsonFault } from '../../src/domain/json.ts'
import { payloadDepthMax } from '../../src/domain/limits.ts'
import { finishJobs } from '../../src/transitions/finish-jobs.ts'
import { retryOrDeadLetterJobs } from '../../src/transitions/retry-or-dead-letter-jobs.ts'
import { claim, deadLettersOfJob, newWorker, probe, rowOf, runningJobs } from '../support/builders.ts'
import { testScale } from '../support/scale.ts'
import { openWorld } from '../support/world.ts'

const world = await openWorld()
afterAll(() => world.close())
beforeEach(() => world.reset())

const { database, queue } = world

/** Documents in one round, each in a job of its own. */
const roundSize = 20
const rounds = 5 * testScale

/** U+0000, both halves of a surrogate pair, what JSON escapes, line separators, and any other code unit. */
const unit = fc.oneof(
  fc.constantFrom('\u0000', '\ud83d', '\ude00', '😀', '"', '\\', '\u2028', '\ufffe', '\u007f', 'a'),
  fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)),
)
const text = fc.oneof(
  { weight: 20, arbitrary: fc.string({ unit, maxLength: 30 }) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 1_100_000 }).map((length) => 'x'.repeat(length)) },
)
const number = fc.oneof(
  fc.double(),
  fc.maxSafeInteger(),
  fc.constantFrom(-0, 2 ** 53 + 1, Number.MAX_VALUE, Number.MIN_VALUE, Number.NaN, Number.NEGATIVE_INFINITY),
)
/** Deeper than any payload may be, but every JSON writer can still write it. */
const depthMax = 2 * payloadDepthMax
const depth = fc.integer({ min: 1, max: depthMax })
/** Too deep for any JSON writer. */
const unserializableDepth = 100_000
const leaf = fc.oneof(text, number, fc.boolean(), fc.constant(null))
const document = documentOf(depth)

function documentOf(depths: fc.Arbitrary<number>): fc.Arbitrary<unknown> {
  return fc.oneof(
    leaf,
    fc.array(leaf, { maxLength: 5 }),
    fc.dictionary(text, leaf, { maxKeys: 5 }),
    fc.tuple(depths, leaf).map(([levels, value]) => nested(levels, value)),
  )
}

function nested(levels: number, innermost: unknown): unknown {
  let value = innermost
  for (let level = 0; level < levels; level += 1) value = [value]
  return value
}

/** Runs `play` on rounds of `roundSize` random values, from one seed. */
function assertInRounds<Value>(
  name: string,
  values: fc.Arbitrary<Value>,
  play: (round: readonly Value[]) => Promise<void>,
) {
  const round = fc.array(values, { minLength: roundSize, maxLength: roundSize })
  return fc.assert(fc.asyncProperty(round, play), seeded(name, { numRuns: rounds }))
}

/** The document after a trip through JSON, which has no -0. */
function asJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value))
}

let acceptedCount = 0
let refusedCount = 0

test('any payload is read back as it was enqueued, or is refused and leaves no job', async () => {
  const payloadDocument = documentOf(fc.oneof(depth, fc.constant(unserializableDepth)))
  await assertInRounds('edges of payloads', payloadDocument, async (payloads) => {
    await world.reset()
    const expected = new Map<string, unknown>()
    for (const payload of payloads) {
      const enqueued = await queue.enqueue(probe, payload).catch(ignoreInvalidInput)
      if (enqueued === undefined) refusedCount += 1
      else expected.set(enqueued.job.id, asJson(payload))
    }
    acceptedCount += expected.size
    const claimed = await claim(world, await newWorker(world))
    expect(new Map(claimed.map(({ id, payload }) => [id, payload]))).toEqual(expected)
  })
  expect({ accepted: acceptedCount > 0, refused: refusedCount > 0 }).toEqual({
    accepted: true,
    refused: true,
  })
})

function ignoreInvalidInput(error: unknown): undefined {
  if (!(error instanceof InvalidInput)) throw error
}

test('a job succeeds with any result, or succeeds without it and says so', async () => {
  await assertInRounds('edges of results', document, async (values) => {
    await world.reset()
    const jobs = await runningJobs(world, values.length)
    await finishJobs(
      database,
      values.map((value, n) => ({ ...leaseOf(jobs, n), resultText: JSON.stringify(value), note: null })),
    )
    for (const [n, value] of values.entries()) {
      const row = await rowOf(world, jobs[n]?.id ?? '')
      expect(row.status).toBe('succeeded')
      if (row.last_error === null) expect(JSON.parse(row.result ?? '')).toEqual(asJson(value))
      else expect(findJsonFault(value, { depthMax })).toBeDefined()
    }
  })
})

function leaseOf(jobs: readonly ClaimedJob[], n: number): Pick<ClaimedJob, 'lease'> {
  const job = jobs[n]
  if (job === undefined) throw new Error(`there is no job ${n}`)
  return { lease: job.lease }
}

/** Texts of errors: of anything that a handler may throw, and raw texts that nothing has cleaned. */
const thrown = fc.oneof(
  text.map((message) => describeError(new Error(message))),
  document.map((value) => describeError(value)),
  text,
)

test('a job with any error is retried, or dead-lettered at its last attempt', async () => {
  await assertInRounds('edges of errors', fc.tuple(thrown, fc.boolean()), async (failures) => {
    await world.reset()
    const jobs = await runningJobs(world, failures.length, { maxAttempts: 2 })
    await retryOrDeadLetterJobs(
      database,
      failures.map(([error, permanent], n) => ({ ...leaseOf(jobs, n), error, waitMs: 0, permanent })),
    )
    for (const [n, [, permanent]] of failures.entries()) {
      const id = jobs[n]?.id ?? ''
      const row = await rowOf(world, id)
      expect(row).toMatchObject({ status: permanent ? 'failed_permanent' : 'retrying', attempts: 1 })
      expect(row.last_error).toEqual(expect.any(String))
      expect(await deadLettersOfJob(world, id)).toHaveLength(permanent ? 1 : 0)
    }
  })
})
