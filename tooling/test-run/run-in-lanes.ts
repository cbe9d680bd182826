/** Does `work` for each item, at most `lanes` of them at a time: each one begins in its turn, once a lane is free. */
export async function runInLanes<Item>(
  items: readonly Item[],
  lanes: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const waiting = items.values()
  // All lanes draw from one iterator, so each item is taken once.
  const lane = async (): Promise<void> => {
    for (const item of waiting) await work(item)
  }
  await Promise.all(Array.from({ length: lanes }, lane))
}
