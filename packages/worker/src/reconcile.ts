import { limits, type QueueDatabase } from '@queue/core'
import { type AgeRange, type Lease, leaseKey, listOwnLeases, returnUnstartedJobs } from '@queue/core/runtime'
import type { Logger } from '@queue/loop'
import type { WorkerSettings } from './options.ts'
import { createSweep, type Sweep } from './sweep.ts'

export interface ReconcileOptions {
  readonly database: QueueDatabase
  readonly logger: Logger
  readonly nowMs: () => number
  readonly settings: Pick<WorkerSettings, 'queryTimeoutMs'>
  readonly workerId: () => string | undefined
  /** The leases that this process has in memory: their jobs run, wait, or have their ends recorded. */
  readonly held: () => readonly Lease[]
  /** Resolves when the claim that is in flight now, if any, has ended. */
  readonly claimEnded: () => Promise<void>
}

/** A statement whose reply was lost may still commit for so long. */
const suspicionMs = 90_000
/** Even without suspicion everything is looked through so often. */
const regularMs = 60_000
/** A check is followed by a pause of so many times what it took. */
const pauseFactor = 20

/**
 * Finds the jobs that name this process and that it does not know of, however old: a claim's reply was lost on its way,
 * or a database that was set back runs again what had ended.
 */
export class Reconciler {
  readonly #options: ReconcileOptions
  /** What a claim has taken that failed within the suspicion is no older. */
  readonly #suspiciousAgeMs: number
  #suspectUntilMs = Number.NEGATIVE_INFINITY
  #sweepAtMs: number
  #sweep: { readonly workerId: string; readonly of: Sweep } | undefined

  constructor(options: ReconcileOptions) {
    this.#options = options
    this.#suspiciousAgeMs = suspicionMs + 2 * options.settings.queryTimeoutMs
    this.#sweepAtMs = options.nowMs() + regularMs
  }

  /** A claim has failed, so that such jobs may exist from now on. */
  suspect(): void {
    this.#suspectUntilMs = this.#options.nowMs() + suspicionMs
  }

  /** Looks for them where there may be any, and returns them uncharged. */
  async reconcile(): Promise<void> {
    const { workerId: currentId, nowMs } = this.#options
    const workerId = currentId()
    if (workerId === undefined) return
    const { fromAgeMs, toAgeMs } = this.#sweepOf(workerId).next()
    const isDue = nowMs() >= this.#sweepAtMs
    const isCovered = isDue && fromAgeMs === 0 && toAgeMs >= this.#suspiciousAgeMs
    if (nowMs() < this.#suspectUntilMs && !isCovered) {
      await this.#check(workerId, { fromAgeMs: 0, toAgeMs: this.#suspiciousAgeMs })
    }
    if (isDue) await this.#sweepOn(workerId)
  }

  /** The same at the end of this worker, without asking for a reason: recovery would charge what is left. */
  async reconcileLast(): Promise<void> {
    const workerId = this.#options.workerId()
    if (workerId === undefined) return
    const { fromAgeMs, toAgeMs } = this.#sweepOf(workerId).next()
    const toAgeMsLast = Math.max(this.#suspiciousAgeMs, toAgeMs - fromAgeMs)
    await this.#check(workerId, { fromAgeMs: 0, toAgeMs: toAgeMsLast })
  }

  /** Checks the jobs of these ages, and gives how long the database took to read them. */
  async #check(workerId: string, ages: AgeRange): Promise<number> {
    const { database, logger, held, claimEnded } = this.#options
    const own = await listOwnLeases(database, { workerId, ...ages })
    // A claim that was in flight during the query has brought its jobs into memory by then.
    await claimEnded()
    const known = new Set(held().map(({ jobId, token }) => leaseKey(jobId, token)))
    const unknown = own.leases.filter(({ jobId, token }) => !known.has(leaseKey(jobId, token)))
    const jobs = await this.#returnUnstarted(unknown)
    if (jobs > 0) logger.warn('jobs that name this worker and that it does not know are returned', { jobs })
    return own.tookMs
  }

  /** How many of them were really returned: an attempt may have ended between the query and now. */
  async #returnUnstarted(leases: readonly Lease[]): Promise<number> {
    let jobs = 0
    for (let start = 0; start < leases.length; start += limits.completionBatchMax) {
      const group = leases.slice(start, start + limits.completionBatchMax)
      const completions = await returnUnstartedJobs(this.#options.database, group)
      jobs += completions.filter(({ outcome }) => outcome === 'finished').length
    }
    return jobs
  }

  /** Checks the next part of the past, and says when the part behind it is due. */
  async #sweepOn(workerId: string): Promise<void> {
    const { nowMs } = this.#options
    const current = this.#sweepOf(workerId)
    const startedMs = nowMs()
    try {
      const tookMs = await this.#check(workerId, current.next())
      current.done(tookMs)
      this.#sweepAtMs = nowMs() + Math.max(pauseFactor * tookMs, current.isComplete ? regularMs : 0)
    } catch (error) {
      current.failed()
      this.#sweepAtMs = nowMs() + pauseFactor * (nowMs() - startedMs)
      throw error
    }
  }

  /** The sweep of this id: under a new one there is nothing older. */
  #sweepOf(workerId: string): Sweep {
    if (this.#sweep?.workerId !== workerId) {
      const { nowMs } = this.#options
      const sinceMs = nowMs()
      this.#sweep = { workerId, of: createSweep(() => nowMs() - sinceMs) }
    }
    return this.#sweep.of
  }
}
