import { setTimeout as sleep } from 'node:timers/promises'
import { createQueue, type Queue } from '@queue/core'
import { connect, type ConnectedDatabase, databaseOf } from '@queue/core/internal'
import type { TestDatabases } from '@queue/dev-postgres'
import type pg from 'pg'
import { median } from '../median.ts'
import { type Claimer, createClaimer } from '../claimer.ts'
import { limitedJob } from './limited-job.ts'

export interface BehindOptions {
  readonly databases: TestDatabases
  /** The number of waiting and processed jobs, relative to the full run. */
  readonly scale: number
  readonly rounds: number
  readonly onStep: (step: string) => void
}

/** The median duration of a claim, or of a poll that finds nothing, in milliseconds. */
export type BehindFigures = Readonly<Record<BehindName, number>>

/** The situations in which claims are measured. */
export type BehindName =
  | 'empty, 1 key'
  | 'empty, 100 keys'
  | 'behind a full key'
  | 'behind many full keys'
  | 'held snapshot, 1 key'
  | 'held snapshot, 100 keys'
  | 'idle, no keys ever'
  | 'idle, many keys done'
  | 'idle, behind many full keys'

const claimSize = 50
const workBatch = 500
const waitingMax = 1_000_000
const keysMax = 100_000
const processedMax = 200_000

/** The objects with which a situation is prepared and measured. */
interface Environment {
  readonly queue: Queue
  readonly pool: pg.Pool
  readonly claimer: Claimer
  readonly scale: number
}

/** Measures claims in each situation, and in an empty queue with the same keys. */
export async function measureBehind(options: BehindOptions): Promise<BehindFigures> {
  const figures: Partial<Record<BehindName, number>> = {}
  for (const { names, prepare } of situations) {
    options.onStep(`limits: ${names.join(', ')}`)
    await withEnvironment(options, async (environment) => {
      const cleanUp = await prepare(environment)
      for (const name of names) {
        const keys = name.endsWith('100 keys') ? 100 : 1
        figures[name] = name.startsWith('idle')
          ? await measureIdle(environment, options.rounds)
          : await measureClaim(environment, { keys, rounds: options.rounds })
      }
      await cleanUp?.()
    })
  }
  return figures as BehindFigures
}

interface Situation {
  readonly names: readonly BehindName[]
  /** Resolves with a function to call after the measurement, if it needs one. */
  prepare(environment: Environment): Promise<void | (() => Promise<unknown>)>
}

const situations: readonly Situation[] = [
  { names: ['empty, 1 key', 'empty, 100 keys', 'idle, no keys ever'], prepare: async () => undefined },
  { names: ['behind a full key'], prepare: (environment) => fillKeys(environment, 1) },
  {
    names: ['behind many full keys', 'idle, behind many full keys'],
    prepare: (environment) => fillKeys(environment, keysMax * environment.scale),
  },
  {
    names: ['idle, many keys done'],
    prepare: (environment) => processEachKey(environment, keysMax * environment.scale),
  },
  { names: ['held snapshot, 1 key'], prepare: (environment) => processUnderSnapshot(environment, 1) },
  { names: ['held snapshot, 100 keys'], prepare: (environment) => processUnderSnapshot(environment, 100) },
]

async function withEnvironment(
  { databases, scale }: BehindOptions,
  body: (environment: Environment) => Promise<void>,
): Promise<void> {
  const { url: connectionString, drop } = await databases.create()
  const database: ConnectedDatabase = connect({
    connectionString,
    queryTimeoutMs: 300_000,
    preparedStatements: true,
  })
  const queue = createQueue({ connectionString, queryTimeoutMs: 300_000 })
  try {
    await queue.limits.set({ queue: 'default', scope: 'each_key', maxRunning: 1_000_000 })
    const claimer = await createClaimer(database, { workerId: 'claimer', kind: limitedJob.kind })
    await body({ queue, pool: databaseOf(queue).pool, claimer, scale })
  } finally {
    await queue.close()
    await database.close()
    await drop()
  }
}

/** Inserts jobs that have been due for an hour, so that they come before all others. */
function insertWaiting(pool: pg.Pool, count: number, keys: number): Promise<unknown> {
  return pool.query(
    `WITH added AS (
       INSERT INTO queue.jobs (id, queue, kind, priority, payload, run_at, key)
       SELECT gen_random_uuid(), 'default', '${limitedJob.kind}', 4, '{}', now() - interval '1 hour', 'full' || n % ${keys}
         FROM generate_series(1, ${count}) AS n RETURNING *
     )
     INSERT INTO queue.lane_events (due_at, queue, kind, key, priority)
     SELECT min(run_at), queue, kind, key, priority FROM added GROUP BY queue, kind, key, priority`,
  )
}

/** Fills this number of keys: each has one running job and room for no other, and all waiting jobs have these keys. */
async function fillKeys({ queue, pool, claimer, scale }: Environment, keys: number): Promise<void> {
  await queue.limits.set({ queue: 'default', scope: 'each_key', maxRunning: 1 })
  await queue.limits.set({ queue: 'default', scope: 'key', name: 'k0', maxRunning: 1_000_000 })
  await insertWaiting(pool, waitingMax * scale, keys)
  for (let running = 0; running < keys; ) running += (await claimer.claim(1_000)).jobs.length
  await claimer.claim(1_000)
  await vacuum(pool)
}

/** Processes one job of each of this number of keys. */
async function processEachKey({ pool, claimer }: Environment, keys: number): Promise<void> {
  await insertWaiting(pool, keys, keys)
  await processJobs(claimer, keys)
  await vacuum(pool)
}

/** Processes jobs of this number of keys while an open transaction keeps every row version. */
async function processUnderSnapshot({ queue, pool, claimer, scale }: Environment, keys: number) {
  const snapshotClient = await pool.connect()
  await snapshotClient.query('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM queue.queues')
  for (let processed = 0; processed < processedMax * scale; processed += workBatch) {
    await enqueueKeys(queue, workBatch, keys)
    await processJobs(claimer, workBatch)
  }
  return async () => {
    await snapshotClient.query('ROLLBACK')
    snapshotClient.release()
  }
}

async function processJobs(claimer: Claimer, count: number): Promise<void> {
  for (let processed = 0; processed < count; ) {
    const { jobs } = await claimer.claim(workBatch)
    await claimer.finish(jobs)
    processed += jobs.length
  }
}

function vacuum(pool: pg.Pool): Promise<unknown> {
  return pool.query('VACUUM (ANALYZE) queue.jobs, queue.lanes, queue.lane_events, queue.limit_counters')
}

async function enqueueKeys(queue: Queue, count: number, keys: number): Promise<void> {
  await queue.enqueueMany(
    Array.from({ length: count }, (_, n) => limitedJob.create({}, { key: `k${n % keys}` })),
  )
}

/**
 * Measures a claim of fifty jobs. Jobs in lanes and other jobs come first by turns, so that every second claim needs two
 * statements. Therefore a sample consists of two claims.
 */
async function measureClaim(
  { queue, claimer }: Environment,
  { keys, rounds }: { readonly keys: number; readonly rounds: number },
): Promise<number> {
  const samples: number[] = []
  for (let round = -1; round < rounds; round += 1) {
    await enqueueKeys(queue, 2 * claimSize, keys)
    const startedMs = performance.now()
    const first = await claimer.claim(claimSize)
    const second = await claimer.claim(claimSize)
    const elapsedMs = performance.now() - startedMs
    const jobs = [...first.jobs, ...second.jobs]
    await claimer.finish(jobs)
    await processJobs(claimer, 2 * claimSize - jobs.length)
    if (round >= 0) samples.push(elapsedMs / 2)
  }
  return median(samples)
}

const idlePauseMs = 20

/** Measures a poll that finds nothing, by a worker that has seen lanes a moment ago. */
async function measureIdle({ queue, claimer }: Environment, rounds: number): Promise<number> {
  await enqueueKeys(queue, 1, 1)
  await processJobs(claimer, 1)
  await claimer.claim(claimSize)
  const samples: number[] = []
  for (let round = 0; round < 2 * rounds; round += 1) {
    const startedMs = performance.now()
    await claimer.claim(claimSize)
    samples.push(performance.now() - startedMs)
    await sleep(idlePauseMs)
  }
  return median(samples)
}
