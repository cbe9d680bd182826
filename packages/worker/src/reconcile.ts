import { type Lease, limits, type QueueDatabase } from '@queue/core'
import { giveBackJobs, leaseKey, listOwnLeases } from '@queue/core/runtime'
import type { Logger } from './logger.ts'

export interface ReconcileOptions {
  readonly database: QueueDatabase
  readonly logger: Logger
  readonly nowMs: () => number
  readonly workerId: () => string | undefined
  /** The leases that this process has in memory: their jobs run, wait, or have their ends recorded. */
  readonly held: () => readonly Lease[]
  /** Resolves when no claim that is in flight now is in flight any more. */
  readonly claimsSettled: () => Promise<void>
}

/** Finds the jobs that name this process and that it does not know of: a claim's reply was lost on its way. */
export interface Reconciler {
  /** A claim or the record of an end has failed, so that such jobs may exist from now on. */
  suspect(): void
  /** Looks for them where there may be any, and gives them back uncharged. */
  reconcile(): Promise<void>
  /** The same at the end of this worker, without asking for a reason: recovery would charge what is left. */
  reconcileLast(): Promise<void>
}

/** A statement whose reply was lost may still commit for so long. */
const suspicionMs = 90_000
/** Even without suspicion there is a look so often. */
const regularMs = 60_000
/** The next look begins so long before the last one: rows that committed late have an earlier `locked_at`. */
const overlapMs = 120_000

export function createReconciler(options: ReconcileOptions): Reconciler {
  const { database, nowMs } = options
  let suspectUntilMs = Number.NEGATIVE_INFINITY
  let lookedAtMs = nowMs()
  let seen: { readonly workerId: string; readonly sinceMs: number } | undefined

  /** How many of them were really given back: an attempt may have ended between the look and now. */
  const giveBack = async (leases: readonly Lease[]): Promise<number> => {
    let jobs = 0
    for (let start = 0; start < leases.length; start += limits.settleBatchMax) {
      const settled = await giveBackJobs(database, leases.slice(start, start + limits.settleBatchMax))
      jobs += settled.filter(({ outcome }) => outcome === 'finished').length
    }
    return jobs
  }

  const look = async (workerId: string): Promise<void> => {
    const sinceMs = seen?.workerId === workerId ? seen.sinceMs : 0
    const own = await listOwnLeases(database, { workerId, sinceMs })
    // A claim that was in flight during the look has brought its jobs into memory by then.
    await options.claimsSettled()
    const held = new Set(options.held().map(({ jobId, token }) => leaseKey(jobId, token)))
    const unknown = own.leases.filter(({ jobId, token }) => !held.has(leaseKey(jobId, token)))
    const jobs = await giveBack(unknown)
    if (jobs > 0) options.logger.warn('jobs of a claim whose reply was lost are given back', { jobs })
    seen = { workerId, sinceMs: own.nowMs - overlapMs }
  }

  return {
    suspect: () => {
      suspectUntilMs = nowMs() + suspicionMs
    },
    reconcile: async () => {
      const workerId = options.workerId()
      const isDue = nowMs() < suspectUntilMs || nowMs() - lookedAtMs >= regularMs
      if (workerId === undefined || !isDue) return
      await look(workerId)
      lookedAtMs = nowMs()
    },
    reconcileLast: async () => {
      const workerId = options.workerId()
      if (workerId !== undefined) await look(workerId)
    },
  }
}
