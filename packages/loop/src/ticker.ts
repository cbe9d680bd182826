import { createAlarm } from './alarm.ts'

/** The longest wait of a timer; a longer one would fire at once. */
export const timerMsMax = 2 ** 31 - 1

/** Runs a task repeatedly, one run at a time, until it is stopped. */
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

/** Runs `tick` at once, and then `intervalMs` after each end, so that runs never pile up on a slow database. */
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
