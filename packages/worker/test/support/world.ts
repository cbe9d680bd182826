import { afterAll, afterEach, beforeAll, test } from '@jest/globals'
import { defineJob, type Job, type JobOptions } from '@queue/core'
import { isContention, isTransient } from '@queue/postgres'
import { type Executor, type HandlerFunction, handle } from '@queue/executor'
import {
  assertInvariants,
  createTestDatabase,
  eventually,
  isPooled,
  type RecordingLogger,
  recordLogger,
  type TestDatabase,
} from '@queue/test-database'
import type pg from 'pg'
import { z } from 'zod'
import { createWorker, type Worker, type WorkerOptions } from '../../src/index.ts'
import { type RecordingObserver, recordObserver } from './recording-observer.ts'

/** A kind that accepts any payload, for the handlers of a test. Its failures are retried at once. */
export const testJob = defineJob({
  kind: 'test_job',
  payload: z.looseObject({}),
  retryPolicy: { type: 'fixed', baseMs: 1 },
})

/** A test of missing privileges. Behind a pooler it is skipped, because the workers connect as the owner of the tables. */
export const testRoles: (name: string, run: () => Promise<void>) => void = isPooled() ? test.skip : test

export type TestHandler = HandlerFunction<typeof testJob.payload>

/** The settings of the worker under test. The defaults are short times. */
export type Settings = Partial<
  Omit<WorkerOptions, 'pool' | 'connectionString' | 'handlers' | 'executor'> & {
    readonly connectionString: string
    readonly poolMax: number
  }
>

/** The database of a test file, with workers. Every test starts with empty tables and without workers. */
export interface World {
  readonly database: TestDatabase
  /** The events of all workers of this test. */
  readonly observer: RecordingObserver
  readonly logger: RecordingLogger
  /** Starts a worker whose handler of `testJob` is `handler`. It is stopped after the test at the latest. */
  work(handler: TestHandler, settings?: Settings): Promise<Worker>
  /** Starts such a worker on the test's own pool, which the test closes after it has stopped the worker. */
  onPool(pool: pg.Pool, handler: TestHandler, settings?: Settings): Promise<Worker>
  /** Starts such a worker with an executor. */
  execute(executor: Executor, settings?: Settings): Promise<Worker>
  /** Creates such a worker without starting it. */
  create(work: Pick<WorkerOptions, 'handlers' | 'executor'>, settings?: Settings): Worker
  /** Enqueues a `testJob`. Resolves with its id. */
  enqueue(options?: JobOptions): Promise<string>
  job(id: string): Promise<Job>
  /** Makes a waiting job due now. */
  makeDue(id: string): Promise<void>
  /** Waits until the job was recovered from a lost worker, and makes its next attempt due now. */
  recovered(id: string): Promise<void>
  /** The outcomes of the job's ended attempts, oldest first. */
  history(id: string): Promise<string[]>
  /** Waits until the job has one of these statuses. Resolves with the job. */
  reached(id: string, ...statuses: Job['status'][]): Promise<Job>
}

/** Short enough for tests, and long enough for a busy machine. */
const quick = {
  pollIntervalMs: 10,
  maxPollIntervalMs: 20,
  recoveryIntervalMs: 50,
  watchIntervalMs: 20,
  timeoutGraceMs: 50,
  shutdownGraceMs: 1_000,
  poolMax: 4,
  notifications: !isPooled(),
} as const

const tables = [
  'jobs',
  'ended_jobs',
  'job_executions',
  'job_logs',
  'job_errors',
  'job_error_days',
  'job_stats',
  'dead_letter_jobs',
  'workers',
  'schedules',
  'schedule_sources',
  'job_metadata',
]

/** The session of a killed process may still run its last statement, which locks tables in another order. */
async function emptyTables({ pool }: TestDatabase): Promise<void> {
  const truncate = `TRUNCATE ${tables.map((table) => `queue.${table}`).join(', ')}`
  await pool.query(truncate).catch((error: unknown) => {
    if (isContention(error)) return pool.query(truncate)
    throw error
  })
}

const startTriesMax = 20

/**
 * Starts the worker that `make` creates. With short timeouts a busy database may not answer in time; then it starts another one.
 */
async function startPatiently(make: () => Worker): Promise<Worker> {
  for (let tries = 1; ; tries += 1) {
    const worker = make()
    try {
      await worker.start()
      return worker
    } catch (error) {
      if (tries === startTriesMax || !isTransient(error)) throw error
      await worker.stop()
    }
  }
}

/** Creates the world before all tests of the calling file, and cleans it up after each test. Call it at the top level. */
export function useWorld(): World {
  let database: TestDatabase | undefined
  let observer = recordObserver()
  let logger = recordLogger()
  let workers: Worker[] = []
  const open = (): TestDatabase => {
    if (database === undefined) throw new Error('the world is there in tests only')
    return database
  }

  beforeAll(async () => {
    database = await createTestDatabase()
  })
  afterEach(async () => {
    const running = workers
    workers = []
    try {
      await Promise.all(running.map((worker) => worker.stop()))
      await assertInvariants(open())
    } finally {
      await emptyTables(open())
      observer = recordObserver()
      logger = recordLogger()
    }
  })
  afterAll(() => database?.close())

  const world: World = {
    get database() {
      return open()
    },
    get observer() {
      return observer
    },
    get logger() {
      return logger
    },
    create: (work, settings = {}) => {
      const base = { connectionString: open().urlAs('worker'), metrics: observer, logger, ...quick }
      const worker = createWorker({ ...base, ...settings, ...work } as WorkerOptions)
      workers.push(worker)
      return worker
    },
    execute: (executor, settings) => startPatiently(() => world.create({ executor }, settings)),
    onPool: async (pool, handler, settings = {}) => {
      const base = { pool, metrics: observer, logger, ...quick }
      const worker = createWorker({ ...base, ...settings, handlers: [handle(testJob, handler)] })
      workers.push(worker)
      await worker.start()
      return worker
    },
    work: (handler, settings) => {
      const handlers = [handle(testJob, handler)]
      return startPatiently(() => world.create({ handlers }, settings))
    },
    enqueue: async (options) => (await open().queue.enqueue(testJob, {}, options)).job.id,
    job: async (id) => {
      const job = await open().queue.get(id)
      if (job === undefined) throw new Error(`there is no job ${id}`)
      return job
    },
    makeDue: async (id) => {
      await open().pool.query('UPDATE queue.jobs SET run_at = now() WHERE id = $1', [id])
      // The event of a job with a key is due no later than the job.
      await open().pool.query('UPDATE queue.lane_events SET due_at = now() WHERE due_at > now()')
    },
    recovered: async (id) => {
      await eventually(async () => (await world.job(id)).crashes > 0, { what: `that job ${id} is recovered` })
      await world.makeDue(id)
    },
    history: async (id) => ((await open().queue.executions(id)) ?? []).map((execution) => execution.outcome),
    reached: async (id, ...statuses) => {
      // The job of this check is returned, because it may change before another check.
      const reachedJob = async (): Promise<Job | false> => {
        const job = await world.job(id)
        return statuses.includes(job.status) && job
      }
      return eventually(reachedJob, { what: `that job ${id} is ${statuses.join(' or ')}` })
    },
  }
  return world
}
