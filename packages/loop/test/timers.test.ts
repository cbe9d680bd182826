import { describe, expect, test } from '@jest/globals'
import { createAlarm, createTicker } from '../src/timers.ts'

/** Longer than any test. A wait of this length means that a signal was missed. */
const forEverMs = 3_600_000

describe('an alarm', () => {
  test('ends the current wait when it rings, or the next wait if there is none', async () => {
    const alarm = createAlarm()
    const waiting = alarm.wait(forEverMs)
    alarm.ring()
    await waiting
    alarm.ring()
    await alarm.wait(forEverMs)
  })

  test('counts several rings without a wait as one', async () => {
    const alarm = createAlarm()
    alarm.ring()
    alarm.ring()
    await alarm.wait(forEverMs)
    const second = alarm.wait(forEverMs).then(() => 'ended')
    expect(await Promise.race([second, Promise.resolve('still waiting')])).toBe('still waiting')
    alarm.ring()
    expect(await second).toBe('ended')
  })
})

describe('a ticker', () => {
  test('ticks at once, again when it is woken, and not after its stop', async () => {
    const ticks: PromiseWithResolvers<void>[] = [Promise.withResolvers(), Promise.withResolvers()]
    let count = 0
    const ticker = createTicker({
      intervalMs: forEverMs,
      tick: async () => ticks[count++]?.resolve(),
      onError: () => undefined,
    })
    ticker.start()
    await ticks[0]?.promise
    ticker.wake()
    await ticks[1]?.promise
    await ticker.stop()
    ticker.wake()
    expect(count).toBe(2)
  })

  test('reports a tick that throws, and continues', async () => {
    const second = Promise.withResolvers<void>()
    const errors: unknown[] = []
    let count = 0
    const ticker = createTicker({
      intervalMs: 0,
      tick: async () => {
        count += 1
        if (count === 1) throw new Error('once')
        second.resolve()
      },
      onError: (error) => errors.push(error),
    })
    ticker.start()
    await second.promise
    await ticker.stop()
    expect(errors).toEqual([new Error('once')])
  })

  test('stops only when the current tick has ended', async () => {
    const begun = Promise.withResolvers<void>()
    const mayEnd = Promise.withResolvers<void>()
    let ended = false
    const ticker = createTicker({
      intervalMs: forEverMs,
      tick: async () => {
        begun.resolve()
        await mayEnd.promise
        ended = true
      },
      onError: () => undefined,
    })
    ticker.start()
    await begun.promise
    const stopped = ticker.stop()
    mayEnd.resolve()
    await stopped
    expect(ended).toBe(true)
  })
})
