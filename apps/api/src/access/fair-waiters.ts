/** Functions that wait to be run, by source. */
export interface FairWaiters {
  readonly size: number
  add(source: string, run: () => void): void
  /** Runs the first one of the source that has had none run for longest. Does nothing if none waits. */
  runNext(): void
}

export function createFairWaiters(): FairWaiters {
  /** The source whose turn is next first. */
  const sources = new Map<string, (() => void)[]>()
  let size = 0
  return {
    get size() {
      return size
    },
    add: (source, run) => {
      size += 1
      const waiting = sources.get(source)
      if (waiting === undefined) sources.set(source, [run])
      else waiting.push(run)
    },
    runNext: () => {
      const [next] = sources
      if (next === undefined) return
      const [source, waiting] = next
      size -= 1
      const run = waiting.shift()
      sources.delete(source)
      if (waiting.length > 0) sources.set(source, waiting)
      run?.()
    },
  }
}
