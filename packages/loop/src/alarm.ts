/** A sleep that can be ended early. A ring that comes before the wait is not lost: the next wait ends at once. */
export interface Alarm {
  /** Resolves after `ms` milliseconds, or at the next ring. */
  wait(ms: number): Promise<void>
  ring(): void
}

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
