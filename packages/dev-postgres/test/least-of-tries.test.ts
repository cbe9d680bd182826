import { expect, test } from '@jest/globals'
import { elapsedMs, leastOfTries, processorMs } from '../src/index.ts'

test('the first try that is good enough is the last one, and the least counts', async () => {
  const results = [30, 12, 20, 9, 1]
  expect(await leastOfTries(10, () => results.shift() ?? 0)).toBe(9)
  expect(results).toEqual([1])
})

test('tries end, and the least of them is given, when none is good enough', async () => {
  let tries = 0
  expect(await leastOfTries(0, () => 100 - (tries += 1))).toBe(90)
})

test('a wait takes time by the clock, and none of the processor', async () => {
  const waited = new Int32Array(new SharedArrayBuffer(4))
  const wait = () => Atomics.wait(waited, 0, 0, 100)
  expect(await elapsedMs(wait)).toBeGreaterThanOrEqual(99)
  expect(processorMs(wait)).toBeLessThan(90)
})
