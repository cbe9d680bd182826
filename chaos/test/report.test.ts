import { describe, expect, test } from '@jest/globals'
import type { Scenario, Verdict } from '../src/scenarios/scenario.ts'
import { verdictOf } from '../src/scenarios/scenario.ts'
import { entryOf, mergeEntries, renderReport } from '../src/run/report.ts'
import { runScenario } from '../src/run/run-scenario.ts'

const size = { jobs: 10, count: 2, minutesMax: 1 }
const ranAt = new Date('2026-01-02T03:04:05Z')
const surroundings = { commit: 'abc1234', machine: '2 cores' }

function scenarioOf(run: Scenario['run'], number = 1, name = 'try'): Scenario {
  return { number, name, law: 'a law', counted: 'tries', full: size, reduced: size, run }
}

function runIt(scenario: Scenario, minutesMax = 1) {
  const options = { serverUrl: '', seed: 7, directory: '', onProgress: () => undefined }
  return runScenario(scenario, { ...options, size: { ...size, minutesMax } })
}

const held: Verdict = { outcome: 'held', counts: { jobs: 10 } }

describe('a verdict', () => {
  test('is broken by a fault, whatever else happened', () => {
    expect(verdictOf({ counts: {}, faults: ['a fault'], voidBecause: 'nothing happened' })).toEqual({
      outcome: 'broken',
      counts: {},
      faults: ['a fault'],
    })
  })

  test('is void where nothing happened that could have broken the law', () => {
    expect(verdictOf({ counts: {}, faults: [], voidBecause: 'nothing happened' })).toEqual({
      outcome: 'void',
      counts: {},
      reason: 'nothing happened',
    })
  })

  test('of a run that throws is broken, with what it threw', async () => {
    const { verdict } = await runIt(scenarioOf(() => Promise.reject(new Error('no server'))))
    expect(verdict).toMatchObject({ outcome: 'broken', faults: [expect.stringContaining('no server')] })
  })

  test('of a run that takes too long is broken', async () => {
    const endless = scenarioOf(
      ({ signal }) =>
        new Promise((_resolve, reject) => {
          const keepAlive = setInterval(() => undefined, 1_000)
          signal.addEventListener('abort', () => {
            clearInterval(keepAlive)
            reject(signal.reason as Error)
          })
        }),
    )
    const { verdict } = await runIt(endless, 1 / 6_000)
    expect(verdict).toMatchObject({ outcome: 'broken', faults: [expect.stringContaining('not done within')] })
  })
})

test('the same seed draws the same decisions, and another one others', async () => {
  const drawn: number[] = []
  const scenario = scenarioOf(({ random }) => {
    drawn.push(random.next(), random.fork('one').next(), random.fork('two').next())
    return Promise.resolve(held)
  })
  await runIt(scenario)
  await runIt(scenario)
  expect(drawn.slice(0, 3)).toEqual(drawn.slice(3))
  expect(new Set(drawn).size).toBe(3)
})

test('a report keeps what earlier runs have said of other scenarios, in the order of the table', async () => {
  const first = entryOf(await runIt(scenarioOf(async () => held, 2, 'second')), ranAt, surroundings)
  const old = entryOf(await runIt(scenarioOf(async () => held, 1, 'first')), ranAt, surroundings)
  const broken: Verdict = { outcome: 'broken', counts: {}, faults: ['a', 'b'] }
  const now = entryOf(await runIt(scenarioOf(async () => broken, 1, 'first')), ranAt, surroundings)
  const merged = mergeEntries([first, old], [now])
  expect(merged).toEqual([now, first])
  expect(renderReport(merged)).toContain(
    '| 1 | first | a law | 10 jobs, 2 tries | 7 |  | **broken**: 2 faults | 0 s | 2026-01-02 | abc1234 |',
  )
  expect(renderReport(merged)).toContain('| 2 | second | a law | 10 jobs, 2 tries | 7 | jobs: 10 | held |')
})
