import { limits } from '@queue/core'
import {
  type AgeRange,
  type Lease,
  leaseKey,
  listOwnLeases,
  type QueueDatabase,
  returnUnstartedJobs,
} from '@queue/core/internal'
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
  readonly heldLeases: () => readonly Lease[]
  /** Resolves when the claim that is in flight now, if any, has ended. */
  readonly claimEnded: () => Promise<void>
}

/** A statement whose reply was lost may still commit within this time. */
const suspicionMs = 90_000
/** A full check begins this often, even if no claim failed. */
const sweepIntervalMs = 60_000
/** The pause after a check, as a multiple of its duration. */
const pauseFactor = 20

/**
 * Finds running jobs that name this process but are unknown to it, and returns them uncharged. They exist when the reply of a
 * claim was lost, or when a failover lost an end that was already recorded. Jobs of any age are found.
 */
export class Reconciler {
  readonly #options: ReconcileOptions
  /** No job of a claim that failed within the suspicion time is older than this. */
  readonly #suspiciousAgeMs: number
  #suspectUntilMs = Number.NEGATIVE_INFINITY
  #sweepAtMs: number
  #current: { readonly workerId: string; readonly sweep: Sweep } | undefined

  constructor(options: ReconcileOptions) {
    this.#options = options
    this.#suspiciousAgeMs = suspicionMs + 2 * options.settings.queryTimeoutMs
    this.#sweepAtMs = options.nowMs() + sweepIntervalMs
  }

  /** Called when a claim has failed: such jobs may exist from now on. */
  suspect(): void {
    this.#suspectUntilMs = this.#options.nowMs() + suspicionMs
  }

  /** Checks the ages at which such jobs may exist now. */
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

  /** Checks once more at the shutdown, even if no claim failed, because recovery would charge such jobs. */
  async reconcileLast(): Promise<void> {
    const workerId = this.#options.workerId()
    if (workerId === undefined) return
    const { fromAgeMs, toAgeMs } = this.#sweepOf(workerId).next()
    const toAgeMsLast = Math.max(this.#suspiciousAgeMs, toAgeMs - fromAgeMs)
    await this.#check(workerId, { fromAgeMs: 0, toAgeMs: toAgeMsLast })
  }

  /** Checks the jobs in this range of ages. Returns how long the database took to read them, in milliseconds. */
  async #check(workerId: string, ages: AgeRange): Promise<number> {
    const { database, logger, heldLeases, claimEnded } = this.#options
    const { leases, tookMs } = await listOwnLeases(database, { workerId, ...ages })
    // A claim that was in flight during the query has its jobs in memory once it has ended.
    await claimEnded()
    const known = new Set(heldLeases().map(({ jobId, token }) => leaseKey(jobId, token)))
    const unknown = leases.filter(({ jobId, token }) => !known.has(leaseKey(jobId, token)))
    const jobs = await this.#returnUnstarted(unknown)
    if (jobs > 0) logger.warn('returned running jobs that name this worker but are unknown to it', { jobs })
    return tookMs
  }

  /** Returns these jobs uncharged. Resolves with the number actually returned: an attempt may have ended since the query. */
  async #returnUnstarted(leases: readonly Lease[]): Promise<number> {
    let jobs = 0
    for (let start = 0; start < leases.length; start += limits.completionBatchMax) {
      const group = leases.slice(start, start + limits.completionBatchMax)
      const completions = await returnUnstartedJobs(this.#options.database, group)
      jobs += completions.filter(({ outcome }) => outcome === 'finished').length
    }
    return jobs
  }

  /** Checks the next part of the sweep, and schedules the part after it. */
  async #sweepOn(workerId: string): Promise<void> {
    const { nowMs } = this.#options
    const current = this.#sweepOf(workerId)
    const startedMs = nowMs()
    try {
      const tookMs = await this.#check(workerId, current.next())
      current.done(tookMs)
      this.#sweepAtMs = nowMs() + Math.max(pauseFactor * tookMs, current.isComplete ? sweepIntervalMs : 0)
    } catch (error) {
      current.failed()
      this.#sweepAtMs = nowMs() + pauseFactor * (nowMs() - startedMs)
      throw error
    }
  }

  /** The sweep of this worker id. A new id has no older jobs, so it begins a new sweep. */
  #sweepOf(workerId: string): Sweep {
    if (this.#current?.workerId !== workerId) {
      const { nowMs } = this.#options
      const sinceMs = nowMs()
      this.#current = { workerId, sweep: createSweep(() => nowMs() - sinceMs) }
    }
    return this.#current.sweep
  }
}
