/**
 * Milliseconds of processor time that this process takes for `work`, which must be synchronous. Other processes on the
 * machine do not count, as they would by the clock on the wall.
 */
export function processorMs(work: () => void): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}
