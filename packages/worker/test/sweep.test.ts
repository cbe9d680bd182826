import { describe, expect, test } from '@jest/globals'
import { createSweep, type Sweep } from '../src/sweep.ts'

const hour = 3_600_000
const whole = { fromAgeMs: 0, toAgeMs: Number.POSITIVE_INFINITY }

/** Reads parts until all of the past has been read. The duration of each part is `tookMs`. */
function readAll(sweep: Sweep, tookMs: (readMs: number) => number, lifetimeMs: number) {
  const parts = []
  do {
    const part = sweep.next()
    parts.push(part)
    sweep.done(tookMs(Math.min(part.toAgeMs, lifetimeMs) - part.fromAgeMs))
    if (parts.length > 10_000) throw new Error('the sweep does not come to its end')
  } while (!sweep.isComplete)
  return parts
}

describe('a sweep', () => {
  test('reads everything at once as long as that is fast', () => {
    const sweep = createSweep(() => hour)
    for (let n = 0; n < 3; n += 1) expect(readAll(sweep, () => 1, hour)).toEqual([whole])
  })

  test('leaves no gap between its parts, and ends with everything that is older', () => {
    const sweep = createSweep(() => hour)
    // Reading a second of the past takes a millisecond.
    const took = (readMs: number): number => readMs / 1_000
    for (let n = 0; n < 5; n += 1) {
      const parts = readAll(sweep, took, hour)
      expect(parts.map(({ fromAgeMs }) => fromAgeMs)).toEqual([
        0,
        ...parts.slice(0, -1).map(({ toAgeMs }) => toAgeMs),
      ])
      expect(parts.at(-1)?.toAgeMs).toBe(Number.POSITIVE_INFINITY)
    }
  })

  test('reaches parts that the database reads within 50 ms, and only a few of them', () => {
    const sweep = createSweep(() => hour)
    const took = (readMs: number): number => readMs / 1_000
    readAll(sweep, took, hour)
    const parts = readAll(sweep, took, hour)
    const times = parts.map(({ fromAgeMs, toAgeMs }) => took(Math.min(toAgeMs, hour) - fromAgeMs))
    expect(Math.max(...times)).toBeLessThanOrEqual(50)
    expect(parts.length).toBeLessThan(300)
  })

  test('reads everything at once again when the database has become fast', () => {
    const sweep = createSweep(() => hour)
    readAll(sweep, (readMs) => readMs / 100, hour)
    readAll(sweep, () => 1, hour)
    expect(readAll(sweep, () => 1, hour)).toEqual([whole])
  })

  test('tries a smaller part after a failure, but never less than a second', () => {
    const sweep = createSweep(() => hour)
    sweep.failed()
    expect(sweep.next()).toEqual({ fromAgeMs: 0, toAgeMs: hour / 2 })
    sweep.failed()
    expect(sweep.next()).toEqual({ fromAgeMs: 0, toAgeMs: hour / 4 })
    for (let n = 0; n < 50; n += 1) sweep.failed()
    expect(sweep.next()).toEqual({ fromAgeMs: 0, toAgeMs: 1_000 })
  })
})
