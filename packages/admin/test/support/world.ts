import { defineJob, type Job, type JobOptions } from '@queue/core'
import {
  type ClaimedJob,
  claimJobs,
  ClaimMemory,
  databaseOf,
  type QueueInternals,
  registerWorker,
  type WorkerRegistration,
} from '@queue/core/internal'
import { createTestSessions, emptyQueue, type PlainSql, plainSqlOn } from '@queue/dev-postgres'
import { createTestDatabase, type TestDatabase } from '@queue/testing'
import type pg from 'pg'
import { z } from 'zod'

/** The database of one test file, with plain SQL and sessions. */
export interface World extends TestDatabase {
  readonly database: QueueInternals['database']
  readonly sql: PlainSql
  /** Opens a session for transactions that are held open. It is closed at the next reset. */
  session(): Promise<pg.Client>
  /** Ends all sessions and empties every table except the migration history; the queue `default` stays. */
  reset(): Promise<void>
}

export async function openWorld(): Promise<World> {
  const test = await createTestDatabase()
  const sessions = createTestSessions(test.directUrl)
  const sql = plainSqlOn(test.pool)
  return {
    ...test,
    database: databaseOf(test.queue),
    sql,
    session: () => sessions.open(),
    reset: async () => {
      await sessions.endAll()
      await emptyQueue({ sql })
    },
    close: async () => {
      await sessions.endAll()
      await test.close()
    },
  }
}

/** A kind of job that accepts any payload. */
const probe = defineJob({ kind: 'probe', payload: z.unknown() })

export async function enqueueProbes(
  world: World,
  count: number,
  options: JobOptions = {},
): Promise<readonly Job[]> {
  const enqueued = await world.queue.enqueueMany(
    Array.from({ length: count }, (_, n) => probe.create({ n }, options)),
  )
  return enqueued.map(({ job }) => job)
}

export async function enqueueProbe(world: World, options: JobOptions = {}): Promise<Job> {
  return only(await enqueueProbes(world, 1, options))
}

let workers = 0

/** Registers a worker with a live lease and returns its id. */
export async function registered(
  { database }: Pick<World, 'database'>,
  overrides: Partial<WorkerRegistration> = {},
): Promise<string> {
  workers += 1
  const id = `worker-${workers}`
  await registerWorker(database, {
    id,
    hostname: 'host',
    pid: 1,
    version: '0.0.0',
    zoneVersion: '2026a',
    queues: ['default'],
    kinds: ['probe'],
    concurrency: 4,
    leaseMs: 30_000,
    ...overrides,
  })
  return id
}

/** Claims the jobs that are due in these queues. The caller's deadline is longer than any test takes. */
export async function claim(
  { database }: Pick<World, 'database'>,
  workerId: string,
  {
    queues = ['default'],
    limit = 1_000,
  }: { readonly queues?: readonly string[]; readonly limit?: number } = {},
): Promise<readonly ClaimedJob[]> {
  const { jobs } = await claimJobs(database, {
    workerId,
    memory: new ClaimMemory(queues),
    kinds: ['probe'],
    limit,
    eligible: 'any',
    answerWithinMs: 600_000,
    clock: { nowMs: () => undefined },
  })
  // Only a claim with `payloadBytesMax` returns jobs without their payloads.
  return jobs as readonly ClaimedJob[]
}

/** A job that a registered worker has claimed for its first attempt. */
export async function running(world: World, options: JobOptions = {}): Promise<ClaimedJob> {
  const { id } = await enqueueProbe(world, options)
  const claimed = await claim(world, await registered(world))
  return only(claimed.filter((job) => job.id === id))
}

function only<Item>(items: readonly Item[]): Item {
  const [item] = items
  if (item === undefined) throw new Error('there is none')
  return item
}
