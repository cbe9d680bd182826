import { describe, expect, test } from '@jest/globals'
import { backoffBaseMs, backoffCapMs } from '../src/limits.ts'
import { parseRetryAfterMs } from '../src/request/retry-after.ts'
import { retryDelayMs } from '../src/request/retry-delay.ts'

const delay = (failures: number, random: number, retryAfterMs?: number): number =>
  retryDelayMs({ failures, retryAfterMs, random: () => random })

describe('the wait before a retry', () => {
  test('lies anywhere below a ceiling that doubles up to its cap', () => {
    expect([1, 2, 3].map((failures) => delay(failures, 1))).toEqual([1, 2, 4].map((n) => n * backoffBaseMs))
    expect(delay(1_000, 1)).toBe(backoffCapMs)
    expect(delay(5, 0)).toBe(0)
  })

  test('comes on top of what the answer asked for', () => {
    expect(delay(1, 0.5, 3_000)).toBe(3_000 + backoffBaseMs / 2)
  })
})

test.each([
  ['0', 0],
  ['120', 120_000],
  ['Thu, 01 Jan 1970 00:00:05 GMT', 4_000],
  ['Thu, 01 Jan 1970 00:00:00 GMT', 0],
  ['soon', undefined],
  ['-1', undefined],
  [null, undefined],
])('Retry-After %j asks for %p ms', (header, expected) => {
  expect(parseRetryAfterMs(header, 1_000)).toBe(expected)
})
