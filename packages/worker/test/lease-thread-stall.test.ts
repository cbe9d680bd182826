import { describe, expect, test } from '@jest/globals'
import { createStallDetector } from '../src/lease-thread/stall-detector.ts'

const checkMs = 250

/** The main loop as the detector sees it, and a clock that the test moves. */
function watchLoop(stallMs: number) {
  const loop = { beats: 0n }
  const detector = createStallDetector({
    stallMs,
    state: { beats: () => loop.beats },
  })
  let nowMs = 1_000_000
  /** Checks repeatedly for this time. Returns the first result and when it occurred. */
  const checkFor = (ms: number): { readonly reason: string; readonly afterMs: number } | undefined => {
    for (let afterMs = 0; afterMs <= ms; afterMs += checkMs) {
      const reason = detector.check((nowMs += checkMs))
      if (reason !== undefined) return { reason, afterMs }
    }
    return undefined
  }
  return {
    loop,
    checkFor,
    check: () => detector.check(nowMs),
    passMs: (ms: number) => (nowMs += ms),
  }
}

describe('an event loop', () => {
  test('that turns is never reported', () => {
    const { loop, checkFor } = watchLoop(2_000)
    for (let turns = 0; turns < 1_000; turns += 1) {
      loop.beats += 1n
      expect(checkFor(1_000)).toBeUndefined()
    }
  })

  test('that stands still is reported after the stall, and not before', () => {
    const { checkFor } = watchLoop(5_000)
    expect(checkFor(60_000)).toMatchObject({
      reason: 'the event loop has not turned for 5000 ms',
      afterMs: 5_000,
    })
  })

  test('that turns once gets the whole stall time again', () => {
    const { loop, checkFor } = watchLoop(5_000)
    expect(checkFor(4_500)).toBeUndefined()
    loop.beats += 1n
    expect(checkFor(60_000)?.afterMs).toBe(5_000)
  })

  test('may be blocked forever with a stall time of 0', () => {
    expect(watchLoop(0).checkFor(3_600_000)).toBeUndefined()
  })
})

test('a process that was stopped for an hour and continues was not blocked', () => {
  const { loop, check, checkFor, passMs } = watchLoop(2_000)
  loop.beats += 1n
  expect(checkFor(500)).toBeUndefined()
  passMs(3_600_000)
  expect(check()).toBeUndefined()
  loop.beats += 1n
  expect(checkFor(1_000)).toBeUndefined()
})
