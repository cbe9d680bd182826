import { describe, expect, test } from '@jest/globals'
import { seeded } from '@queue/dev-postgres'
import fc from 'fast-check'
import { retryBaseMsMax, retryCapMsMax } from '../../src/domain/limits.ts'
import {
  type RetryPolicy,
  type RetryPolicyInput,
  decodeRetryPolicy,
  defaultRetryPolicy,
  encodeRetryPolicy,
  retryDelayMs,
  retryPolicySchema,
  retryPolicyWireSchema,
} from '../../src/domain/retry.ts'

/** The lowest and the highest random number in [0, 1). */
const lowest = () => 0
const highest = () => 1 - Number.EPSILON / 2

const bounds = fc
  .tuple(fc.integer({ min: 1, max: retryBaseMsMax }), fc.integer({ min: 1, max: retryCapMsMax }))
  .filter(([baseMs, capMs]) => capMs >= baseMs)
  .map(([baseMs, capMs]) => ({ baseMs, capMs }))

const policies: fc.Arbitrary<RetryPolicy> = fc.oneof(
  bounds.map((range) => ({ type: 'decorrelated' as const, ...range })),
  fc
    .tuple(bounds, fc.constantFrom('full' as const, 'none' as const, 'proportional' as const))
    .map(([range, jitter]) => ({ type: 'exponential' as const, jitter, ...range })),
  fc.integer({ min: 1, max: retryBaseMsMax }).map((baseMs) => ({ type: 'fixed' as const, baseMs })),
)

const attempts = fc.oneof(
  fc.integer({ min: 1, max: 30 }),
  fc.integer({ min: 1, max: 2_147_483_647 }),
  fc.constant(Number.MAX_SAFE_INTEGER),
)

/** The window of waits, written from the table in section 4 of the contract and not from the code. */
function windowOf(policy: RetryPolicy, n: number): readonly [number, number] {
  if (policy.type === 'fixed') return [policy.baseMs, policy.baseMs]
  if (policy.type === 'decorrelated') {
    return [policy.baseMs, Math.min(policy.capMs, policy.baseMs * 3 ** n)]
  }
  const c = Math.min(policy.capMs, policy.baseMs * 2 ** (n - 1))
  if (policy.jitter === 'none') return [c, c]
  if (policy.jitter === 'full') return [0, c]
  return [Math.ceil(0.75 * c), Math.min(policy.capMs, Math.floor(1.25 * c))]
}

describe('every policy', () => {
  test('waits a whole number of milliseconds inside its window, and both ends of the window are reachable', () => {
    fc.assert(
      fc.property(
        policies,
        attempts,
        fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
        (policy, n, draw) => {
          const [low, high] = windowOf(policy, n)
          const wait = retryDelayMs(n, policy, () => draw)
          expect(Number.isSafeInteger(wait)).toBe(true)
          expect(wait).toBeGreaterThanOrEqual(low)
          expect(wait).toBeLessThanOrEqual(high)
          expect(retryDelayMs(n, policy, lowest)).toBe(low)
          expect(retryDelayMs(n, policy, highest)).toBe(high)
        },
      ),
      seeded('retry windows'),
    )
  })

  test('takes an attempt below 1 as the first', () => {
    fc.assert(
      fc.property(policies, fc.constantFrom(0, -1, -2_147_483_648, Number.NaN, 0.5), (policy, n) => {
        for (const draw of [lowest, highest]) {
          expect(retryDelayMs(n, policy, draw)).toBe(retryDelayMs(1, policy, draw))
        }
      }),
      seeded('retry below 1'),
    )
  })

  test('is unchanged after encoding and decoding', () => {
    fc.assert(
      fc.property(policies, (policy) => {
        const wire: unknown = JSON.parse(JSON.stringify(encodeRetryPolicy(policy)))
        expect(retryPolicyWireSchema.safeParse(wire).success).toBe(true)
        expect(decodeRetryPolicy(wire)).toEqual(policy)
      }),
      seeded('retry wire'),
    )
  })

  test('draws each whole millisecond of a small window about equally often', () => {
    const policy: RetryPolicy = { type: 'decorrelated', baseMs: 1, capMs: 3 }
    const steps = 3_000
    const counts = new Map<number, number>()
    for (let step = 0; step < steps; step += 1) {
      const wait = retryDelayMs(1, policy, () => step / steps)
      counts.set(wait, (counts.get(wait) ?? 0) + 1)
    }
    expect([...counts].toSorted(([a], [b]) => a - b)).toEqual([
      [1, 1_000],
      [2, 1_000],
      [3, 1_000],
    ])
  })
})

describe('the default policy has the windows of reference A', () => {
  test.each([
    [0, 1_000, 3_000],
    [1, 1_000, 3_000],
    [2, 1_000, 9_000],
    [3, 1_000, 27_000],
    [4, 1_000, 60_000],
    [20, 1_000, 60_000],
    [2_147_483_647, 1_000, 60_000],
  ])('after attempt %d it waits between %d and %d ms', (attempt, low, high) => {
    expect(retryDelayMs(attempt, defaultRetryPolicy, lowest)).toBe(low)
    expect(retryDelayMs(attempt, defaultRetryPolicy, highest)).toBe(high)
  })
})

describe('defaults of section 4', () => {
  test.each<[RetryPolicyInput, RetryPolicy]>([
    [{ type: 'decorrelated' }, { type: 'decorrelated', baseMs: 1_000, capMs: 60_000 }],
    [{ type: 'exponential' }, { type: 'exponential', jitter: 'full', baseMs: 1_000, capMs: 300_000 }],
    [
      { type: 'exponential', jitter: 'none' },
      { type: 'exponential', jitter: 'none', baseMs: 1_000, capMs: 300_000 },
    ],
    [
      { type: 'exponential', jitter: 'proportional' },
      { type: 'exponential', jitter: 'proportional', baseMs: 5_000, capMs: 300_000 },
    ],
  ])('%j becomes %j, in code and on the wire alike', (input, complete) => {
    expect(retryPolicySchema.parse(input)).toEqual(complete)
    expect(decodeRetryPolicy(input)).toEqual(complete)
  })
})

describe('a policy is refused, in code and on the wire alike,', () => {
  test.each([
    ['when the cap is below the base', { type: 'decorrelated', base: 10, cap: 9 }],
    [
      'when the cap is below the base that its jitter brings',
      { type: 'exponential', jitter: 'proportional', cap: 4_999 },
    ],
    ['when the base is above the cap that its type brings', { type: 'decorrelated', base: 60_001 }],
    ['when the base is zero', { type: 'fixed', base: 0 }],
    ['when the base is a fraction', { type: 'fixed', base: 1.5 }],
    ['when the base is above a day', { type: 'fixed', base: 86_400_001 }],
    ['when the cap is above seven days', { type: 'exponential', cap: 7 * 86_400_000 + 1 }],
    ['when a fixed wait has a cap', { type: 'fixed', base: 1, cap: 1 }],
    ['when a fixed wait has no base', { type: 'fixed' }],
    ['when a member is unknown', { type: 'decorrelated', jitter: 'full' }],
    ['when the type is unknown', { type: 'linear', base: 1 }],
    ['when the jitter is unknown', { type: 'exponential', jitter: 'some' }],
  ])('%s', (_reason, { base, cap, ...rest }: Record<string, unknown> & { base?: number; cap?: number }) => {
    const inCode = {
      ...rest,
      ...(base === undefined ? {} : { baseMs: base }),
      ...(cap === undefined ? {} : { capMs: cap }),
    }
    const onWire = {
      ...rest,
      ...(base === undefined ? {} : { base_ms: base }),
      ...(cap === undefined ? {} : { cap_ms: cap }),
    }
    expect(retryPolicySchema.safeParse(inCode).success).toBe(false)
    expect(retryPolicyWireSchema.safeParse(onWire).success).toBe(false)
    expect(decodeRetryPolicy(onWire)).toBeNull()
  })
})

test('decoding never throws: an invalid policy is null', () => {
  fc.assert(
    fc.property(fc.anything(), (anything) => {
      const decoded = decodeRetryPolicy(anything)
      expect(decoded === null || typeof decoded.type === 'string').toBe(true)
    }),
    seeded('retry decode'),
  )
})
