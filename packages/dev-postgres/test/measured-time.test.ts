import { expect, test } from '@jest/globals'
import { elapsedMs, leastOfTries, processorMs } from '../src/index.ts'

test('the tries end with the first one that is good enough, and the smallest value is returned', async () => {
  const results = [30, 12, 20, 9, 1]
  expect(await leastOfTries(10, () => results.shift() ?? 0)).toBe(9)
  expect(results).toEqual([1])
})

test('after the maximum number of tries the smallest value is returned', async () => {
  let tries = 0
  expect(await leastOfTries(0, () => 100 - (tries += 1))).toBe(90)
})

test('a wait takes wall-clock time but no processor time', async () => {
  const waited = new Int32Array(new SharedArrayBuffer(4))
  const wait = () => Atomics.wait(waited, 0, 0, 100)
  expect(await elapsedMs(wait)).toBeGreaterThanOrEqual(99)
  expect(processorMs(wait)).toBeLessThan(90)
})
