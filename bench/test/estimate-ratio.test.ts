import { expect, test } from '@jest/globals'
import { estimateRatio, pairsForBoundsMin } from '../src/compare/estimate-ratio.ts'

/** Changes of depression scores in nine patients under a tranquilizer (Hollander and Wolfe, table 3.1). */
const changes = [-0.952, 0.147, -1.022, -0.43, -0.62, -0.59, -0.49, 0.08, -0.01]

test('the estimate and its bounds are those of the published example', () => {
  const { ratio, lower, upper } = estimateRatio(changes.map((change) => Math.exp(change)))
  expect(Math.log(ratio)).toBeCloseTo(-0.46, 3)
  expect(Math.log(lower ?? Number.NaN)).toBeCloseTo(-0.786, 3)
  expect(Math.log(upper ?? Number.NaN)).toBeCloseTo(-0.01, 3)
})

test('the bounds of n pairs are the Walsh averages that tables of the signed rank give', () => {
  // Powers of two give distinct Walsh averages. The one-sided critical values for 0.025 are those of Wilcoxon's table.
  const criticalValues = { 6: 0, 7: 2, 8: 3, 10: 8, 12: 13, 15: 25, 20: 52 }
  for (const [count, critical] of Object.entries(criticalValues)) {
    const logs = Array.from({ length: Number(count) }, (_, index) => 2 ** index / 2 ** 20)
    const averages = logs
      .flatMap((a, index) => logs.slice(index).map((b) => (a + b) / 2))
      .toSorted((a, b) => a - b)
    const { lower, upper } = estimateRatio(logs.map((log) => Math.exp(log)))
    expect(Math.log(lower ?? Number.NaN)).toBeCloseTo(averages[critical] ?? Number.NaN, 12)
    expect(Math.log(upper ?? Number.NaN)).toBeCloseTo(averages.at(-1 - critical) ?? Number.NaN, 12)
  }
})

test('a ratio and its inverse are estimated alike', () => {
  const ratios = [1.1, 0.9, 1.3, 1.05, 0.97, 1.2, 1.01, 1.15]
  const forwards = estimateRatio(ratios)
  const backwards = estimateRatio(ratios.map((ratio) => 1 / ratio))
  expect(backwards.ratio).toBeCloseTo(1 / forwards.ratio, 12)
  expect(backwards.lower).toBeCloseTo(1 / (forwards.upper ?? Number.NaN), 12)
})

test('one disturbed pair of twenty hardly moves the estimate', () => {
  const quiet = Array.from({ length: 20 }, (_, index) => 1 + (index - 9.5) / 1_000)
  const { ratio, lower, upper } = estimateRatio([...quiet.slice(1), 4])
  expect(ratio).toBeCloseTo(1, 2)
  expect(lower).toBeGreaterThan(0.99)
  expect(upper).toBeLessThan(1.01)
})

test('too few pairs for 95 % confidence have no bounds', () => {
  const ratios = Array.from({ length: pairsForBoundsMin - 1 }, () => 2)
  const few = estimateRatio(ratios)
  expect(few.ratio).toBeCloseTo(2, 12)
  expect(few).toMatchObject({ lower: null, upper: null })
  expect(estimateRatio([...ratios, 2]).lower).toBeCloseTo(2, 12)
})

test.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])('%d is refused as a ratio', (invalid) => {
  expect(() => estimateRatio([1, invalid])).toThrow('every ratio must be a positive number')
})

test('the bounds of random pairs contain the true ratio about as often as their level says', () => {
  const seed = Math.floor(Math.random() * 2 ** 31)
  const random = randomFrom(seed)
  const runCount = 2_000
  const trueRatio = 0.97
  let covered = 0
  for (let run = 0; run < runCount; run += 1) {
    // Two exponential draws: noise with heavy tails that favours neither side.
    const noise = (): number => 0.05 * (Math.log(random()) - Math.log(random()))
    const { lower, upper } = estimateRatio(Array.from({ length: 20 }, () => trueRatio * Math.exp(noise())))
    if ((lower ?? Number.NaN) <= trueRatio && trueRatio <= (upper ?? Number.NaN)) covered += 1
  }
  // The exact level of 20 pairs, ± 5 standard errors of 2 000 runs.
  const share = covered / runCount
  expect({ seed, share, within: Math.abs(share - 0.952) < 0.025 }).toEqual({ seed, share, within: true })
})

/** Mulberry32: numbers in (0, 1). */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return (((mixed ^ (mixed >>> 14)) >>> 0) + 0.5) / 2 ** 32
  }
}
