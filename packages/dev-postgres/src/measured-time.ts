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

const triesMax = 10

/**
 * The smallest result of at most `triesMax` tries; a result below `enough` ends them. For tests of time limits: a busy
 * machine makes a try slower, never faster, so the best try shows whether the limit can be met. `tryOnce` measures and
 * returns its own result.
 */
export async function leastOfTries(enough: number, tryOnce: () => number | Promise<number>): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let tries = 0; tries < triesMax && least >= enough; tries += 1) {
    least = Math.min(least, await tryOnce())
  }
  return least
}

/** The milliseconds that `work` takes until it resolves. */
export async function elapsedMs(work: () => unknown): Promise<number> {
  const startedMs = performance.now()
  await work()
  return performance.now() - startedMs
}
