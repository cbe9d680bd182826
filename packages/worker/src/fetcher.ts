import { limits } from '@queue/core'
import { type Eligible, type Lease, mayWait, type UnbegunJob } from '@queue/core/runtime'
import { createAlarm } from '@queue/loop'
import type { Claimed, Claimer } from './claimer.ts'
import {
  type Backlog,
  type ClaimEnd,
  type FetcherEvent,
  type FetcherState,
  nextState,
  type Outlook,
  showsWork,
} from './fetcher-states.ts'
import type { WorkerSettings } from './options.ts'
import type { PayloadSizes, Prefetch } from './prefetch.ts'
import type { RefusedEnds } from './refused-ends.ts'
import type { Permits, Runner } from './runner.ts'

export interface FetcherOptions {
  readonly claimer: Claimer
  readonly prefetch: Prefetch
  readonly runner: Pick<Runner, 'begin' | 'unrecorded' | 'runsCrashed'> & {
    readonly permits: Pick<Permits, 'free' | 'take' | 'untake'>
  }
  readonly refusedEnds: Pick<RefusedEnds, 'isFull'>
  readonly settings: Pick<WorkerSettings, 'pollIntervalMs' | 'maxPollIntervalMs'>
  readonly nowMs: () => number
  /** The id to claim under; undefined while this process has no lease. */
  readonly workerId: () => string | undefined
  /** Returns jobs that will not be begun here. */
  readonly returnUnstarted: (jobs: readonly UnbegunJob[]) => void
}

/** Above so many unrecorded ends nothing more is claimed: the database is behind. */
const unrecordedMax = 2 * limits.completionBatchMax
/** While jobs are fetched ahead, those that may not wait in memory get a claim of their own so often … */
const slotClaimEveryMs = 25
/** … or, after a claim of all sorts that found none of them, so often. */
const slotClaimRarelyMs = 200
/** A fetched job that has not begun by now goes back, because another worker may be idle. */
const waitMsMax = 250

/**
 * The one claimer of a process: a permit first, then the claim, then the start. Its states, and what leads from one to
 * the next, are in `fetcher-states.ts`; this is what it does in each of them.
 */
export class Fetcher {
  readonly #options: FetcherOptions
  readonly #outlook: LiveOutlook
  /** Ends the wait of `idle`. */
  readonly #news = createAlarm()
  /** Ends the waits for room. */
  readonly #room = createAlarm()
  #state: FetcherState = 'idle'
  /** How long the next `idle` waits. */
  #pollMs: number
  /** True until a claim ahead is sent: what begins after it runs while PostgreSQL claims. */
  #isSending = false
  #claiming: Promise<unknown> = Promise.resolve()
  #running: Promise<void> = Promise.resolve()

  constructor(options: FetcherOptions) {
    this.#options = options
    this.#outlook = new LiveOutlook(options)
    this.#pollMs = options.settings.pollIntervalMs
  }

  start(): void {
    this.#running = this.#run()
  }

  /** Something was announced: the next claim comes at once if there is room, and not at the end of the poll interval. */
  wake(): void {
    // What is announced during a claim may have come too late for it, and its answer must not hide that.
    if (this.#outlook.backlog === 'none') this.#outlook.backlog = 'announced'
    if (this.#state === 'idle') this.#news.ring()
    this.#room.ring()
  }

  /** A slot has become free, or an end was recorded: what waits in memory may begin. Called twice for each job. */
  onRoom(): void {
    if (this.#state !== 'awaiting_slot') this.#beginFetched()
    this.#room.ring()
  }

  /** The leases of the jobs that wait here in memory. */
  leases(): Lease[] {
    return this.#outlook.fetched.map(({ job }) => job.lease)
  }

  /** Resolves when the claim that is in flight now, if any, has ended. */
  async claimEnded(): Promise<void> {
    await this.#claiming
  }

  /** Returns what waits in memory, as when the lease is gone: recovery would charge it. */
  letGo(): void {
    this.#returnUnstarted(this.#outlook.fetched.splice(0).map(({ job }) => job))
  }

  /** Resolves when the last claim has been answered and what was not begun has been returned. */
  async stop(): Promise<void> {
    this.#state = 'stopped'
    this.#news.ring()
    this.#room.ring()
    // At once: a claim in flight may take until its connection is found dead.
    this.letGo()
    await this.#running
    this.letGo()
  }

  async #run(): Promise<void> {
    this.#leave('woken')
    while (this.#state !== 'stopped') this.#leave(await this.#act())
  }

  /** Does what the state is there for. Gives the event that ends it. */
  #act(): Promise<FetcherEvent> {
    switch (this.#state) {
      case 'idle':
        return this.#waitForNews()
      case 'awaiting_slot':
      case 'full':
        return this.#waitForRoom()
      case 'claiming_for_slots':
        return this.#track(this.#claimForSlots())
      case 'claiming_ahead':
        return this.#track(this.#claimAhead())
      case 'stopped':
        return Promise.resolve('woken')
    }
  }

  /** Goes from the state that `event` has ended to the next one. */
  #leave(event: FetcherEvent): void {
    this.#returnStale()
    if (showsWork(this.#state, event)) this.#pollMs = this.#options.settings.pollIntervalMs
    this.#state = nextState(this.#state, event, this.#outlook)
    if (this.#state !== 'full' && this.#state !== 'idle') return
    // What begins makes room in memory, perhaps enough for the next claim.
    if (this.#beginFetched() > 0 && this.#state === 'full') {
      this.#state = nextState(this.#state, 'woken', this.#outlook)
    }
  }

  async #waitForNews(): Promise<FetcherEvent> {
    const waitMs = this.#pollMs
    this.#pollMs = Math.min(2 * waitMs, this.#options.settings.maxPollIntervalMs)
    await this.#news.wait(waitMs)
    return 'woken'
  }

  async #waitForRoom(): Promise<FetcherEvent> {
    await this.#room.wait(waitMsMax)
    return 'woken'
  }

  #track(claiming: Promise<ClaimEnd>): Promise<ClaimEnd> {
    this.#claiming = claiming
    return claiming
  }

  async #claimForSlots(): Promise<ClaimEnd> {
    const { runner, nowMs } = this.#options
    const limit = Math.min(runner.permits.free, limits.claimBatchMax)
    runner.permits.take(limit)
    const claimed = await this.#claim(limit, runner.runsCrashed() ? 'steady' : 'any')
    const jobs = claimed?.jobs ?? []
    const allMayWait = claimed !== undefined && jobs.every(mayWait)
    this.#outlook.slotClaimDueMs = nowMs() + (allMayWait ? slotClaimRarelyMs : slotClaimEveryMs)
    // What a claim brings after the stop is not begun any more.
    const { kept, extra } = this.#state === 'stopped' ? { kept: [], extra: jobs } : keepOneCrashed(jobs)
    runner.permits.untake(limit - kept.length)
    for (const job of kept) runner.begin(job)
    this.#returnUnstarted(extra)
    this.#beginFetched()
    return endOf(claimed)
  }

  async #claimAhead(): Promise<ClaimEnd> {
    const { freeSlots, waitingJobs, waitingJobsMax, fetched } = this.#outlook
    const limit = Math.min(limits.claimBatchMax, waitingJobsMax - waitingJobs + freeSlots)
    this.#beginFetchedOnceSent()
    const claimed = await this.#claim(limit, 'ahead')
    const sinceMs = this.#options.nowMs()
    for (const job of claimed?.jobs ?? []) fetched.push({ job, sinceMs })
    return endOf(claimed)
  }

  /** Undefined when the claim failed, and when this process has no lease, or no longer that of the claim. */
  async #claim(limit: number, eligible: Eligible): Promise<Claimed | undefined> {
    const { claimer, prefetch } = this.#options
    const workerId = this.#options.workerId()
    this.#outlook.backlog = 'none'
    if (workerId === undefined) return undefined
    const claimed = await claimer.claim({ workerId, limit, eligible })
    if (claimed !== undefined) prefetch.observePayloads(payloadSizesOf(claimed))
    if (claimed?.more === true) this.#outlook.backlog = 'more'
    if (this.#options.workerId() === workerId) return claimed
    // The lease was lost meanwhile. Its jobs are not begun, and should not be charged as recovery would.
    this.#returnUnstarted(claimed?.jobs ?? [])
    return undefined
  }

  /** Begins what waits in memory while there are slots. Gives how many have begun. */
  #beginFetched(): number {
    const { runner, refusedEnds } = this.#options
    if (this.#state === 'stopped' || this.#isSending || refusedEnds.isFull) return 0
    let begun = 0
    for (; runner.permits.free > 0; begun += 1) {
      const next = this.#outlook.fetched.shift()
      if (next === undefined) return begun
      runner.permits.take(1)
      runner.begin(next.job)
    }
    return begun
  }

  /** Jobs that end at once begin one another without a pause, and would keep the claim from being sent until all have run. */
  #beginFetchedOnceSent(): void {
    this.#isSending = true
    setImmediate(() => {
      this.#isSending = false
      if (this.#state !== 'awaiting_slot') this.#beginFetched()
    })
  }

  #returnStale(): void {
    const [oldest] = this.#outlook.fetched
    if (oldest === undefined || this.#options.nowMs() - oldest.sinceMs < waitMsMax) return
    this.#options.prefetch.holdOff()
    this.letGo()
  }

  #returnUnstarted(jobs: readonly UnbegunJob[]): void {
    if (jobs.length === 0) return
    this.#options.claimer.noteReturned(jobs)
    this.#options.returnUnstarted(jobs)
  }
}

interface FetchedJob {
  readonly job: UnbegunJob
  readonly sinceMs: number
}

/** What the fetcher knows, read when it is asked for: a choice may come with each job, and makes no object. */
class LiveOutlook implements Outlook {
  /** What waits in memory, in the order in which it is to begin. */
  readonly fetched: FetchedJob[] = []
  backlog: Backlog = 'more'
  slotClaimDueMs = Number.NEGATIVE_INFINITY
  readonly #options: FetcherOptions

  constructor(options: FetcherOptions) {
    this.#options = options
  }

  get freeSlots(): number {
    return this.#options.runner.permits.free
  }

  get waitingJobs(): number {
    return this.fetched.length
  }

  get waitingJobsMax(): number {
    return this.#options.claimer.isHeldUp ? 0 : this.#options.prefetch.target()
  }

  get isSlotClaimDue(): boolean {
    return this.#options.nowMs() >= this.slotClaimDueMs
  }

  get isDatabaseBehind(): boolean {
    return this.#options.runner.unrecorded() > unrecordedMax || this.#options.refusedEnds.isFull
  }
}

/** The payloads that a claim has brought, and of how many jobs. */
function payloadSizesOf({ jobs, payloadLength }: Claimed): PayloadSizes {
  return { jobs: jobs.filter(({ payload }) => payload !== undefined).length, length: payloadLength }
}

function endOf(claimed: Claimed | undefined): ClaimEnd {
  if (claimed === undefined) return 'failed'
  if (claimed.more) return 'left_more'
  return claimed.jobs.length === 0 ? 'found_nothing' : 'took_all'
}

/** At most one job that has crashed a worker before runs in a process, so that it takes no second one with it. */
function keepOneCrashed(jobs: readonly UnbegunJob[]): {
  readonly kept: readonly UnbegunJob[]
  readonly extra: readonly UnbegunJob[]
} {
  const [, ...extra] = jobs.filter((job) => job.crashes > 0)
  return { kept: jobs.filter((job) => !extra.includes(job)), extra }
}
