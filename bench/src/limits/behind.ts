import { setTimeout as sleep } from 'node:timers/promises'
import { type ConnectedDatabase, createQueue, type Queue } from '@queue/core'
import { connect } from '@queue/core/schema'
import type { TestDatabases } from '@queue/dev-postgres'
import type pg from 'pg'
import { median } from '../median.ts'
import { type Claimer, createClaimer, limitedJob } from './claimer.ts'

export interface BehindOptions {
  readonly databases: TestDatabases
  /** How much waits, and was done, relative to the full run. */
  readonly scale: number
  readonly rounds: number
  readonly onStep: (step: string) => void
}

/** Milliseconds of a claim, or of a poll that finds nothing, medians. */
export type BehindFigures = Readonly<Record<BehindName, number>>

/** What the jobs that are claimed have behind or before them. */
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

const claimed = 50
const workBatch = 500
const waitingMax = 1_000_000
const keysMax = 100_000
const doneMax = 200_000

/** What one situation is made in. */
interface Stage {
  readonly queue: Queue
  readonly pool: pg.Pool
  readonly claimer: Claimer
  readonly scale: number
}

/** Claims in each situation, and in an empty queue with the same keys, all in one run. */
export async function measureBehind(options: BehindOptions): Promise<BehindFigures> {
  const figures: Partial<Record<BehindName, number>> = {}
  for (const { names, prepare } of situations) {
    options.onStep(`limits: ${names.join(', ')}`)
    await onStage(options, async (stage) => {
      const undo = await prepare(stage)
      for (const name of names) {
        const keys = name.endsWith('100 keys') ? 100 : 1
        figures[name] = name.startsWith('idle')
          ? await measureIdle(stage, options.rounds)
          : await measureClaim(stage, { keys, rounds: options.rounds })
      }
      await undo?.()
    })
  }
  return figures as BehindFigures
}

interface Situation {
  readonly names: readonly BehindName[]
  /** What it returns is called when all is measured. */
  prepare(stage: Stage): Promise<void | (() => Promise<unknown>)>
}

const situations: readonly Situation[] = [
  { names: ['empty, 1 key', 'empty, 100 keys', 'idle, no keys ever'], prepare: async () => undefined },
  { names: ['behind a full key'], prepare: (stage) => fillKeys(stage, 1) },
  {
    names: ['behind many full keys', 'idle, behind many full keys'],
    prepare: (stage) => fillKeys(stage, keysMax * stage.scale),
  },
  { names: ['idle, many keys done'], prepare: (stage) => workOff(stage, keysMax * stage.scale) },
  { names: ['held snapshot, 1 key'], prepare: (stage) => workUnderSnapshot(stage, 1) },
  { names: ['held snapshot, 100 keys'], prepare: (stage) => workUnderSnapshot(stage, 100) },
]

async function onStage(
  { databases, scale }: BehindOptions,
  body: (stage: Stage) => Promise<void>,
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
    const claimer = await createClaimer(database, 'claimer')
    await body({ queue, pool: queue.database.pool, claimer, scale })
  } finally {
    await queue.close()
    await database.close()
    await drop()
  }
}

/** Jobs that wait for an hour: before all others. */
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

/** So many keys, each with one job that runs and no room for another, and all that waits is theirs. */
async function fillKeys({ queue, pool, claimer, scale }: Stage, keys: number): Promise<void> {
  await queue.limits.set({ queue: 'default', scope: 'each_key', maxRunning: 1 })
  await queue.limits.set({ queue: 'default', scope: 'key', name: 'k0', maxRunning: 1_000_000 })
  await insertWaiting(pool, waitingMax * scale, keys)
  for (let running = 0; running < keys; ) running += (await claimer.claim(1_000)).jobs.length
  await claimer.claim(1_000)
  await tidy(pool)
}

/** One job of each of so many keys is run to its end. */
async function workOff({ pool, claimer }: Stage, keys: number): Promise<void> {
  await insertWaiting(pool, keys, keys)
  await workAll(claimer, keys)
  await tidy(pool)
}

/** Jobs of these keys are run while a transaction keeps every version of every row. */
async function workUnderSnapshot({ queue, pool, claimer, scale }: Stage, keys: number) {
  const holder = await pool.connect()
  await holder.query('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM queue.queues')
  for (let done = 0; done < doneMax * scale; done += workBatch) {
    await enqueueKeys(queue, workBatch, keys)
    await workAll(claimer, workBatch)
  }
  return async () => {
    await holder.query('ROLLBACK')
    holder.release()
  }
}

async function workAll(claimer: Claimer, count: number): Promise<void> {
  for (let done = 0; done < count; ) {
    const { jobs } = await claimer.claim(workBatch)
    await claimer.finish(jobs)
    done += jobs.length
  }
}

function tidy(pool: pg.Pool): Promise<unknown> {
  return pool.query('VACUUM (ANALYZE) queue.jobs, queue.lanes, queue.lane_events, queue.limit_counters')
}

async function enqueueKeys(queue: Queue, count: number, keys: number): Promise<void> {
  await queue.enqueueMany(
    Array.from({ length: count }, (_, n) => limitedJob.create({}, { key: `k${n % keys}` })),
  )
}

/**
 * A claim of fifty jobs. Jobs in lanes and others take turns to come first, so that every other claim is of two statements:
 * two claims are one sample.
 */
async function measureClaim(
  { queue, claimer }: Stage,
  { keys, rounds }: { readonly keys: number; readonly rounds: number },
): Promise<number> {
  const samples: number[] = []
  for (let round = -1; round < rounds; round += 1) {
    await enqueueKeys(queue, 2 * claimed, keys)
    const startedMs = performance.now()
    const first = await claimer.claim(claimed)
    const second = await claimer.claim(claimed)
    const taken = performance.now() - startedMs
    const jobs = [...first.jobs, ...second.jobs]
    await claimer.finish(jobs)
    await workAll(claimer, 2 * claimed - jobs.length)
    if (round >= 0) samples.push(taken / 2)
  }
  return median(samples)
}

const idleEveryMs = 20

/** A poll that finds nothing, of a worker to which lanes were there a moment ago. */
async function measureIdle({ queue, claimer }: Stage, rounds: number): Promise<number> {
  await enqueueKeys(queue, 1, 1)
  await workAll(claimer, 1)
  await claimer.claim(claimed)
  const samples: number[] = []
  for (let round = 0; round < 2 * rounds; round += 1) {
    const startedMs = performance.now()
    await claimer.claim(claimed)
    samples.push(performance.now() - startedMs)
    await sleep(idleEveryMs)
  }
  return median(samples)
}
