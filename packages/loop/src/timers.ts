// The clock and the timers, for a thread that must stay small: nothing else of this package is loaded.

/** Milliseconds on the machine's monotonic clock: the same in every thread, which `performance.now()` is not. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint() / 1_000n) / 1_000
}

/** The longest wait of a timer; a longer one would fire at once. */
export const timerMsMax = 2 ** 31 - 1

/** A sleep that can be ended early. A ring before the wait is not lost: the next wait then ends at once. */
export interface Alarm {
  /** Resolves after `ms` milliseconds, or at the next ring. */
  wait(ms: number): Promise<void>
  ring(): void
}

/**
 * A worker rings twice for each job, so a ring makes no objects: to abort an AbortController, as `timers/promises` has it,
 * makes an error with its stack each time, which took 14 µs of processor time a job and a quarter of a drain's speed.
 */
export function createAlarm(): Alarm {
  let rung = false
  let wake: (() => void) | undefined
  return {
    wait: async (ms) => {
      if (!rung) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms)
          wake = () => {
            clearTimeout(timer)
            resolve()
          }
        })
      }
      rung = false
      wake = undefined
    },
    ring: () => {
      rung = true
      wake?.()
    },
  }
}

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
