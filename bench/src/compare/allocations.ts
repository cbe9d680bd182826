import v8 from 'node:v8'

/**
 * Counts the bytes that the main thread allocates on V8's heap: how much larger the heap is at the start of each garbage
 * collection than at the end of the one before. Buffers outside the heap do not count.
 */
export class Allocations {
  readonly #profiler = new v8.GCProfiler()
  readonly #usedAtStart = v8.getHeapStatistics().used_heap_size

  constructor() {
    this.#profiler.start()
  }

  /** Ends the count. Returns the bytes that were allocated since its start. */
  stop(): number {
    const usedAtEnd = v8.getHeapStatistics().used_heap_size
    const collections = this.#profiler.stop()?.statistics ?? []
    const before = [...collections.map(({ beforeGC }) => beforeGC.heapStatistics.usedHeapSize), usedAtEnd]
    const after = [
      this.#usedAtStart,
      ...collections.map(({ afterGC }) => afterGC.heapStatistics.usedHeapSize),
    ]
    return before.reduce((sum, used, index) => sum + used - (after[index] ?? 0), 0)
  }
}
