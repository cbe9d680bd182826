import { limits, type QueueDatabase } from '@queue/core'
import { type AgeRange, giveBackJobs, type Lease, leaseKey, listOwnLeases } from '@queue/core/runtime'
import type { Logger } from './logger.ts'
import { createSweep, type Sweep } from './sweep.ts'

export interface ReconcileOptions {
  readonly database: QueueDatabase
  readonly logger: Logger
  readonly nowMs: () => number
  /** How long a claim may take before it is given up. */
  readonly queryTimeoutMs: number
  readonly workerId: () => string | undefined
  /** The leases that this process has in memory: their jobs run, wait, or have their ends recorded. */
  readonly held: () => readonly Lease[]
  /** Resolves when no claim that is in flight now is in flight any more. */
  readonly claimsSettled: () => Promise<void>
}

/**
 * Finds the jobs that name this process and that it does not know of, however old: a claim's reply was lost on its way,
 * or a database that was set back runs again what had ended.
 */
export interface Reconciler {
  /** A claim has failed, so that such jobs may exist from now on. */
  suspect(): void
  /** Looks for them where there may be any, and returns them uncharged. */
  reconcile(): Promise<void>
  /** The same at the end of this worker, without asking for a reason: recovery would charge what is left. */
  reconcileLast(): Promise<void>
}

/** A statement whose reply was lost may still commit for so long. */
const suspicionMs = 90_000
/** Even without suspicion everything is looked through so often. */
const regularMs = 60_000
/** A look is followed by a pause of so many times what it took. */
const pauseFactor = 20

export function createReconciler(options: ReconcileOptions): Reconciler {
  const { database, nowMs } = options
  /** What a claim has taken that failed within the suspicion is no older. */
  const suspiciousAgeMs = suspicionMs + 2 * options.queryTimeoutMs
  let suspectUntilMs = Number.NEGATIVE_INFINITY
  let sweepAtMs = nowMs() + regularMs
  let sweep: { readonly workerId: string; readonly of: Sweep } | undefined

  const sweepOf = (workerId: string): Sweep => {
    if (sweep?.workerId !== workerId) {
      const sinceMs = nowMs()
      sweep = { workerId, of: createSweep(() => nowMs() - sinceMs) }
    }
    return sweep.of
  }

  /** How many of them were really returned: an attempt may have ended between the look and now. */
  const giveBack = async (leases: readonly Lease[]): Promise<number> => {
    let jobs = 0
    for (let start = 0; start < leases.length; start += limits.settleBatchMax) {
      const settled = await giveBackJobs(database, leases.slice(start, start + limits.settleBatchMax))
      jobs += settled.filter(({ outcome }) => outcome === 'finished').length
    }
    return jobs
  }

  /** Looks for jobs of these ages, and gives how long the database took to read them. */
  const look = async (workerId: string, ages: AgeRange): Promise<number> => {
    const own = await listOwnLeases(database, { workerId, ...ages })
    // A claim that was in flight during the look has brought its jobs into memory by then.
    await options.claimsSettled()
    const held = new Set(options.held().map(({ jobId, token }) => leaseKey(jobId, token)))
    const unknown = own.leases.filter(({ jobId, token }) => !held.has(leaseKey(jobId, token)))
    const jobs = await giveBack(unknown)
    if (jobs > 0)
      options.logger.warn('jobs that name this worker and that it does not know are returned', { jobs })
    return own.tookMs
  }

  const sweepOn = async (workerId: string): Promise<void> => {
    const current = sweepOf(workerId)
    const startedMs = nowMs()
    try {
      const tookMs = await look(workerId, current.next())
      current.done(tookMs)
      sweepAtMs = nowMs() + Math.max(pauseFactor * tookMs, current.isComplete ? regularMs : 0)
    } catch (error) {
      current.failed()
      sweepAtMs = nowMs() + pauseFactor * (nowMs() - startedMs)
      throw error
    }
  }

  return {
    suspect: () => {
      suspectUntilMs = nowMs() + suspicionMs
    },
    reconcile: async () => {
      const workerId = options.workerId()
      if (workerId === undefined) return
      const { fromAgeMs, toAgeMs } = sweepOf(workerId).next()
      const isDue = nowMs() >= sweepAtMs
      const isCovered = isDue && fromAgeMs === 0 && toAgeMs >= suspiciousAgeMs
      if (nowMs() < suspectUntilMs && !isCovered) {
        await look(workerId, { fromAgeMs: 0, toAgeMs: suspiciousAgeMs })
      }
      if (isDue) await sweepOn(workerId)
    },
    reconcileLast: async () => {
      const workerId = options.workerId()
      if (workerId === undefined) return
      const { fromAgeMs, toAgeMs } = sweepOf(workerId).next()
      await look(workerId, { fromAgeMs: 0, toAgeMs: Math.max(suspiciousAgeMs, toAgeMs - fromAgeMs) })
    },
  }
}
