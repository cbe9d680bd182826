import { createHash, randomUUID } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { builtInJobs } from '@queue/core'
import type { ClaimedJob } from '@queue/core/internal'
import { AttemptAborted, SimulatedExecutor, simulatedOutcome, type SimulationOptions } from '@queue/executor'
import fc from 'fast-check'
import { buildContext, buildJob } from './attempt-builders.ts'
import { testExecutorLaws } from './executor-laws.ts'

const kinds = builtInJobs.map(({ kind }) => kind)
/** Work without waits, because only its outcome is tested. */
const atOnce: SimulationOptions = {
  steps: Object.fromEntries(kinds.map((kind) => [kind, oneStep(0)])),
  failureRates: Object.fromEntries(kinds.map((kind) => [kind, 0.5])),
}
const hourMs = 3_600_000

describe('conformance', () => {
  const options: SimulationOptions = { ...atOnce, steps: { ...atOnce.steps, resize_image: oneStep(hourMs) } }

  testExecutorLaws({
    executor: new SimulatedExecutor(options),
    jobThatSucceeds: () => jobThatEnds('succeeded', options),
    jobThatFails: () => jobThatEnds('failed', options),
    jobThatWaits: () => buildJob({ kind: 'resize_image' }),
  })
})

describe('simulatedOutcome', () => {
  const attempts = fc.record({
    id: fc.uuid(),
    attempt: fc.integer({ min: 1, max: 100 }),
    kind: fc.constantFrom(...kinds),
  })

  test('the executor ends each attempt with the computed outcome', async () => {
    const executor = new SimulatedExecutor(atOnce)
    await fc.assert(
      fc.asyncProperty(attempts, async ({ id, attempt, kind }) => {
        const job = buildJob({ id, attempt, kind })
        const first = await executor.execute(buildContext(job), job)
        const repeated = await new SimulatedExecutor(atOnce).execute(buildContext(job), job)
        expect(first.kind).toBe(simulatedOutcome(id, attempt, kind, atOnce))
        expect(resultOf(repeated)).toStrictEqual(resultOf(first))
      }),
    )
  })

  test('only attempt 1 can fail', () => {
    const certain: SimulationOptions = { failureRates: Object.fromEntries(kinds.map((kind) => [kind, 1])) }
    fc.assert(
      fc.property(attempts, ({ id, attempt, kind }) => {
        expect(simulatedOutcome(id, attempt, kind, certain)).toBe(attempt === 1 ? 'failed' : 'succeeded')
      }),
    )
  })

  test('a rate of 0 never fails', () => {
    const neverFailing: SimulationOptions = {
      failureRates: Object.fromEntries(kinds.map((kind) => [kind, 0])),
    }
    fc.assert(
      fc.property(attempts, ({ id, kind }) =>
        expect(simulatedOutcome(id, 1, kind, neverFailing)).toBe('succeeded'),
      ),
    )
  })

  test('the speed changes the duration of the work, but not its outcome', () => {
    const speeds = fc.double({ min: 0.001, max: 1_000_000, noNaN: true })
    fc.assert(
      fc.property(attempts, speeds, ({ id, attempt, kind }, speed) => {
        expect(simulatedOutcome(id, attempt, kind, { speed })).toBe(simulatedOutcome(id, attempt, kind))
      }),
    )
  })

  test('attempts fail at the configured rate', () => {
    const ids = Array.from({ length: 5_000 }, (_, index) => `job-${index}`)
    for (const rate of [0.05, 0.3, 0.9]) {
      const options = { failureRates: { send_email: rate } }
      const failures = ids.filter((id) => simulatedOutcome(id, 1, 'send_email', options) === 'failed').length
      expect(Math.abs(failures / ids.length - rate)).toBeLessThan(0.02)
    }
  })

  test('the random number is that of the documented formula', () => {
    const id = '0197b2d4-0000-7000-8000-000000000001'
    const digest = createHash('sha256').update(`${id}\n1\nfails`).digest()
    const drawn = digest.readUIntBE(0, 6) / 2 ** 48
    const options = (rate: number) => ({ failureRates: { send_email: rate } })

    expect(simulatedOutcome(id, 1, 'send_email', options(drawn))).toBe('succeeded')
    expect(simulatedOutcome(id, 1, 'send_email', options(drawn + 2 ** -48))).toBe('failed')
  })

  test('every built-in kind sometimes fails by default, and mostly succeeds', () => {
    const ids = Array.from({ length: 1_000 }, () => randomUUID())
    for (const kind of kinds) {
      const failures = ids.filter((id) => simulatedOutcome(id, 1, kind) === 'failed').length
      expect(failures).toBeGreaterThan(0)
      expect(failures).toBeLessThan(500)
    }
  })

  test('a kind outside the catalogue has no outcome', () => {
    expect(() => simulatedOutcome('id', 1, 'mine')).toThrow(expect.objectContaining({ code: 'unknown_kind' }))
  })
})

describe('SimulatedExecutor', () => {
  test('it runs exactly the built-in kinds', () => {
    expect(new SimulatedExecutor().kinds).toStrictEqual(kinds)
  })

  test.each(kinds)('the result of %s is small', async (kind) => {
    const options = { ...atOnce, failureRates: { [kind]: 0 } }
    const job = buildJob({ kind })
    const outcome = await new SimulatedExecutor(options).execute(buildContext(job), job)

    expect(JSON.stringify(resultOf(outcome)).length).toBeLessThan(200)
  })

  test('each step is reported when it begins, and 100 % at the end', async () => {
    const job = buildJob({ kind: 'resize_image', attempt: 2 })
    const context = buildContext(job)
    await new SimulatedExecutor({ speed: 1_000_000 }).execute(context, job)

    expect(context.reports).toStrictEqual([
      { percent: 0, message: 'download' },
      { percent: 25, message: 'decode' },
      { percent: 50, message: 'resize' },
      { percent: 75, message: 'upload' },
      { percent: 100, message: undefined },
    ])
  })

  test('a failing attempt ends at the failed step, and its error names it', async () => {
    const options = { speed: 1_000_000, failureRates: { resize_image: 1 } }
    const stepsSeen = new Set<string | undefined>()
    for (let index = 0; index < 100; index += 1) {
      const job = buildJob({ id: `job-${index}`, kind: 'resize_image' })
      const context = buildContext(job)
      const outcome = await new SimulatedExecutor(options).execute(context, job)
      const lastStep = context.reports.at(-1)?.message
      expect(outcome).toMatchObject({
        error: { name: 'SimulatedFailure', message: expect.stringMatching(`^${lastStep}:`) },
      })
      stepsSeen.add(lastStep)
    }
    expect(stepsSeen).toStrictEqual(new Set(['download', 'decode', 'resize', 'upload']))
  })

  test('a cancel between two steps ends the work before the second', async () => {
    const job = buildJob({ kind: 'send_email', attempt: 2 })
    const context = buildContext(job)
    const steps = { send_email: [...oneStep(0), { name: 'endless', minMs: hourMs, maxMs: hourMs }] }
    const running = new SimulatedExecutor({ steps }).execute(
      {
        ...context,
        progress(percent, message) {
          context.progress(percent, message)
          if (message === 'only') context.abort(new AttemptAborted('cancelled'))
        },
      },
      job,
    )

    expect(await running).toMatchObject({ kind: 'cancelled' })
    expect(context.reports.map(({ message }) => message)).toStrictEqual(['only'])
  })

  test.each<[string, unknown, (string | number)[]]>([
    ['a speed of 0', { speed: 0 }, ['speed']],
    ['a negative speed', { speed: -1 }, ['speed']],
    ['a speed that is no number', { speed: Number.NaN }, ['speed']],
    ['a rate above 1', { failureRates: { send_email: 1.1 } }, ['failureRates', 'send_email']],
    ['a negative rate', { failureRates: { send_email: -0.1 } }, ['failureRates', 'send_email']],
    ['a kind outside the catalogue', { failureRates: { mine: 0.5 } }, ['failureRates']],
    ['an empty list of steps', { steps: { send_email: [] } }, ['steps', 'send_email']],
    [
      'a step named twice',
      { steps: { send_email: [...oneStep(1), ...oneStep(2)] } },
      ['steps', 'send_email'],
    ],
    [
      'a range upside down',
      { steps: { send_email: [{ name: 'a', minMs: 2, maxMs: 1 }] } },
      ['steps', 'send_email', 0, 'maxMs'],
    ],
    [
      'half a millisecond',
      { steps: { send_email: [{ name: 'a', minMs: 0.5, maxMs: 1 }] } },
      ['steps', 'send_email', 0, 'minMs'],
    ],
    ['an option that does not exist', { sped: 2 }, []],
  ])('%s is refused with its path', (_, options, path) => {
    expect(() => new SimulatedExecutor(options as SimulationOptions)).toThrow(
      expect.objectContaining({ code: 'invalid_options', issues: [expect.objectContaining({ path })] }),
    )
  })
})

function oneStep(ms: number) {
  return [{ name: 'only', minMs: ms, maxMs: ms }]
}

function jobThatEnds(end: 'succeeded' | 'failed', options: SimulationOptions): ClaimedJob {
  for (;;) {
    const job = buildJob()
    if (simulatedOutcome(job.id, 1, job.kind, options) === end) return job
  }
}

function resultOf(outcome: object): unknown {
  return 'result' in outcome ? outcome.result : undefined
}
