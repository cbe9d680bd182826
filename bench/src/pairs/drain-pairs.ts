import { fileURLToPath } from 'node:url'
import { createQueue, migrateUp, type Queue } from '@queue/core'
import { createTestDatabases } from '@queue/dev-postgres'
import { estimateRatio, type RatioEstimate } from '../compare/estimate-ratio.ts'
import { ours } from '../contenders/ours.ts'
import { median } from '../median.ts'
import { drainWith, forkProcesses, type ScaleOrder } from '../scale/run-scale.ts'

export interface PairsOptions {
  readonly serverUrl: string
  /** Jobs of each drain. */
  readonly count: number
  /** Pairs of drains. */
  readonly pairs: number
  readonly onStep: (step: string) => void
}

/** What goes on beside every second drain. */
export interface Beside {
  readonly name: string
  /** What each drain finds in its database. */
  readonly prepare?: (queue: Queue) => Promise<void>
  readonly handlerMs: number
  /** What the worker does beside its jobs. */
  readonly order?: Partial<ScaleOrder>
  /** Begins it, once the jobs are there. */
  readonly begin?: (queue: Queue) => Promise<void>
  /** Ends it, and says how much of it there was. */
  readonly end: (queue: Queue) => Promise<number>
}

export interface PairsFigures {
  /** Jobs per second of a drain alone, and of one beside the other thing: medians. */
  readonly alone: number
  readonly beside: number
  /** How many times as fast the latter is, from the pairs. */
  readonly ratio: RatioEstimate
  /** How much there was of the other thing in a second of it: the median. */
  readonly othersPerSecond: number
}

const script = fileURLToPath(new URL('../scale/worker-process.ts', import.meta.url))
const ways = ['alone', 'beside'] as const
type Way = (typeof ways)[number]

interface Drained {
  readonly perSecond: number
  readonly othersPerSecond: number
}

/**
 * One worker process drains a queue, alone and beside something else, in turns. All drains are in one database, so that each finds
 * what the others have left.
 */
export async function runPairs(options: PairsOptions, beside: Beside): Promise<PairsFigures> {
  const { pairs, count, onStep } = options
  const databases = createTestDatabases({
    serverUrl: options.serverUrl,
    templateKey: `${beside.name} ${process.pid}`,
    prepareTemplate: async (connectionString) => void (await migrateUp({ connectionString })),
  })
  try {
    const { url } = await databases.create()
    await using queue = Object.assign(createQueue({ connectionString: url }), {
      [Symbol.asyncDispose]: () => queue.close(),
    })
    await beside.prepare?.(queue)
    const drains: Record<Way, Drained>[] = []
    for (let pair = 1; pair <= pairs; pair += 1) {
      onStep(`${beside.name}, pair ${pair} of ${pairs}`)
      const drained = {} as Record<Way, Drained>
      // Neither way is always the second.
      for (const way of pair % 2 === 0 ? ways : ways.toReversed()) {
        drained[way] = await drainOnce({ queue, url, count, beside }, way)
      }
      drains.push(drained)
    }
    return figuresOf(drains)
  } finally {
    await databases.dropAll()
  }
}

interface Drain {
  readonly queue: Queue
  readonly url: string
  readonly count: number
  readonly beside: Beside
}

async function drainOnce({ queue, url, count, beside }: Drain, way: Way): Promise<Drained> {
  const order = { url, handlerMs: beside.handlerMs, ...(way === 'beside' && beside.order) }
  const workers = await forkProcesses(script, 1, order satisfies ScaleOrder)
  let beganMs = 0
  const fill = async (jobs: number): Promise<void> => {
    const producer = await ours.produce(url)
    await producer.addMany(jobs)
    await producer.close()
    // The first time it is for the warm-up.
    if (way === 'beside' && jobs === count) await beside.begin?.(queue)
    beganMs = performance.now()
  }
  try {
    const perSecond = await drainWith({ queue, workers, fill, count })
    if (way === 'alone') return { perSecond, othersPerSecond: 0 }
    const seconds = (performance.now() - beganMs) / 1_000
    return { perSecond, othersPerSecond: (await beside.end(queue)) / seconds }
  } finally {
    for (const worker of workers) worker.kill('SIGKILL')
  }
}

function figuresOf(drains: readonly Record<Way, Drained>[]): PairsFigures {
  const of = (way: Way): number[] => drains.map((drained) => drained[way].perSecond)
  return {
    alone: median(of('alone')),
    beside: median(of('beside')),
    ratio: estimateRatio(drains.map(({ alone, beside }) => beside.perSecond / alone.perSecond)),
    othersPerSecond: median(drains.map(({ beside }) => beside.othersPerSecond)),
  }
}

/** The figures as lines; `others` names what there is in a second beside the drain. */
export function renderPairs(name: string, figures: PairsFigures, others: string): string {
  const { alone, beside, ratio, othersPerSecond } = figures
  const { lower, upper } = ratio
  const bounds = lower === null || upper === null ? '' : `, 95 %: ${lower.toFixed(3)} to ${upper.toFixed(3)}`
  return `${name}
  drain alone       ${Math.round(alone)} jobs/s
  drain beside      ${Math.round(beside)} jobs/s, beside ${Math.round(othersPerSecond)} ${others}
  ${name}, drain beside vs alone: ${ratio.ratio.toFixed(3)}×${bounds}
`
}

export function pairsRatios(name: string, { ratio }: PairsFigures): Record<string, number> {
  return { [`${name}, drain beside vs alone`]: ratio.ratio }
}
