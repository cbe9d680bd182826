import {
  type ConnectedDatabase,
  createQueue,
  type JobOptions,
  type Queue,
  type QueueDatabase,
} from '@queue/core'
import {
  type ClaimedJob,
  type ClaimInput,
  claimJobs,
  ClaimMemory,
  type Completion,
  finishInTransaction,
  finishJobs,
  recoverJobs,
  retryOrDeadLetterJobs,
} from '@queue/core/runtime'
import { registerWorker } from '@queue/core/workers'
import type { TestDatabase } from '@queue/testing'
import type pg from 'pg'
import type { Plan } from '../fleet/chaos-job.ts'
import { chaosJob } from '../fleet/chaos-job.ts'
import { noteEffect } from '../record/effect-log.ts'
import { type Client, createClient } from '../run/client.ts'
import type { World } from '../run/world.ts'
import type { MutatedPool } from './mutated-pool.ts'

/**
 * Where the cases are played: the product's own statements, called by workers that exist as rows only, so that each
 * can be made to die, to pause or to be late at any point of its work.
 */
export interface Harness {
  /** The statements under test, with their defect. */
  readonly queue: Queue
  readonly database: ConnectedDatabase
  /** Another pool for the statements under test, whose sessions have this name. */
  openPool: MutatedPool['open']
  /** The database as it is, without any defect. */
  readonly plain: TestDatabase
  readonly client: Client
  /** A queue of its own for each case, so that no case works off another one's jobs. */
  openQueue(): string
  /** Enqueues jobs of this plan. */
  enqueue(queue: string, jobs: HarnessJobs): Promise<readonly EnqueuedJob[]>
  /** Registers a worker whose lease holds for as long as the cases take. `name` begins its id. */
  hire(queue: string, name?: string): Promise<string>
  /** Claims up to `limit` jobs, whose handlers note their beginning: anew, or with what claims before it have seen. */
  claim(
    workerId: string,
    from: string | readonly string[] | ClaimMemory,
    limit?: number,
  ): Promise<ClaimedJob[]>
  /** Sends a claim whose answer nobody hears, because its caller waits no longer than that. */
  claimUnheard(workerId: string, queue: string, patience: Patience): Promise<void>
  /** The handlers come to their end, and it is written; by default in a statement of its own. */
  finish(jobs: readonly ClaimedJob[], on?: QueueDatabase): Promise<Completion[]>
  /** The same for failures. */
  fail(jobs: readonly ClaimedJob[]): Promise<Completion[]>
  /** The handler ends its job in its own transaction; gives what the fence has said. */
  transact(job: ClaimedJob): Promise<'finished' | 'lease_lost'>
  /** The worker renews its lease no more: it was killed, or paused for too long. */
  expire(workerId: string): Promise<void>
  recover(): Promise<void>
  /** What waits in the queue may start now. */
  makeDue(queue: string): Promise<void>
  /** A worker that is hired for it works off what is left of the queue, by plan. */
  workOff(queue: string): Promise<void>
  /** The same for every queue, after a recovery. */
  workOffAll(): Promise<void>
  /** Notes an answer that should have been another one. */
  expectAnswer(what: string, isRight: boolean): void
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

/** For how long a claim's caller waits, and since when. */
export type Patience = Pick<ClaimInput, 'answerWithinMs' | 'clock'>

const leaseMs = 3_600_000
/** A caller that waits for as long as a case takes. */
export const patient: Patience = { answerWithinMs: leaseMs, clock: { nowMs: () => undefined } }
/** More than any job of the cases has attempts: with a defect, some would go on for ever. */
const roundsMax = 10

export function createHarness(world: World, { pool, open }: Pick<MutatedPool, 'pool' | 'open'>): Harness {
  const { database: plain, history } = world
  const queue = createQueue({ pool })
  const database = queue.database
  const client = createClient(queue, history)
  const wrongAnswers: string[] = []
  let queues = 0
  let keys = 0
  let hired = 0

  const note = async (jobs: readonly ClaimedJob[], phase: 'begun' | 'ended'): Promise<void> => {
    for (const { lease } of jobs) await noteEffect(plain.pool, { ...lease, phase })
  }
  const harness: Harness = {
    queue,
    database,
    openPool: open,
    plain,
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
    hire: async (name, prefix = 'actor') => {
      const id = `${prefix}-${(hired += 1)}`
      const about = { hostname: 'harness', pid: 1, version: '0', kinds: [chaosJob.kind], concurrency: 1 }
      await registerWorker(database, { ...about, id, queues: [name], leaseMs })
      return id
    },
    claim: async (workerId, from, limit = 10) => {
      const memory = from instanceof ClaimMemory ? from : new ClaimMemory([from].flat())
      const claim = await claimJobs(database, { workerId, limit, ...scopeOf(memory), ...patient })
      // No payload was left behind.
      const jobs = claim.jobs as readonly ClaimedJob[]
      await note(jobs, 'begun')
      return [...jobs]
    },
    claimUnheard: async (workerId, name, patience) => {
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
      await plain.pool.query(
        `UPDATE queue.workers SET lease_expires_at = now() - interval '1 second' WHERE id = $1`,
        [workerId],
      )
    },
    recover: async () => void (await recoverJobs(database)),
    makeDue: async (name) => {
      await plain.pool.query(
        `UPDATE queue.jobs SET run_at = now() WHERE queue = $1 AND status IN ('queued', 'retrying')`,
        [name],
      )
    },
    workOff: async (name) => {
      const workerId = await harness.hire(name, 'closer')
      for (let round = 0; round < roundsMax; round += 1) {
        await harness.makeDue(name)
        const jobs = await harness.claim(workerId, name)
        if (jobs.length === 0) return
        await harness.finish(jobs.filter((job) => !fails(job)))
        await harness.fail(jobs.filter(fails))
      }
    },
    workOffAll: async () => {
      await harness.recover()
      for (let number = 1; number <= queues; number += 1) await harness.workOff(queueName(number))
    },
    expectAnswer: (what, isRight) => {
      if (!isRight) wrongAnswers.push(what)
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

/** As the runtime does it: the handler's writes, the fence last, and everything rolled back when it says no. */
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
