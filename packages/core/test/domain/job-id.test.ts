import { describe, expect, test } from '@jest/globals'
import { seeded } from '@queue/dev-postgres'
import fc from 'fast-check'
import {
  createJobIdGenerator,
  isJobId,
  nextStamp,
  sequenceMax,
  smallestJobIdAt,
} from '../../src/domain/job-id.ts'

const someMs = 1_750_000_000_000
const idLayout = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/** An id generator with a clock that the test moves. */
function generatorAt(startMs: number, fillRandom?: (bytes: Uint8Array) => void) {
  const clock = { nowMs: startMs }
  const source = { databaseNowMs: () => clock.nowMs }
  return { clock, mint: createJobIdGenerator(fillRandom === undefined ? source : { ...source, fillRandom }) }
}

function timeOf(id: string): number {
  return Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)
}

describe('ids are strictly increasing', () => {
  test('however the clock moves: forward, not at all, or back', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -5_000, max: 5_000 }), { maxLength: 200 }), (steps) => {
        const { clock, mint: createId } = generatorAt(someMs)
        let last = createId()
        for (const step of steps) {
          clock.nowMs += step
          const next = createId()
          expect(next > last).toBe(true)
          last = next
        }
      }),
      seeded('id order'),
    )
  })

  test('also for many ids of one millisecond', () => {
    const { mint: createId } = generatorAt(someMs)
    const ids = Array.from({ length: 3_000 }, createId)
    expect(ids).toEqual(ids.toSorted())
    expect(new Set(ids).size).toBe(ids.length)
  })

  test('also when the sequence of a millisecond is used up: the next id takes the next millisecond', () => {
    const lastStamp = { ms: someMs, sequence: sequenceMax }
    expect(nextStamp(lastStamp, someMs, 7)).toEqual({ ms: someMs + 1, sequence: 7 })
    expect(nextStamp(lastStamp, someMs - 60_000, 7)).toEqual({ ms: someMs + 1, sequence: 7 })
    expect(nextStamp({ ms: someMs + 1, sequence: 7 }, someMs + 1, 3)).toEqual({ ms: someMs + 1, sequence: 8 })
  })

  test('stamps never go back, whatever the clock and the seeds', () => {
    const stamp = fc.record({
      ms: fc.integer({ min: someMs - 2, max: someMs + 2 }),
      sequence: fc.oneof(
        fc.integer({ min: 0, max: sequenceMax }),
        fc.constantFrom(sequenceMax, sequenceMax - 1),
      ),
    })
    fc.assert(
      fc.property(stamp, stamp, (last, { ms: nowMs, sequence: seed }) => {
        const next = nextStamp(last, nowMs, seed)
        expect(next.ms > last.ms || (next.ms === last.ms && next.sequence > last.sequence)).toBe(true)
      }),
      seeded('id stamps'),
    )
  })
})

describe('an id', () => {
  test('has the version and variant of a UUIDv7, whatever the random bytes', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 255 }), fc.integer({ min: 0, max: 2 ** 48 - 2 }), (byte, ms) => {
        const { mint: createId } = generatorAt(ms, (bytes) => void bytes.fill(byte))
        expect(createId()).toMatch(idLayout)
      }),
      seeded('id layout'),
    )
  })

  test('has its time, sequence and random bits in their places', () => {
    const counting = (bytes: Uint8Array): void => bytes.forEach((_, index) => (bytes[index] = index))
    const { mint: createId } = generatorAt(0x0123456789ab, counting)
    expect(createId()).toBe('01234567-89ab-7000-8204-040506070809')
    expect(createId()).toBe('01234567-89ab-7000-8204-0a0f10111213')
    const { mint: createHighest } = generatorAt(2 ** 48 - 1, (bytes) => void bytes.fill(0xff))
    expect(createHighest()).toBe('ffffffff-ffff-77ff-bfff-ffffffffffff')
  })

  test('carries the millisecond of the database clock', () => {
    const { clock, mint: createId } = generatorAt(someMs)
    expect(timeOf(createId())).toBe(someMs)
    clock.nowMs += 1.9
    expect(timeOf(createId())).toBe(someMs + 1)
  })

  test('of two processes in one millisecond differs', () => {
    const first = generatorAt(someMs)
    const second = generatorAt(someMs)
    const ids = Array.from({ length: 1_000 }, () => [first.mint(), second.mint()]).flat()
    expect(new Set(ids).size).toBe(2_000)
  })
})

describe('the smallest id at an instant', () => {
  test('is above every id of an earlier millisecond and not above any id of its own or a later one', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2 ** 48 - 2 }), fc.integer({ min: 0, max: 255 }), (ms, byte) => {
        const bound = smallestJobIdAt(ms)
        const at = (nowMs: number) => generatorAt(nowMs, (bytes) => void bytes.fill(byte)).mint()
        expect(bound).toMatch(idLayout)
        expect(at(ms - 1) < bound).toBe(true)
        expect(at(ms) >= bound).toBe(true)
        expect(at(ms + 1) > bound).toBe(true)
      }),
      seeded('id bounds'),
    )
  })

  test('is valid also for the first and the last instant that a Date can hold', () => {
    for (const ms of [-8.64e15, -1, 0, 2 ** 48 - 1, 2 ** 48, 8.64e15]) {
      expect(smallestJobIdAt(ms)).toMatch(idLayout)
    }
    expect(smallestJobIdAt(-8.64e15)).toBe(smallestJobIdAt(0))
    expect(smallestJobIdAt(8.64e15)).toBe(smallestJobIdAt(2 ** 48 - 1))
  })
})

test('only the text of a UUID has the form of an id', () => {
  const { mint: createId } = generatorAt(someMs)
  expect(isJobId(createId())).toBe(true)
  expect(isJobId(createId().toUpperCase())).toBe(true)
  const id = createId()
  for (const text of [
    '',
    ' ',
    id.slice(1),
    `${id}0`,
    `${id}\n`,
    ` ${id}`,
    `{${id}}`,
    id.replace('-', ''),
    'null',
  ]) {
    expect(isJobId(text)).toBe(false)
  }
})
