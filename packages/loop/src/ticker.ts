import { createAlarm } from './alarm.ts'

/** What a timer can wait for; it would fire at once for anything longer. */
export const timerMsMax = 2 ** 31 - 1

/** Something done again and again, one at a time, until it is stopped. */
export interface Ticker {
  start(): void
  /** The next run comes at once. */
  wake(): void
  /** Ends the wait in progress; resolves when the last run has ended. */
  stop(): Promise<void>
}

export interface TickerOptions {
  readonly intervalMs: number
  readonly tick: () => Promise<void>
  /** Called when a tick throws; the next one comes at its time all the same. */
  readonly onError: (error: unknown) => void
}

/** Runs `tick` at once and then `intervalMs` after each end, so that a slow database is not asked ever faster. */
export function createTicker(options: TickerOptions): Ticker {
  const alarm = createAlarm()
  let stopped = false
  let running: Promise<void> = Promise.resolve()
  const run = async (): Promise<void> => {
    while (!stopped) {
      await options.tick().catch(options.onError)
      if (!stopped) await alarm.wait(options.intervalMs)
    }
  }
  return {
    start: () => {
      running = run()
    },
    wake: () => alarm.ring(),
    stop: async () => {
      stopped = true
      alarm.ring()
      await running
    },
  }
}
