/** What one batch did. */
export interface Batch {
  /** How many rows it changed. */
  readonly changed: number
  /** Whether nothing is left after it. */
  readonly isLast: boolean
}

export interface BatchesOptions {
  /** After how many batches that changed nothing the turn ends. The next turn continues there. */
  readonly idleBatchesMax: number
  /** No batch begins after it has aborted. */
  readonly stopping: AbortSignal
}

/**
 * Runs batches until nothing is left. Batches that change rows follow each other as long as there are any, because work that
 * comes in faster than one turn removes it would grow without end; only those that change nothing are bounded.
 */
export async function runBatches(
  { idleBatchesMax, stopping }: BatchesOptions,
  batch: () => Promise<Batch>,
): Promise<void> {
  for (let idle = 0; idle < idleBatchesMax && !stopping.aborted; ) {
    const { changed, isLast } = await batch()
    if (isLast) return
    if (changed === 0) idle += 1
  }
}
