const tickMs = 20
/** How many steps follow each other until work resumes. The machine may delay each of them. */
const steps = 20

/** Measures how much the machine delays a process, as an allowance for time limits in the same run. */
export interface MachineDelay {
  /** How much longer than on an idle machine something may have taken, from the latest timer so far. */
  allowanceMs(): number
  stop(): void
}

export function watchMachineDelay(): MachineDelay {
  let dueMs = performance.now() + tickMs
  let longestMs = 0
  const timer = setInterval(() => {
    const nowMs = performance.now()
    longestMs = Math.max(longestMs, nowMs - dueMs)
    dueMs = nowMs + tickMs
  }, tickMs)
  timer.unref()
  return {
    allowanceMs: () => steps * longestMs,
    stop: () => clearInterval(timer),
  }
}
