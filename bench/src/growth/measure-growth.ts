import { createQueue, defineJob, type Queue } from '@queue/core'
import {
  checkLeases,
  claimJobs,
  ClaimMemory,
  connect,
  type ConnectedDatabase,
  finishJobs,
  type LocatedLease,
  pruneJobs,
  recoverJobs,
  registerWorker,
} from '@queue/core/internal'
import pg from 'pg'
import { z } from 'zod'
import { type Cost, createMeasuringPool } from './measuring-pool.ts'
import type { Situation } from './situations.ts'

/** The operations that are measured. `claim` is a worker's usual claim, which continues from its scan positions. */
export const operations = ['claim', 'claim, full scan', 'finish', 'cancel poll', 'recovery', 'prune'] as const
export type Operation = (typeof operations)[number]

export type Costs = Readonly<Record<Operation, Cost>>

export interface MeasureOptions {
  /** An empty, migrated database. */
  readonly url: string
  readonly situation: Situation
  /** The number of rows, relative to the published figures. */
  readonly scale: number
  readonly rounds: number
}

const batch = 50
const workerId = 'bench-worker'
const queues = ['default']
const kinds = ['bench']
const waitOptions = { answerWithinMs: 300_000, clock: { nowMs: () => undefined } } as const
const claimScope = { workerId, kinds, eligible: 'any', ...waitOptions } as const
/** Jobs per claim, as a worker with a backlog prefetches. */
const workBatch = 500
const dayMs = 86_400_000
const retention = { succeededMs: 7 * dayMs, cancelledMs: 7 * dayMs, failedMs: 30 * dayMs, keyMs: null }
const benchJob = defineJob({ kind: 'bench', payload: z.object({}) })

/** Measures the median cost of each operation on `batch` jobs in this situation. */
export async function measureGrowth({ url, situation, scale, rounds }: MeasureOptions): Promise<Costs> {
  const setupPool = new pg.Pool({ connectionString: url, max: 3 })
  const setup = connect({ pool: setupPool, queryTimeoutMs: 300_000 })
  const measuring = createMeasuringPool(url)
  const measured = connect({ pool: measuring.pool, queryTimeoutMs: 300_000 })
  const queue = createQueue({ pool: setupPool })
  await register(setup)
  const cleanUp = await situation.prepare({ pool: setupPool, scale, work: (count) => work(setup, count) })
  await setupPool.query('VACUUM (ANALYZE) queue.jobs')
  try {
    const samples = await sample({ queue, measured, take: measuring.take, rounds })
    return Object.fromEntries(operations.map((operation) => [operation, median(samples[operation])])) as Costs
  } finally {
    await cleanUp()
    await measuring.pool.end()
    await setupPool.end()
  }
}

interface Sampling {
  readonly queue: Queue
  readonly measured: ConnectedDatabase
  readonly take: () => Cost[]
  readonly rounds: number
}

async function sample({ queue, measured, take, rounds }: Sampling): Promise<Record<Operation, Cost[]>> {
  const samples = Object.fromEntries(operations.map((operation) => [operation, [] as Cost[]])) as Record<
    Operation,
    Cost[]
  >
  const record = async (operation: Operation, run: () => Promise<unknown>): Promise<void> => {
    take()
    await run()
    const [cost] = take()
    if (cost === undefined) throw new Error(`the operation "${operation}" sent no measured statement`)
    samples[operation].push(cost)
  }
  const memory = new ClaimMemory(queues)
  for (let round = 0; round < rounds; round += 1) {
    let claimed: readonly LocatedLease[] = []
    for (const operation of ['claim, full scan', 'claim'] as const) {
      await queue.enqueueMany(Array.from({ length: batch }, () => benchJob.create({})))
      if (operation === 'claim, full scan') memory.rescanFor('any')
      await record(operation, async () => {
        const claim = await claimJobs(measured, {
          ...claimScope,
          limit: batch,
          memory,
        })
        claimed = [...claimed, ...claim.jobs]
      })
    }
    await record('cancel poll', () => checkLeases(measured, claimed.slice(0, batch)))
    await record('recovery', () => recoverJobs(measured))
    await record('prune', () => pruneJobs(measured, retention, null))
    await record('finish', () => finishJobs(measured, claimed.slice(0, batch).map(succeeded)))
    await finishJobs(measured, claimed.slice(batch).map(succeeded))
  }
  return samples
}

function succeeded({ lease }: Pick<LocatedLease, 'lease'>) {
  return { lease, resultText: null, note: null }
}

async function register(database: ConnectedDatabase): Promise<void> {
  const worker = {
    id: workerId,
    hostname: 'bench',
    pid: 1,
    version: '0',
    zoneVersion: '2026a',
    concurrency: batch,
    leaseMs: 3_600_000,
  }
  await registerWorker(database, { ...worker, queues, kinds })
}

/** Claims and finishes jobs as a worker does, with scan positions. */
async function work(database: ConnectedDatabase, count: number): Promise<void> {
  const memory = new ClaimMemory(queues)
  for (let processed = 0; processed < count; ) {
    const claim = await claimJobs(database, {
      ...claimScope,
      limit: workBatch,
      memory,
    })
    await finishJobs(database, claim.jobs.map(succeeded))
    processed += claim.jobs.length
    if (claim.jobs.length === 0) return
  }
}

function median(costs: readonly Cost[]): Cost {
  const middle = (values: readonly number[]): number =>
    values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
  return { ms: middle(costs.map(({ ms }) => ms)), buffers: middle(costs.map(({ buffers }) => buffers)) }
}
