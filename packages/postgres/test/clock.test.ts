import { expect, test } from '@jest/globals'
import { createDatabaseClock } from '../src/statements/clock.ts'

/** A database clock that uses a monotonic clock which the test moves. */
function clockAt(startMs: number) {
  const machine = { nowMs: startMs }
  return { machine, clock: createDatabaseClock(() => machine.nowMs) }
}

test('before the first reading the clock has no time, and needs a reading', () => {
  const { clock } = clockAt(5)
  expect(clock.nowMs()).toBeUndefined()
  expect(clock.isStale()).toBe(true)
})

test('between readings it advances with the monotonic clock, independent of the wall clock', () => {
  const { clock, machine } = clockAt(1_000)
  clock.observe(1_750_000_000_000)
  expect(clock.nowMs()).toBe(1_750_000_000_000)
  machine.nowMs += 1_234.5
  expect(clock.nowMs()).toBe(1_750_000_001_234.5)
})

test('each reading replaces the last one, whether it is later or earlier', () => {
  const { clock, machine } = clockAt(0)
  clock.observe(2_000_000)
  machine.nowMs += 100
  clock.observe(1_000_000)
  machine.nowMs += 1
  expect(clock.nowMs()).toBe(1_000_001)
})

test('an old reading must be renewed, because clocks drift and machines sleep', () => {
  const { clock, machine } = clockAt(0)
  clock.observe(0)
  expect(clock.isStale()).toBe(false)
  machine.nowMs += 60_000
  expect(clock.isStale()).toBe(true)
  clock.observe(60_000)
  expect(clock.isStale()).toBe(false)
})
