import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { nextRetryDelay, outboxWorkerConfigSchema } from '../src/index.ts'

const defaults = outboxWorkerConfigSchema.parse({})
const timing = fc
  .tuple(fc.integer({ min: 1, max: 604_800_000 }), fc.integer({ min: 1, max: 604_800_000 }), fc.boolean())
  .map(([a, b, jitter]) => ({
    retryBaseDelay: Math.min(a, b),
    retryMaxDelay: Math.max(a, b),
    jitter,
  }))
const attempts = fc.oneof(
  fc.integer({ min: 0, max: 100 }),
  fc.integer(),
  fc.constantFrom(Number.MAX_SAFE_INTEGER, Number.POSITIVE_INFINITY, Number.NaN, -1),
)
const draw = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })

describe('the wait after a failed dispatch', () => {
  test('without jitter is min(max, base · 2^attempts)', () => {
    const fixed = { ...defaults, jitter: false }
    const waits = [1, 2, 3, 8, 9, 100].map((n) => nextRetryDelay(n, fixed))
    expect(waits).toEqual([2_000, 4_000, 8_000, 256_000, 300_000, 300_000])
  })

  test('is a whole number between 0 and the maximum for any attempts and random number', () => {
    fc.assert(
      fc.property(attempts, timing, draw, (...[n, chosen, drawn]) => {
        const wait = nextRetryDelay(n, chosen, () => drawn)
        expect(Number.isInteger(wait)).toBe(true)
        expect(wait).toBeGreaterThanOrEqual(0)
        expect(wait).toBeLessThanOrEqual(chosen.retryMaxDelay)
      }),
    )
  })

  test('with jitter is between 0 and the wait without jitter, and without jitter never decreases', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2_000 }), timing, draw, (...[n, chosen, drawn]) => {
        const without = nextRetryDelay(n, { ...chosen, jitter: false })
        const jittered = { ...chosen, jitter: true }
        expect(nextRetryDelay(n, jittered, () => 0)).toBe(0)
        expect(nextRetryDelay(n, jittered, () => 1 - Number.EPSILON / 2)).toBe(without)
        expect(nextRetryDelay(n, jittered, () => drawn)).toBeLessThanOrEqual(without)
        expect(nextRetryDelay(n + 1, { ...chosen, jitter: false })).toBeGreaterThanOrEqual(without)
      }),
    )
  })
})
