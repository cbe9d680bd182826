import { type ConnectedDatabase, createQueue, defineJob, type Queue } from '@queue/core'
import { claimJobs, ClaimMemory, finishJobs, pruneJobs, recoverJobs } from '@queue/core/runtime'
import { connect } from '@queue/core/schema'
import { checkLeases, type LocatedLease, registerWorker } from '@queue/core/workers'
import pg from 'pg'
import { z } from 'zod'
import { type Cost, createMeasuringPool } from './measuring-pool.ts'
import type { Situation } from './situations.ts'

/** What is measured. A claim comes as a worker's steady one, which knows how far it has scanned, and as a full one. */
export const operations = ['claim', 'claim, full scan', 'finish', 'cancel poll', 'recovery', 'prune'] as const
export type Operation = (typeof operations)[number]

export type Costs = Readonly<Record<Operation, Cost>>

export interface MeasureOptions {
  /** An empty, migrated database. */
  readonly url: string
  readonly situation: Situation
  /** How many rows, relative to the published table; 1 is all of them. */
  readonly scale: number
  readonly rounds: number
}

const batch = 50
const workerId = 'bench-worker'
const queues = ['default']
const kinds = ['bench']
const patience = { answerWithinMs: 300_000, clock: { nowMs: () => undefined } } as const
const claimScope = { workerId, kinds, eligible: 'any', ...patience } as const
/** As many at a time as a worker with a backlog fetches ahead. */
const workBatch = 500
const dayMs = 86_400_000
const retention = { succeededMs: 7 * dayMs, cancelledMs: 7 * dayMs, failedMs: 30 * dayMs, keyMs: null }
const benchJob = defineJob({ kind: 'bench', payload: z.object({}) })

/** The median cost of each operation on `batch` jobs, in the given situation. */
export async function measureGrowth({ url, situation, scale, rounds }: MeasureOptions): Promise<Costs> {
  const plainPool = new pg.Pool({ connectionString: url, max: 3 })
  const plain = connect({ pool: plainPool, queryTimeoutMs: 300_000 })
  const measuring = createMeasuringPool(url)
  const measured = connect({ pool: measuring.pool, queryTimeoutMs: 300_000 })
  const queue = createQueue({ pool: plainPool })
  await register(plain)
  const undo = await situation.prepare({ pool: plainPool, scale, work: (count) => work(plain, count) })
  await plainPool.query('VACUUM (ANALYZE) queue.jobs')
  try {
    const samples = await sample({ queue, measured, take: measuring.take, rounds })
    return Object.fromEntries(operations.map((operation) => [operation, median(samples[operation])])) as Costs
  } finally {
    await undo()
    await measuring.pool.end()
    await plainPool.end()
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
    if (cost === undefined) throw new Error(`${operation} sent no statement that was measured`)
    samples[operation].push(cost)
  }
  const memory = new ClaimMemory(queues)
  for (let round = 0; round < rounds; round += 1) {
    let held: readonly LocatedLease[] = []
    for (const operation of ['claim, full scan', 'claim'] as const) {
      await queue.enqueueMany(Array.from({ length: batch }, () => benchJob.create({})))
      if (operation === 'claim, full scan') memory.rescanFor('any')
      await record(operation, async () => {
        const claim = await claimJobs(measured, {
          ...claimScope,
          limit: batch,
          memory,
        })
        held = [...held, ...claim.jobs]
      })
    }
    await record('cancel poll', () => checkLeases(measured, held.slice(0, batch)))
    await record('recovery', () => recoverJobs(measured))
    await record('prune', () => pruneJobs(measured, retention, null))
    await record('finish', () => finishJobs(measured, held.slice(0, batch).map(succeeded)))
    await finishJobs(measured, held.slice(batch).map(succeeded))
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
    concurrency: batch,
    leaseMs: 3_600_000,
  }
  await registerWorker(database, { ...worker, queues, kinds })
}

/** Claims and finishes as a worker does, with its memory. */
async function work(database: ConnectedDatabase, count: number): Promise<void> {
  const memory = new ClaimMemory(queues)
  for (let done = 0; done < count; ) {
    const claim = await claimJobs(database, {
      ...claimScope,
      limit: workBatch,
      memory,
    })
    await finishJobs(database, claim.jobs.map(succeeded))
    done += claim.jobs.length
    if (claim.jobs.length === 0) return
  }
}

function median(costs: readonly Cost[]): Cost {
  const middle = (values: readonly number[]): number =>
    values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
  return { ms: middle(costs.map(({ ms }) => ms)), buffers: middle(costs.map(({ buffers }) => buffers)) }
}
