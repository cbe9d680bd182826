import { fileURLToPath } from 'node:url'
import { createQueue, migrateUp, type Queue } from '@queue/core'
import { createTestDatabases } from '@queue/dev-postgres'
import { estimateRatio, type RatioEstimate } from '../compare/estimate-ratio.ts'
import { ours } from '../contenders/ours.ts'
import { median } from '../median.ts'
import { drainWith, forkProcesses, type ScaleOrder } from '../scale/run-scale.ts'

export interface OperationsOptions {
  readonly serverUrl: string
  /** Dead letters that are there before the first drain. */
  readonly deadLetters: number
  /** Jobs of each drain. */
  readonly count: number
  /** Pairs of drains. */
  readonly pairs: number
  readonly onStep: (step: string) => void
}

export interface OperationsFigures {
  /** Jobs per second of a drain, and of one while the operation goes on: medians. */
  readonly alone: number
  readonly beside: number
  /** How many times as fast the latter is, from the pairs. */
  readonly ratio: RatioEstimate
  /** Jobs that the operation has changed in a second, meanwhile: the median. */
  readonly changedPerSecond: number
}

const rate = 500
const ways = ['alone', 'beside'] as const
type Way = (typeof ways)[number]

const script = fileURLToPath(new URL('../scale/worker-process.ts', import.meta.url))

/**
 * One worker process drains a queue, and in turn does so while it carries out an operation that requeues dead letters of another
 * queue, which nobody serves. All drains are in one database, so that each finds what the others have left.
 */
export async function runOperations(options: OperationsOptions): Promise<OperationsFigures> {
  const { deadLetters, pairs, onStep } = options
  const databases = createTestDatabases({
    serverUrl: options.serverUrl,
    templateKey: `operations ${process.pid}`,
    prepareTemplate: async (connectionString) => void (await migrateUp({ connectionString })),
  })
  try {
    const { url } = await databases.create()
    const queue = createQueue({ connectionString: url })
    try {
      onStep(`operations: ${deadLetters} dead letters are made`)
      await makeDeadLetters(queue, deadLetters)
      const drains: Record<Way, Drained>[] = []
      for (let pair = 1; pair <= pairs; pair += 1) {
        onStep(`operations, pair ${pair} of ${pairs}`)
        drains.push(await drainBothWays({ queue, url, count: options.count }, pair))
      }
      return figuresOf(drains)
    } finally {
      await queue.close()
    }
  } finally {
    await databases.dropAll()
  }
}

/** Of the last attempt of a job that a worker has never touched. */
async function makeDeadLetters({ database }: Queue, count: number): Promise<void> {
  const { pool } = database
  await pool.query(
    `INSERT INTO queue.jobs (id, queue, kind, payload, status, attempts, lease_token, finished_at)
     SELECT ('01900000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 'dead', 'bench', '{}', 'failed_permanent', 1, 1, now()
       FROM generate_series(1, $1::int) AS n`,
    [count],
  )
  await pool.query(
    `INSERT INTO queue.dead_letter_jobs (job_id, lease_token, created_at, dead_lettered_at, attempts, max_attempts, priority,
       crashes, queue, kind, payload, execution_history)
     SELECT id, 1, created_at, now(), 1, 3, 4, 0, queue, kind, payload, '[{"lease_token": 1}]' FROM queue.jobs`,
  )
  await pool.query('VACUUM ANALYZE queue.jobs, queue.dead_letter_jobs')
}

interface Drain {
  readonly queue: Queue
  readonly url: string
  readonly count: number
}

interface Drained {
  readonly perSecond: number
  readonly changedPerSecond: number
}

async function drainBothWays(drain: Drain, pair: number): Promise<Record<Way, Drained>> {
  const drained = {} as Record<Way, Drained>
  // Neither way is always the second.
  for (const way of pair % 2 === 0 ? ways : ways.toReversed()) drained[way] = await drainOnce(drain, way)
  return drained
}

async function drainOnce({ queue, url, count }: Drain, way: Way): Promise<Drained> {
  const workers = await forkProcesses(script, 1, { url, handlerMs: 0 } satisfies ScaleOrder)
  let beganMs = 0
  let operation: string | undefined
  const fill = async (jobs: number): Promise<void> => {
    const producer = await ours.produce(url)
    await producer.addMany(jobs)
    await producer.close()
    // The first time it is for the warm-up.
    if (way === 'beside' && jobs === count) operation = await startOperation(queue)
    beganMs = performance.now()
  }
  try {
    const perSecond = await drainWith({ queue, workers, fill, count })
    if (operation === undefined) return { perSecond, changedPerSecond: 0 }
    const { changed } = await queue.many.cancelOperation(operation)
    return { perSecond, changedPerSecond: changed / ((performance.now() - beganMs) / 1_000) }
  } finally {
    for (const worker of workers) worker.kill('SIGKILL')
  }
}

async function startOperation(queue: Queue): Promise<string> {
  const result = await queue.many.requeueDeadLetters({}, { rate })
  if (result.outcome === 'operation') return result.operation.id
  throw new Error('an act with a rate was done at once')
}

function figuresOf(drains: readonly Record<Way, Drained>[]): OperationsFigures {
  const of = (way: Way): number[] => drains.map((drained) => drained[way].perSecond)
  return {
    alone: median(of('alone')),
    beside: median(of('beside')),
    ratio: estimateRatio(drains.map(({ alone, beside }) => beside.perSecond / alone.perSecond)),
    changedPerSecond: median(drains.map(({ beside }) => beside.changedPerSecond)),
  }
}

export function operationsRatios({ ratio }: OperationsFigures): Record<string, number> {
  return { 'drain beside an operation vs alone': ratio.ratio }
}

/** The figures as lines. */
export function renderOperations({ alone, beside, ratio, changedPerSecond }: OperationsFigures): string {
  const bounds =
    ratio.lower === null || ratio.upper === null
      ? ''
      : `, 95 %: ${ratio.lower.toFixed(3)} to ${ratio.upper.toFixed(3)}`
  return `operations
  drain alone       ${Math.round(alone)} jobs/s
  beside one        ${Math.round(beside)} jobs/s, while it changes ${Math.round(changedPerSecond)} jobs/s
  drain beside an operation vs alone: ${ratio.ratio.toFixed(3)}×${bounds}
`
}
