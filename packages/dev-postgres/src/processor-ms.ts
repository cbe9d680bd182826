/**
 * The processor time that this process takes for `work`, in milliseconds. `work` must be synchronous. Other processes on the
 * machine do not add to it, as they would to wall-clock time.
 */
export function processorMs(work: () => void): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}
