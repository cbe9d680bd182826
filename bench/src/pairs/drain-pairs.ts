import { fileURLToPath } from 'node:url'
import { createQueue, migrateUp, type Queue } from '@queue/core'
import { createTestDatabases } from '@queue/dev-postgres'
import { estimateRatio, type RatioEstimate } from '../compare/estimate-ratio.ts'
import { ours } from '../contenders/ours.ts'
import { median } from '../median.ts'
import { drainWith, forkProcesses, type WorkerConfig } from '../scale/run-scale.ts'

export interface PairsOptions {
  readonly serverUrl: string
  /** The number of jobs of each drain. */
  readonly count: number
  /** The number of pairs of drains. */
  readonly pairs: number
  readonly onStep: (step: string) => void
}

/** Other work that goes on during every second drain. */
export interface Disturbance {
  readonly name: string
  /** Prepares the database before the first drain. */
  readonly prepare?: (queue: Queue) => Promise<void>
  readonly handlerMs: number
  /** The configuration that makes the worker do the other work. */
  readonly workerConfig?: Partial<WorkerConfig>
  /** Starts the other work after the jobs are enqueued. */
  readonly begin?: (queue: Queue) => Promise<void>
  /** Ends the other work. Resolves with how much of it was done. */
  readonly end: (queue: Queue) => Promise<number>
}

export interface PairsFigures {
  /** Jobs per second of a drain alone, and of a drain with the other work: medians. */
  readonly alone: number
  readonly beside: number
  /** The rate with the other work relative to that of a drain alone, estimated from the pairs. */
  readonly ratio: RatioEstimate
  /** How much of the other work was done per second: the median. */
  readonly othersPerSecond: number
}

const script = fileURLToPath(new URL('../scale/worker-process.ts', import.meta.url))
const drainModes = ['alone', 'beside'] as const
type DrainMode = (typeof drainModes)[number]

interface DrainResult {
  readonly perSecond: number
  readonly othersPerSecond: number
}

/**
 * Measures the drain of a queue by one worker process, alone and with other work by turns. All drains use one database, so that
 * the rows of earlier drains affect both equally.
 */
export async function runPairs(options: PairsOptions, disturbance: Disturbance): Promise<PairsFigures> {
  const { pairs, count, onStep } = options
  const databases = createTestDatabases({
    serverUrl: options.serverUrl,
    templateKey: `${disturbance.name} ${process.pid}`,
    prepareTemplate: async (connectionString) => void (await migrateUp({ connectionString })),
  })
  try {
    const { url } = await databases.create()
    await using queue = Object.assign(createQueue({ connectionString: url }), {
      [Symbol.asyncDispose]: () => queue.close(),
    })
    await disturbance.prepare?.(queue)
    const pairResults: Record<DrainMode, DrainResult>[] = []
    for (let pair = 1; pair <= pairs; pair += 1) {
      onStep(`${disturbance.name}, pair ${pair} of ${pairs}`)
      const results = {} as Record<DrainMode, DrainResult>
      // The mode that comes first alternates.
      for (const mode of pair % 2 === 0 ? drainModes : drainModes.toReversed()) {
        results[mode] = await drainOnce({ queue, url, count, disturbance }, mode)
      }
      pairResults.push(results)
    }
    return figuresOf(pairResults)
  } finally {
    await databases.dropAll()
  }
}

interface DrainContext {
  readonly queue: Queue
  readonly url: string
  readonly count: number
  readonly disturbance: Disturbance
}

async function drainOnce(
  { queue, url, count, disturbance }: DrainContext,
  mode: DrainMode,
): Promise<DrainResult> {
  const workerConfig = {
    url,
    handlerMs: disturbance.handlerMs,
    ...(mode === 'beside' && disturbance.workerConfig),
  }
  const workers = await forkProcesses(script, 1, workerConfig satisfies WorkerConfig)
  let startedMs = 0
  const fill = async (jobs: number): Promise<void> => {
    const producer = await ours.produce(url)
    await producer.addMany(jobs)
    await producer.close()
    // The other call of `fill` is for the warm-up.
    if (mode === 'beside' && jobs === count) await disturbance.begin?.(queue)
    startedMs = performance.now()
  }
  try {
    const perSecond = await drainWith({ queue, workers, fill, count })
    if (mode === 'alone') return { perSecond, othersPerSecond: 0 }
    const seconds = (performance.now() - startedMs) / 1_000
    return { perSecond, othersPerSecond: (await disturbance.end(queue)) / seconds }
  } finally {
    for (const worker of workers) worker.kill('SIGKILL')
  }
}

function figuresOf(pairResults: readonly Record<DrainMode, DrainResult>[]): PairsFigures {
  const ratesOf = (mode: DrainMode): number[] => pairResults.map((results) => results[mode].perSecond)
  return {
    alone: median(ratesOf('alone')),
    beside: median(ratesOf('beside')),
    ratio: estimateRatio(pairResults.map(({ alone, beside }) => beside.perSecond / alone.perSecond)),
    othersPerSecond: median(pairResults.map(({ beside }) => beside.othersPerSecond)),
  }
}

/** Renders the figures as text. `unit` is the unit of `othersPerSecond`. */
export function renderPairs(name: string, figures: PairsFigures, unit: string): string {
  const { alone, beside, ratio, othersPerSecond } = figures
  const { lower, upper } = ratio
  const bounds = lower === null || upper === null ? '' : `, 95 %: ${lower.toFixed(3)} to ${upper.toFixed(3)}`
  return `${name}
  drain alone       ${Math.round(alone)} jobs/s
  drain beside      ${Math.round(beside)} jobs/s, beside ${Math.round(othersPerSecond)} ${unit}
  ${name}, drain beside vs alone: ${ratio.ratio.toFixed(3)}×${bounds}
`
}

export function pairsRatios(name: string, { ratio }: PairsFigures): Record<string, number> {
  return { [`${name}, drain beside vs alone`]: ratio.ratio }
}
