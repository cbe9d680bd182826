import { createQueue, type JobOptions, type Queue } from '@queue/core'
import {
  type ClaimedJob,
  type ClaimInput,
  claimJobs,
  ClaimMemory,
  type Completion,
  type ConnectedDatabase,
  databaseOf,
  finishInTransaction,
  finishJobs,
  type QueueDatabase,
  recoverJobs,
  registerWorker,
  retryOrDeadLetterJobs,
} from '@queue/core/internal'
import type { TestDatabase } from '@queue/testing'
import type pg from 'pg'
import type { Plan } from '../fleet/chaos-job.ts'
import { chaosJob } from '../fleet/chaos-job.ts'
import { noteEffect } from '../record/effect-log.ts'
import { type Client, createClient } from '../run/client.ts'
import type { World } from '../run/world.ts'
import type { MutatedPool } from './mutated-pool.ts'

/**
 * The harness of the cases. It calls the product's own statements for workers that exist only as rows, so that a case can make
 * each worker die, pause or be late at any point of its work.
 */
export interface Harness {
  /** The statements under test, with their defect. */
  readonly queue: Queue
  readonly database: ConnectedDatabase
  /** Another pool for the statements under test, whose sessions have this name. */
  openPool: MutatedPool['open']
  /** The database without the defect. */
  readonly unmutated: TestDatabase
  readonly client: Client
  /** A new queue for each case, so that no case runs the jobs of another. */
  openQueue(): string
  /** Enqueues jobs of this plan. */
  enqueue(queue: string, jobs: HarnessJobs): Promise<readonly EnqueuedJob[]>
  /** Registers a worker with a lease that is longer than the cases take. `name` is the prefix of its id. */
  addWorker(queue: string, name?: string): Promise<string>
  /** Claims up to `limit` jobs and logs the start of their handlers. A `ClaimMemory` carries over from earlier claims. */
  claim(
    workerId: string,
    from: string | readonly string[] | ClaimMemory,
    limit?: number,
  ): Promise<ClaimedJob[]>
  /** Sends a claim and ignores its answer, as a caller that has stopped waiting. */
  claimWithoutAnswer(workerId: string, queue: string, patience: ClaimTiming): Promise<void>
  /** Ends the handlers and records their success, by default in a statement of its own. */
  finish(jobs: readonly ClaimedJob[], on?: QueueDatabase): Promise<Completion[]>
  /** The same for failures. */
  fail(jobs: readonly ClaimedJob[]): Promise<Completion[]>
  /** Ends the job in a transaction of the handler; resolves with the answer of the fence. */
  transact(job: ClaimedJob): Promise<'finished' | 'lease_lost'>
  /** Expires the lease of the worker, as if it was killed or paused for too long. */
  expire(workerId: string): Promise<void>
  recover(): Promise<void>
  /** Makes all waiting jobs of the queue due. */
  makeDue(queue: string): Promise<void>
  /** Runs the remaining jobs of the queue with a new worker, by their plans. */
  drainQueue(queue: string): Promise<void>
  /** Runs a recovery, and then the remaining jobs of every queue. */
  drainAll(): Promise<void>
  /** Records `problem` as a wrong answer unless `isCorrect`. */
  expectAnswer(problem: string, isCorrect: boolean): void
  readonly wrongAnswers: readonly string[]
}

/** An enqueued job, as its client knows it. */
export interface EnqueuedJob {
  readonly key: string
  readonly id: string
}

export interface HarnessJobs {
  readonly plan: Plan
  readonly count: number
  readonly options?: JobOptions
}

/** How long the caller of a claim waits, and the clock from which it counts. */
export type ClaimTiming = Pick<ClaimInput, 'answerWithinMs' | 'clock'>

const leaseMs = 3_600_000
/** The timing of a caller that waits longer than a case takes. */
export const patientTiming: ClaimTiming = { answerWithinMs: leaseMs, clock: { nowMs: () => undefined } }
/** More rounds than any job of the cases has attempts. With a defect, some jobs would never end. */
const roundsMax = 10

export function createHarness(world: World, { pool, open }: Pick<MutatedPool, 'pool' | 'open'>): Harness {
  const { database: unmutated, history } = world
  const queue = createQueue({ pool })
  const database = databaseOf(queue)
  const client = createClient(queue, history)
  const wrongAnswers: string[] = []
  let queues = 0
  let keys = 0
  let workers = 0

  const note = async (jobs: readonly ClaimedJob[], phase: 'begun' | 'ended'): Promise<void> => {
    for (const { lease } of jobs) await noteEffect(unmutated.pool, { ...lease, phase })
  }
  const harness: Harness = {
    queue,
    database,
    openPool: open,
    unmutated,
    client,
    openQueue: () => queueName((queues += 1)),
    enqueue: async (name, { plan, count, options }) => {
      const jobs = Array.from({ length: count }, () => ({
        key: `m${(keys += 1)}`,
        plan,
        ms: 0,
        options: { queue: name, ...options },
      }))
      const ids = await client.enqueue(jobs)
      if (ids === undefined) throw new Error('the jobs of a case could not be enqueued')
      return ids.map((id, index) => ({ id, key: jobs[index]?.key ?? '' }))
    },
    addWorker: async (name, prefix = 'actor') => {
      const id = `${prefix}-${(workers += 1)}`
      const registration = {
        hostname: 'harness',
        pid: 1,
        version: '0',
        zoneVersion: '2026a',
        kinds: [chaosJob.kind],
        concurrency: 1,
      }
      await registerWorker(database, { ...registration, id, queues: [name], leaseMs })
      return id
    },
    claim: async (workerId, from, limit = 10) => {
      const memory = from instanceof ClaimMemory ? from : new ClaimMemory([from].flat())
      const claim = await claimJobs(database, { workerId, limit, ...scopeOf(memory), ...patientTiming })
      // A claim without `payloadBytesMax` has all payloads.
      const jobs = claim.jobs as readonly ClaimedJob[]
      await note(jobs, 'begun')
      return [...jobs]
    },
    claimWithoutAnswer: async (workerId, name, patience) => {
      await claimJobs(database, { workerId, limit: 10, ...scopeOf(new ClaimMemory([name])), ...patience })
    },
    finish: async (jobs, on = database) => {
      await note(jobs, 'ended')
      return finishJobs(on, jobs.map(finishOf))
    },
    fail: async (jobs) => {
      await note(jobs, 'ended')
      const error = (job: ClaimedJob): string => `lease ${job.lease.token} fails as planned`
      return retryOrDeadLetterJobs(
        database,
        jobs.map((job) => ({ lease: job.lease, error: error(job), waitMs: 0, permanent: false })),
      )
    },
    transact: async (job) => {
      await note([job], 'ended')
      return transact(job, pool)
    },
    expire: async (workerId) => {
      await unmutated.pool.query(
        `UPDATE queue.workers SET lease_expires_at = now() - interval '1 second' WHERE id = $1`,
        [workerId],
      )
    },
    recover: async () => void (await recoverJobs(database)),
    makeDue: async (name) => {
      await unmutated.pool.query(
        `UPDATE queue.jobs SET run_at = now() WHERE queue = $1 AND status IN ('queued', 'retrying')`,
        [name],
      )
    },
    drainQueue: async (name) => {
      const workerId = await harness.addWorker(name, 'closer')
      for (let round = 0; round < roundsMax; round += 1) {
        await harness.makeDue(name)
        const jobs = await harness.claim(workerId, name)
        if (jobs.length === 0) return
        await harness.finish(jobs.filter((job) => !fails(job)))
        await harness.fail(jobs.filter(fails))
      }
    },
    drainAll: async () => {
      await harness.recover()
      for (let number = 1; number <= queues; number += 1) await harness.drainQueue(queueName(number))
    },
    expectAnswer: (problem, isCorrect) => {
      if (!isCorrect) wrongAnswers.push(problem)
    },
    wrongAnswers,
  }
  return harness
}

function scopeOf(memory: ClaimMemory) {
  return { memory, kinds: [chaosJob.kind], eligible: 'any' } as const
}

function queueName(number: number): string {
  return `case-${number}`
}

function fails(job: ClaimedJob): boolean {
  return (job.payload as { plan: Plan }).plan === 'fail_always'
}

function finishOf({ lease }: ClaimedJob) {
  return { lease, resultText: JSON.stringify({ token: lease.token }), note: null }
}

/** As the runtime does: the handler's writes first, the fence last, and a rollback if the fence refuses. */
async function transact(job: ClaimedJob, pool: pg.Pool): Promise<'finished' | 'lease_lost'> {
  const transaction = await pool.connect()
  try {
    await transaction.query('BEGIN')
    await noteEffect(transaction, { ...job.lease, phase: 'transacted' })
    const outcome = await finishInTransaction({ transaction, schema: 'queue' }, finishOf(job))
    await transaction.query(outcome === 'finished' ? 'COMMIT' : 'ROLLBACK')
    return outcome
  } finally {
    transaction.release(true)
  }
}

/** One case with a few jobs. Jobs that it leaves behind are finished after all cases have run. */
export type Case = (harness: Harness) => Promise<void>
