import { randomUUID } from 'node:crypto'
import { createQueue } from '@queue/core'
import { type ClaimedJob, ClaimMemory, claimJobs, finishJobs } from '@queue/core/runtime'
import { registerWorker } from '@queue/core/workers'
import type { TestDatabase } from '@queue/testing'
import pg from 'pg'
import { chaosJob } from '../fleet/chaos-job.ts'

export interface ClaimerOptions {
  readonly count: number
  readonly queue: string
  /** Jobs in one claim. */
  readonly limit: number
  /** Whether they finish at once what they got; default: they do. */
  readonly finishes?: boolean
}

/** One claim of one of several workers that claim beside each other. */
export interface Taken {
  /** When it took its jobs, on the database's clock in milliseconds. */
  readonly atMs: number
  readonly jobs: readonly ClaimedJob[]
}

/** Workers that exist as rows only. */
export interface Claimers {
  /** Every claim that has been answered. */
  readonly taken: readonly Taken[]
  /** They claim until `isOver` says so of what has been taken. Rejects when a claim fails. */
  work(isOver: (taken: readonly Taken[]) => boolean): Promise<void>
  close(): Promise<void>
}

const leaseMs = 3_600_000

export async function openClaimers(
  { url }: Pick<TestDatabase, 'url'>,
  { count, queue, limit, finishes = true }: ClaimerOptions,
): Promise<Claimers> {
  const pool = new pg.Pool({ connectionString: url, max: count + 1 })
  const { database, close } = createQueue({ pool })
  const taken: Taken[] = []
  const work = async (isOver: (taken: readonly Taken[]) => boolean): Promise<void> => {
    const workerId = `${queue}-${randomUUID()}`
    const about = { hostname: 'claimers', pid: 1, version: '0', kinds: [chaosJob.kind], concurrency: 1 }
    await registerWorker(database, { ...about, id: workerId, queues: [queue], leaseMs })
    const memory = new ClaimMemory([queue])
    while (!isOver(taken)) {
      const clock = { nowMs: () => undefined }
      const scope = {
        memory,
        kinds: [chaosJob.kind],
        eligible: 'any',
        answerWithinMs: leaseMs,
        clock,
      } as const
      const claim = await claimJobs(database, { workerId, limit, ...scope })
      // No payload was left behind.
      const jobs = claim.jobs as readonly ClaimedJob[]
      taken.push({ atMs: claim.databaseNowMs, jobs })
      if (!finishes) continue
      await finishJobs(
        database,
        jobs.map(({ lease }) => ({ lease, resultText: 'null', note: null })),
      )
    }
  }
  return {
    taken,
    work: async (isOver) => {
      await Promise.all(Array.from({ length: count }, () => work(isOver)))
    },
    close: async () => {
      await close()
      await pool.end()
    },
  }
}
