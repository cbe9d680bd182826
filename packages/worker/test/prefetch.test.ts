import { expect, test } from '@jest/globals'
import { limits } from '@queue/core'
import { createPrefetch } from '../src/prefetch.ts'

const concurrency = 4

/** A prefetch whose recent attempts have all had this duration. */
function after(durationMs: number, attempts: number, setting: 'auto' | number = 'auto') {
  let nowMs = 0
  const prefetch = createPrefetch({ setting, concurrency, nowMs: () => nowMs })
  for (let attempt = 0; attempt < attempts; attempt += 1) prefetch.observe(durationMs)
  return { prefetch, pass: (ms: number) => (nowMs += ms) }
}

test('slow jobs, and jobs of unknown duration, are not prefetched', () => {
  expect(after(30, 100).prefetch.target()).toBe(0)
  expect(after(3_600_000, 100).prefetch.target()).toBe(0)
  expect(after(1, 0).prefetch.target()).toBe(0)
  expect(after(1, 3).prefetch.target()).toBe(0)
})

test('the shorter the jobs, the more of them are prefetched, for about the same time, up to a maximum', () => {
  const targets = [10, 5, 2, 1].map((durationMs) => ({
    durationMs,
    target: after(durationMs, 100).prefetch.target(),
  }))
  for (const { durationMs, target } of targets)
    expect((target * durationMs) / concurrency).toBeCloseTo(50, -1)
  expect(after(0, 100).prefetch.target()).toBeLessThanOrEqual(limits.claimBatchMax)
})

test('jobs that become slow are soon no longer prefetched, and jobs that become fast soon are', () => {
  const { prefetch } = after(1, 100)
  for (let attempt = 0; attempt < 10; attempt += 1) prefetch.observe(1_000)
  expect(prefetch.target()).toBe(0)
  for (let attempt = 0; attempt < 100; attempt += 1) prefetch.observe(1)
  expect(prefetch.target()).toBeGreaterThan(0)
})

test('after jobs have waited too long, nothing is prefetched for a second, whatever the setting is', () => {
  for (const setting of ['auto', 10] as const) {
    const { prefetch, pass } = after(1, 100, setting)
    prefetch.holdOff()
    pass(999)
    expect(prefetch.target()).toBe(0)
    pass(1)
    expect(prefetch.target()).toBeGreaterThan(0)
  }
})

test('a fixed setting is used for any duration, and 0 disables prefetch', () => {
  expect(after(30_000, 100, 7).prefetch.target()).toBe(7)
  expect(after(1, 100, 0).prefetch.target()).toBe(0)
})

test('the larger the payloads, the fewer jobs are prefetched, whatever the setting is', () => {
  const kib = 1_024
  for (const setting of ['auto', 1_000] as const) {
    const targets = [1, 10, 100].map((kibEach) => {
      const { prefetch } = after(0, 100, setting)
      prefetch.observePayloads({ jobs: 1_000, length: 1_000 * kibEach * kib })
      return prefetch.target() * kibEach * kib
    })
    for (const length of targets) expect(length).toBeLessThanOrEqual(limits.waitingPayloadBytesMax / 2)
  }
})

test('of payloads that leave no room for one for each slot nothing is fetched ahead, and soon again of small ones', () => {
  const { prefetch } = after(0, 100)
  const small = prefetch.target()
  for (let job = 0; job < 20; job += 1) prefetch.observePayloads({ jobs: 1, length: limits.payloadBytesMax })
  expect(prefetch.target()).toBe(0)
  prefetch.observePayloads({ jobs: 200, length: 200 * 100 })
  expect(prefetch.target()).toBe(small)
})
