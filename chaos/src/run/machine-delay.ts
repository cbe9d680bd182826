const tickMs = 20
/** So many steps come one after the other until work goes on, each as late as the machine makes it. */
const steps = 20

/** How late the machine makes a process: a control for laws of time, measured in the same run. */
export interface MachineDelay {
  /** How much longer than on a quiet machine something may have taken, by the latest timer so far. */
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
