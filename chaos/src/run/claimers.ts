import { randomUUID } from 'node:crypto'
import { createQueue } from '@queue/core'
import {
  type ClaimedJob,
  claimJobs,
  ClaimMemory,
  databaseOf,
  finishJobs,
  type QueueDatabase,
  registerWorker,
} from '@queue/core/internal'
import type { TestDatabase } from '@queue/testing'
import pg from 'pg'
import { chaosJob } from '../fleet/chaos-job.ts'

export interface ClaimerOptions {
  readonly count: number
  readonly queue: string
  /** The maximum number of jobs in a claim. */
  readonly limit: number
  /** What they do with claimed jobs; default: they finish them. */
  readonly end?: (database: QueueDatabase, jobs: readonly ClaimedJob[]) => Promise<unknown>
}

/** One claim of one of several workers that claim at the same time. */
export interface ClaimRecord {
  /** When it claimed its jobs, on the database's clock in milliseconds. */
  readonly atMs: number
  readonly jobs: readonly ClaimedJob[]
}

/** Workers that exist only as rows, and claim through the product's code. */
export interface Claimers {
  /** Every claim that has been answered. */
  readonly claims: readonly ClaimRecord[]
  /**
   * Claims with all workers until `isOver` returns true for the claims so far. Rejects if a claim has failed, once all of them
   * have stopped.
   */
  claimUntil(isOver: (claims: readonly ClaimRecord[]) => boolean): Promise<void>
  close(): Promise<void>
}

const leaseMs = 3_600_000

export async function openClaimers(
  { url }: Pick<TestDatabase, 'url'>,
  { count, queue, limit, end = finishAll }: ClaimerOptions,
): Promise<Claimers> {
  const pool = new pg.Pool({ connectionString: url, max: count + 1 })
  const claiming = createQueue({ pool })
  const database = databaseOf(claiming)
  const claims: ClaimRecord[] = []
  const work = async (isOver: (claims: readonly ClaimRecord[]) => boolean): Promise<void> => {
    const workerId = `${queue}-${randomUUID()}`
    const registration = {
      hostname: 'claimers',
      pid: 1,
      version: '0',
      zoneVersion: '2026a',
      kinds: [chaosJob.kind],
      concurrency: 1,
    }
    await registerWorker(database, { ...registration, id: workerId, queues: [queue], leaseMs })
    const memory = new ClaimMemory([queue])
    while (!isOver(claims)) {
      const clock = { nowMs: () => undefined }
      const scope = {
        memory,
        kinds: [chaosJob.kind],
        eligible: 'any',
        answerWithinMs: leaseMs,
        clock,
      } as const
      const claim = await claimJobs(database, { workerId, limit, ...scope })
      // A claim without `payloadBytesMax` has all payloads.
      const jobs = claim.jobs as readonly ClaimedJob[]
      claims.push({ atMs: claim.databaseNowMs, jobs })
      await end(database, jobs)
    }
  }
  return {
    claims,
    claimUntil: async (isOver) => {
      const ends = await Promise.allSettled(Array.from({ length: count }, () => work(isOver)))
      const failure = ends.find((settled) => settled.status === 'rejected')
      if (failure !== undefined) throw failure.reason
    },
    close: async () => {
      await claiming.close()
      await pool.end()
    },
  }
}

function finishAll(database: QueueDatabase, jobs: readonly ClaimedJob[]): Promise<unknown> {
  return finishJobs(
    database,
    jobs.map(({ lease }) => ({ lease, resultText: 'null', note: null })),
  )
}
