import { retryOrDeadLetterJobs, writeLogs } from '@queue/core/internal'
import type { TestDatabase } from '@queue/testing'
import { chaosJob } from '../fleet/chaos-job.ts'
import { openClaimers } from '../run/claimers.ts'

export const failingQueue = 'failing'
/** The log lines of the first job of each claim. */
export const logLines = 18
const claimMax = 20

/** Jobs that fail for good, through the code of workers. */
export interface Failures {
  /** Enqueues so many jobs and lets them fail, each with an error of its own. Resolves with their ids. */
  fail(count: number): Promise<readonly string[]>
  /** The job that has log lines. */
  loggedId(): string
  close(): Promise<void>
}

export async function openFailures(database: TestDatabase): Promise<Failures> {
  let failed = 0
  const done = new Set<string>()
  const claimers = await openClaimers(database, {
    count: 1,
    queue: failingQueue,
    limit: claimMax,
    end: async (inside, jobs) => {
      const lines = Array.from({ length: logLines }, (_, line) => {
        return {
          line: line + 1,
          atMs: Date.now(),
          level: 'info',
          message: `line ${line}`,
          fieldsText: null,
        } as const
      })
      for (const { lease, attempt } of jobs.slice(0, 1)) await writeLogs(inside, [{ lease, attempt, lines }])
      const failures = jobs.map(({ lease }) => {
        failed += 1
        const cause = { errorClass: 'Error', fingerprint: failed.toString(16).padStart(16, '0') }
        return { lease, error: 'failed', cause, waitMs: 0, permanent: true }
      })
      await retryOrDeadLetterJobs(inside, failures)
      for (const { lease } of jobs) done.add(lease.jobId)
    },
  })
  let turn: Promise<unknown> = Promise.resolve()
  return {
    fail: async (count) => {
      const jobs = Array.from({ length: count }, () =>
        chaosJob.create({ key: 'failing', plan: 'succeed', ms: 0 }, { queue: failingQueue }),
      )
      const enqueued = await database.queue.enqueueMany(jobs)
      const ids = enqueued.map(({ job }) => job.id)
      turn = turn.then(() => claimers.claimUntil(() => ids.every((id) => done.has(id))))
      await turn
      return ids
    },
    loggedId: () => done.values().next().value ?? '',
    close: claimers.close,
  }
}
