import { provideCounters } from '../compare/costs.ts'
import { median } from '../median.ts'
import { jobSorts } from './job-sorts.ts'
import { type Life, measureLife } from './measure-life.ts'
import { batches, measureProcessor } from './measure-processor.ts'
import { createWorlds, inWorld } from './world.ts'

export interface StorageOptions {
  /** A server that preloads pg_stat_statements, with a superuser. */
  readonly serverUrl: string
  /** The jobs of each sort. */
  readonly count: number
  /** The rounds of the processor times. The other figures are exact. */
  readonly rounds: number
  readonly onStep: (step: string) => void
}

export interface StorageFigures {
  readonly lives: readonly Life[]
  /** Microseconds of the server for the claim and the end of a job. */
  readonly processor: readonly {
    readonly batch: number
    readonly leastUs: number
    readonly medianUs: number
  }[]
}

/** Measures what jobs cost in storage, each sort in a database of its own. */
export async function runStorage({
  serverUrl,
  count,
  rounds,
  onStep,
}: StorageOptions): Promise<StorageFigures> {
  await provideCounters(serverUrl)
  const worlds = createWorlds(serverUrl)
  try {
    const lives: Life[] = []
    for (const sort of jobSorts) {
      onStep(`a life: ${sort.name}`)
      lives.push(await inWorld(worlds, serverUrl, (world) => measureLife(world, sort, count)))
    }
    const processor: StorageFigures['processor'][number][] = []
    for (const { batch, share } of batches) {
      const samples: number[] = []
      for (let round = 1; round <= rounds; round += 1) {
        onStep(`the processor of the server, batches of ${batch}: round ${round} of ${rounds}`)
        samples.push(
          await inWorld(worlds, serverUrl, (world) => measureProcessor(world, batch, count * share)),
        )
      }
      processor.push({ batch, leastUs: Math.min(...samples), medianUs: median(samples) })
    }
    return { lives, processor }
  } finally {
    await worlds.dropAll()
  }
}
