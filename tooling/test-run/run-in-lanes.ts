/** Each package opens up to this many connections at a time: tests of the fault suite start many processes with pools. */
const connectionsOfLane = 90

/**
 * How many packages are tested at a time on a server with this many connections. Two jest processes with one worker each keep
 * two cores busy while one of them waits for the database; more would only wait for each other.
 */
export function lanesOn(maxConnections: number): 1 | 2 {
  return maxConnections < 2 * connectionsOfLane ? 1 : 2
}

/** Runs `work` for each item in order, at most `lanes` at a time. */
export async function runInLanes<Item>(
  items: readonly Item[],
  lanes: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const waiting = items.values()
  // All lanes share one iterator, so each item is processed once.
  const lane = async (): Promise<void> => {
    for (const item of waiting) await work(item)
  }
  await Promise.all(Array.from({ length: lanes }, lane))
}
