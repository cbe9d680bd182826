import { setTimeout as sleep } from 'node:timers/promises'

/** A sleep that can be ended early. A ring before the wait is not lost: the next wait then ends at once. */
export interface Alarm {
  /** Resolves after `ms` milliseconds, or at the next ring. */
  wait(ms: number): Promise<void>
  ring(): void
}

export function createAlarm(): Alarm {
  let bell = new AbortController()
  return {
    wait: async (ms) => {
      await sleep(ms, undefined, { signal: bell.signal }).catch(() => undefined)
      if (bell.signal.aborted) bell = new AbortController()
    },
    ring: () => bell.abort(),
  }
}
