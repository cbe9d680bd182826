import { limits } from '@queue/core'
import type { Eligible, Lease, UnbegunJob } from '@queue/core/internal'
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
import type { RefusedEnds } from './finisher.ts'
import type { CrashedJobs, Permits, Runner } from './runner.ts'
import type { UnwrittenBytes } from './unwritten-bytes.ts'

export interface FetcherOptions {
  readonly claimer: Claimer
  readonly prefetch: Prefetch
  readonly runner: Pick<Runner, 'begin' | 'unrecorded'> & {
    readonly permits: Pick<Permits, 'free' | 'take' | 'putBack'>
  }
  readonly crashedJobs: Pick<CrashedJobs, 'mayBeClaimed' | 'claimEnded'>
  readonly refusedEnds: Pick<RefusedEnds, 'isFull'>
  readonly unwritten: Pick<UnwrittenBytes, 'isHigh'>
  readonly settings: Pick<WorkerSettings, 'pollIntervalMs' | 'maxPollIntervalMs'>
  readonly nowMs: () => number
  /** The id to claim under; undefined while this process has no lease. */
  readonly workerId: () => string | undefined
  /** Returns jobs that will not start here. */
  readonly returnUnstarted: (jobs: readonly UnbegunJob[]) => void
}

/** With more unrecorded ends than this, nothing is claimed: the database is behind. */
const unrecordedMax = 2 * limits.completionBatchMax
/** While jobs are prefetched, the interval of the claims for slots, which take the jobs that may not wait in memory … */
const slotClaimIntervalMs = 25
/** … and the interval after a claim that found no such job, unless one is announced. */
const slotClaimSlowIntervalMs = 200
/** A prefetched job that has not begun after this time is returned, because another worker may be idle. */
const waitMsMax = 250
/** If no prefetched job may begin for this long, they are returned: their places are for jobs that may not wait. */
const heldUpMsMax = 25

/**
 * Makes all claims of a process: a permit first, then the claim, then the start. Its states and their order are in
 * `fetcher-states.ts`; this class does the work of each state.
 */
export class Fetcher {
  readonly #options: FetcherOptions
  readonly #outlook: LiveOutlook
  /** Ends the wait of `idle`. */
  readonly #pollAlarm = createAlarm()
  /** Ends the waits for room. */
  readonly #roomAlarm = createAlarm()
  #state: FetcherState = 'idle'
  /** How long the next `idle` waits. */
  #pollMs: number
  /** When a limit may let another job start, according to the last claim. If it is unknown, only the poll interval counts. */
  #retryAtMs = Number.POSITIVE_INFINITY
  /** True until a claim ahead is sent. Jobs begin only afterwards, so that they run while PostgreSQL claims. */
  #isSending = false
  /** Since when no prefetched job may begin; undefined: they may. */
  #heldUpAtMs: number | undefined
  /** Those who wait for the answer of the next claim for slots. */
  #askers: ((foundNothing: boolean) => void)[] = []
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

  /** Called on a notification: the next claim follows at once if there is room, without waiting for the poll interval. */
  wake(): void {
    // A notification during a claim may be about jobs that the claim missed, so its answer must not reset this.
    if (this.#outlook.backlog === 'none') this.#outlook.backlog = 'announced'
    this.#options.claimer.noteAnnounced()
    this.#outlook.noteAnnounced()
    if (this.#state === 'idle') this.#pollAlarm.ring()
    this.#roomAlarm.ring()
  }

  /** Called when a slot has become free or an end was recorded, so twice for each job: waiting jobs may begin. */
  onRoom(): void {
    if (this.#state !== 'awaiting_slot') this.#beginFetched()
    this.#roomAlarm.ring()
  }

  /** The leases of the jobs that wait here in memory. */
  leases(): Lease[] {
    return this.#outlook.fetched.map(({ job }) => job.lease)
  }

  /** Whether jobs wait here in memory. */
  get holdsJobs(): boolean {
    return this.#outlook.waitingJobs > 0
  }

  /** Resolves with true if the next claim for slots finds no job, and none that a limit delays; with false at the stop. */
  findsNothing(): Promise<boolean> {
    if (this.#state === 'stopped') return Promise.resolve(false)
    return new Promise((resolve) => {
      this.#askers.push(resolve)
      this.wake()
    })
  }

  /** Resolves when the claim that is in flight now, if any, has ended. */
  async claimEnded(): Promise<void> {
    await this.#claiming
  }

  /** Returns the jobs that wait in memory. Otherwise recovery would charge them once the lease is lost. */
  returnFetched(): void {
    this.#returnUnstarted(this.#outlook.fetched.splice(0).map(({ job }) => job))
  }

  /** Resolves when the last claim has been answered and all unstarted jobs have been returned. */
  async stop(): Promise<void> {
    this.#state = 'stopped'
    this.#pollAlarm.ring()
    this.#roomAlarm.ring()
    // At once: the claim in flight may last until its connection is found dead.
    this.returnFetched()
    await this.#running
    this.returnFetched()
    this.#answer(this.#askers.splice(0), false)
  }

  async #run(): Promise<void> {
    this.#advance('woken')
    while (this.#state !== 'stopped') this.#advance(await this.#act())
  }

  /** Does the work of the current state. Returns the event that ends it. */
  #act(): Promise<FetcherEvent> {
    switch (this.#state) {
      case 'idle':
        return this.#waitForPoll()
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

  /** Moves from the state that `event` has ended to the next one. */
  #advance(event: FetcherEvent): void {
    this.#returnStale()
    this.#returnHeldUp()
    if (showsWork(this.#state, event)) this.#pollMs = this.#options.settings.pollIntervalMs
    this.#state = nextState(this.#state, event, this.#outlook)
    if (this.#state !== 'full' && this.#state !== 'idle') return
    // Jobs that begin make room in memory, perhaps enough for the next claim.
    if (this.#beginFetched() > 0 && this.#state === 'full') {
      this.#state = nextState(this.#state, 'woken', this.#outlook)
    }
  }

  async #waitForPoll(): Promise<FetcherEvent> {
    const waitMs = this.#pollMs
    this.#pollMs = Math.min(2 * waitMs, this.#options.settings.maxPollIntervalMs)
    const retryMs = Math.max(0, this.#retryAtMs - this.#options.nowMs())
    const waitingMs = this.#outlook.waitingJobs > 0 ? waitMsMax : Number.POSITIVE_INFINITY
    await this.#pollAlarm.wait(Math.min(waitMs, retryMs, waitingMs))
    return 'woken'
  }

  async #waitForRoom(): Promise<FetcherEvent> {
    await this.#roomAlarm.wait(waitMsMax)
    return 'woken'
  }

  #track(claiming: Promise<ClaimEnd>): Promise<ClaimEnd> {
    this.#claiming = claiming
    return claiming
  }

  async #claimForSlots(): Promise<ClaimEnd> {
    const { runner, crashedJobs, nowMs } = this.#options
    const limit = Math.min(runner.permits.free, limits.claimBatchMax)
    const askers = this.#askers.splice(0)
    runner.permits.take(limit)
    const mayBringCrashed = crashedJobs.mayBeClaimed()
    const claimed = await this.#claim(limit, mayBringCrashed ? 'any' : 'steady')
    const jobs = claimed?.jobs ?? []
    const foundNothing = mayBringCrashed && claimed !== undefined && endOf(claimed) === 'found_nothing'
    this.#answer(askers, foundNothing && this.#retryAtMs === Number.POSITIVE_INFINITY)
    this.#outlook.noteSlotClaim(nowMs(), claimed?.nextForSlots === 'later')
    // Jobs claimed after the stop do not start.
    const { kept, extra } = this.#state === 'stopped' ? { kept: [], extra: jobs } : keepOneCrashed(jobs)
    runner.permits.putBack(limit - kept.length)
    for (const job of kept) runner.begin(job)
    if (mayBringCrashed) crashedJobs.claimEnded()
    this.#returnUnstarted(extra)
    this.#beginFetched()
    return endOf(claimed)
  }

  #answer(askers: readonly ((foundNothing: boolean) => void)[], foundNothing: boolean): void {
    for (const answer of askers) answer(foundNothing)
  }

  async #claimAhead(): Promise<ClaimEnd> {
    const { freeSlots, waitingJobs, waitingJobsMax, fetched } = this.#outlook
    const limit = Math.min(limits.claimBatchMax, waitingJobsMax - waitingJobs + freeSlots)
    this.#beginFetchedOnceSent()
    const claimed = await this.#claim(limit, 'ahead')
    const fetchedAtMs = this.#options.nowMs()
    if (claimed?.nextForSlots === 'now') this.#outlook.dueForSlots()
    for (const job of claimed?.jobs ?? []) fetched.push({ job, fetchedAtMs })
    return endOf(claimed)
  }

  /** Returns undefined if the claim failed, if this process has no lease, or if it lost the lease during the claim. */
  async #claim(limit: number, eligible: Eligible): Promise<Claimed | undefined> {
    const { claimer, prefetch } = this.#options
    const workerId = this.#options.workerId()
    this.#outlook.backlog = 'none'
    if (workerId === undefined) return undefined
    const claimed = await claimer.claim({ workerId, limit, eligible })
    if (claimed !== undefined) prefetch.observePayloads(payloadSizesOf(claimed))
    if (claimed?.more === true) this.#outlook.backlog = 'more'
    this.#retryAtMs = this.#options.nowMs() + (claimed?.retryInMs ?? Number.POSITIVE_INFINITY)
    if (this.#options.workerId() === workerId) return claimed
    // The lease was lost meanwhile. Its jobs have not begun, so they are returned before recovery charges them.
    this.#returnUnstarted(claimed?.jobs ?? [])
    return undefined
  }

  /** Begins waiting jobs while there are free slots. Returns how many began. */
  #beginFetched(): number {
    const { runner, refusedEnds, unwritten } = this.#options
    if (this.#state === 'stopped' || this.#isSending || refusedEnds.isFull || unwritten.isHigh) return 0
    let begun = 0
    for (; runner.permits.free > 0 && !this.#outlook.isHeldUp; begun += 1) {
      const next = this.#outlook.fetched.shift()
      if (next === undefined) return begun
      runner.permits.take(1)
      runner.begin(next.job)
    }
    return begun
  }

  /** Very short jobs would all run before the claim is sent, because the end of each starts the next one at once. */
  #beginFetchedOnceSent(): void {
    this.#isSending = true
    setImmediate(() => {
      this.#isSending = false
      if (this.#state !== 'awaiting_slot') this.#beginFetched()
    })
  }

  #returnStale(): void {
    const oldest = this.#outlook.fetched[0]
    if (oldest === undefined || this.#options.nowMs() - oldest.fetchedAtMs < waitMsMax) return
    this.#options.prefetch.holdOff()
    this.returnFetched()
  }

  /**
   * The jobs that are returned here do not count as returned turns: they were claimed before it was known that others
   * may not wait, so these have not missed their turns.
   */
  #returnHeldUp(): void {
    const { nowMs, returnUnstarted } = this.#options
    if (!this.#outlook.isHeldUp) {
      this.#heldUpAtMs = undefined
      return
    }
    this.#heldUpAtMs ??= nowMs()
    if (nowMs() - this.#heldUpAtMs < heldUpMsMax) return
    returnUnstarted(this.#outlook.fetched.splice(0).map(({ job }) => job))
  }

  #returnUnstarted(jobs: readonly UnbegunJob[]): void {
    if (jobs.length === 0) return
    this.#options.claimer.noteReturned(jobs)
    this.#options.returnUnstarted(jobs)
  }
}

interface FetchedJob {
  readonly job: UnbegunJob
  readonly fetchedAtMs: number
}

/** The facts for `chooseState`, read on demand: a choice may come with each job, and should allocate nothing. */
class LiveOutlook implements Outlook {
  /** The jobs that wait in memory, in the order of their start. */
  readonly fetched: FetchedJob[] = []
  backlog: Backlog = 'more'
  #slotClaimDueMs = Number.NEGATIVE_INFINITY
  #slotClaimedMs = Number.NEGATIVE_INFINITY
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

  get isHeldUp(): boolean {
    const next = this.fetched[0]
    return next !== undefined && this.#options.claimer.holdsUp(next.job)
  }

  get isSlotClaimDue(): boolean {
    return this.#options.nowMs() >= this.#slotClaimDueMs
  }

  /** A claim for slots was made; `foundNone`: it found no job that may not wait in memory. */
  noteSlotClaim(atMs: number, foundNone: boolean): void {
    this.#slotClaimedMs = atMs
    this.#slotClaimDueMs = atMs + (foundNone ? slotClaimSlowIntervalMs : slotClaimIntervalMs)
  }

  /** A job has come, and may be one that may not wait in memory. */
  noteAnnounced(): void {
    this.#slotClaimDueMs = Math.min(this.#slotClaimDueMs, this.#slotClaimedMs + slotClaimIntervalMs)
  }

  dueForSlots(): void {
    this.#slotClaimDueMs = Number.NEGATIVE_INFINITY
  }

  get isDatabaseBehind(): boolean {
    const { runner, refusedEnds, unwritten } = this.#options
    return runner.unrecorded() > unrecordedMax || refusedEnds.isFull || unwritten.isHigh
  }
}

/** The total length of the payloads in a claim, and the number of jobs that carried one. */
function payloadSizesOf({ jobs, payloadLength }: Claimed): PayloadSizes {
  return { jobs: jobs.filter(({ payload }) => payload !== undefined).length, length: payloadLength }
}

function endOf(claimed: Claimed | undefined): ClaimEnd {
  if (claimed === undefined) return 'failed'
  if (claimed.more) return 'left_more'
  return claimed.jobs.length === 0 ? 'found_nothing' : 'took_all'
}

/** Keeps at most one job that has crashed a worker before: if it crashes this process, it takes no second such job with it. */
function keepOneCrashed(jobs: readonly UnbegunJob[]): {
  readonly kept: readonly UnbegunJob[]
  readonly extra: readonly UnbegunJob[]
} {
  const [, ...extra] = jobs.filter((job) => job.crashes > 0)
  return { kept: jobs.filter((job) => !extra.includes(job)), extra }
}
