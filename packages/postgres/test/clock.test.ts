import { expect, test } from '@jest/globals'
import { createDatabaseClock } from '../src/statements/clock.ts'

/** A clock of the database, read on a monotonic clock that the test moves. */
function clockAt(startMs: number) {
  const machine = { nowMs: startMs }
  return { machine, clock: createDatabaseClock(() => machine.nowMs) }
}

test('before the first reading the clock knows nothing, and asks for one', () => {
  const { clock } = clockAt(5)
  expect(clock.nowMs()).toBeUndefined()
  expect(clock.isStale()).toBe(true)
})

test('between readings it goes on as the monotonic clock does, and the wall clock has no say', () => {
  const { clock, machine } = clockAt(1_000)
  clock.observe(1_750_000_000_000)
  expect(clock.nowMs()).toBe(1_750_000_000_000)
  machine.nowMs += 1_234.5
  expect(clock.nowMs()).toBe(1_750_000_001_234.5)
})

test('each reading replaces the last, forward or back', () => {
  const { clock, machine } = clockAt(0)
  clock.observe(2_000_000)
  machine.nowMs += 100
  clock.observe(1_000_000)
  machine.nowMs += 1
  expect(clock.nowMs()).toBe(1_000_001)
})

test('a reading of long ago is to be taken again, because clocks drift and machines sleep', () => {
  const { clock, machine } = clockAt(0)
  clock.observe(0)
  expect(clock.isStale()).toBe(false)
  machine.nowMs += 60_000
  expect(clock.isStale()).toBe(true)
  clock.observe(60_000)
  expect(clock.isStale()).toBe(false)
})
