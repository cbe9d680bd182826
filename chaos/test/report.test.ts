import { describe, expect, test } from '@jest/globals'
import type { Scenario, RunResult } from '../src/scenarios/scenario.ts'
import { resultOf } from '../src/scenarios/scenario.ts'
import { entryOf, mergeEntries, renderReport } from '../src/run/report.ts'
import { runScenario } from '../src/run/run-scenario.ts'

const size = { jobs: 10, count: 2, minutesMax: 1 }
const ranAt = new Date('2026-01-02T03:04:05Z')
const environment = { commit: 'abc1234', machine: '2 cores' }

function scenarioOf(run: Scenario['run'], number = 1, name = 'try'): Scenario {
  return { number, name, law: 'a law', counted: 'tries', full: size, reduced: size, run }
}

function runOnce(scenario: Scenario, minutesMax = 1) {
  const options = { serverUrl: '', seed: 7, directory: '', onProgress: () => undefined }
  return runScenario(scenario, { ...options, size: { ...size, minutesMax } })
}

const held: RunResult = { outcome: 'held', counts: { jobs: 10 } }

describe('a result', () => {
  test('is broken if there is a fault, whatever else happened', () => {
    expect(resultOf({ counts: {}, faults: ['a fault'], voidBecause: 'nothing happened' })).toEqual({
      outcome: 'broken',
      counts: {},
      faults: ['a fault'],
    })
  })

  test('is void if nothing happened that could have broken the law', () => {
    expect(resultOf({ counts: {}, faults: [], voidBecause: 'nothing happened' })).toEqual({
      outcome: 'void',
      counts: {},
      reason: 'nothing happened',
    })
  })

  test('of a run that throws is broken, with the error', async () => {
    const { result } = await runOnce(scenarioOf(() => Promise.reject(new Error('no server'))))
    expect(result).toMatchObject({ outcome: 'broken', faults: [expect.stringContaining('no server')] })
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
    const { result } = await runOnce(endless, 1 / 6_000)
    expect(result).toMatchObject({
      outcome: 'broken',
      faults: [expect.stringContaining('the run took longer than')],
    })
  })
})

test('the same seed draws the same decisions', async () => {
  const draws: number[] = []
  const scenario = scenarioOf(({ random }) => {
    draws.push(random.next(), random.fork('one').next(), random.fork('two').next())
    return Promise.resolve(held)
  })
  await runOnce(scenario)
  await runOnce(scenario)
  expect(draws.slice(0, 3)).toEqual(draws.slice(3))
  expect(new Set(draws).size).toBe(3)
})

test('a report keeps the earlier results of other scenarios, in the order of the table', async () => {
  const first = entryOf(await runOnce(scenarioOf(async () => held, 2, 'second')), ranAt, environment)
  const old = entryOf(await runOnce(scenarioOf(async () => held, 1, 'first')), ranAt, environment)
  const broken: RunResult = { outcome: 'broken', counts: {}, faults: ['a', 'b'] }
  const now = entryOf(await runOnce(scenarioOf(async () => broken, 1, 'first')), ranAt, environment)
  const merged = mergeEntries([first, old], [now])
  expect(merged).toEqual([now, first])
  expect(renderReport(merged)).toContain(
    '| 1 | first | a law | 10 jobs, 2 tries | 7 |  | **broken**: 2 faults | 0 s | 2026-01-02 | abc1234 |',
  )
  expect(renderReport(merged)).toContain('| 2 | second | a law | 10 jobs, 2 tries | 7 | jobs: 10 | held |')
})
