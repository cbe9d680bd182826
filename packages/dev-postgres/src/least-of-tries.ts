const triesMax = 10

/**
 * The least of what some tries give; the first below `enough` ends them. For laws of time: a busy machine makes a try
 * longer, never shorter, so the best try tells whether the law can be kept. `tryOnce` measures itself.
 */
export async function leastOfTries(enough: number, tryOnce: () => number | Promise<number>): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let tries = 0; tries < triesMax && least >= enough; tries += 1) {
    least = Math.min(least, await tryOnce())
  }
  return least
}

/** Milliseconds from the call of `work` to its answer. */
export async function elapsedMs(work: () => unknown): Promise<number> {
  const startedMs = performance.now()
  await work()
  return performance.now() - startedMs
}
