import { limits } from '@queue/core'
import { type Eligible, type Lease, mayWait, type UnbegunJob } from '@queue/core/runtime'
import { createAlarm } from '@queue/loop'
import type { Claimed, Claimer } from './claimer.ts'
import type { PayloadSizes, Prefetch } from './prefetch.ts'
import type { Slots } from './slots.ts'

export interface FetcherOptions {
  readonly claimer: Claimer
  readonly prefetch: Prefetch
  readonly slots: Slots
  readonly pollIntervalMs: number
  readonly maxPollIntervalMs: number
  readonly nowMs: () => number
  /** The id to claim under; undefined while this process has no lease. */
  readonly workerId: () => string | undefined
  /** Whether a job that has crashed a worker before runs here now: one at a time is enough. */
  readonly runsCrashed: () => boolean
  /** How many jobs have run whose ends are not recorded yet. */
  readonly unrecorded: () => number
  /** Whether the database refuses to record so many ends that nothing more is begun. */
  readonly endsRefused: () => boolean
  /** Starts a claimed job in a slot whose permit has been taken. */
  readonly begin: (job: UnbegunJob) => void
  /** Returns jobs that will not be begun here. */
  readonly giveBack: (jobs: readonly UnbegunJob[]) => void
  /** Called after a claim whose outcome is unknown. */
  readonly onFailedClaim: () => void
}

/** The one claimer of a process: a permit first, then the claim, then the start. */
export interface Fetcher {
  start(): void
  /** Claims at once if there is room, instead of at the end of the poll interval. */
  wake(): void
  /** A slot has become free, or an end was recorded: what waits in memory may begin. */
  onRoom(): void
  /** The leases of the jobs that wait here in memory. */
  leases(): Lease[]
  /** Resolves when no claim that is in flight now is in flight any more. */
  settled(): Promise<void>
  /** Gives back what waits in memory: the lease is gone, and recovery would charge it. */
  letGo(): void
  /** Resolves when the last claim has been answered and what was not begun has been given back. */
  stop(): Promise<void>
}

/** What one round found, which decides how long to wait for the next. */
type Round = 'full' | 'drained' | 'empty' | 'failed'

/** What the next round is to be: a claim for free slots, a claim to have jobs waiting, or none until there is room. */
type Next = 'any' | 'ahead' | 'none'

interface Waiting {
  readonly job: UnbegunJob
  readonly sinceMs: number
}

/** Above so many unrecorded ends nothing more is claimed: the database is behind. */
const unrecordedMax = 2 * limits.settleBatchMax
/** While jobs are fetched ahead, those that may not wait in memory get a claim of their own so often … */
const anyClaimEveryMs = 25
/** … or, after a claim of all sorts that found none of them, so often. */
const anyClaimRarelyMs = 200
/** A fetched job that has not begun by now goes back, because another worker may be idle. */
const waitMsMax = 250

export function createFetcher(options: FetcherOptions): Fetcher {
  const { slots, prefetch, nowMs } = options
  const news = createAlarm()
  const room = createAlarm()
  let waiting: Waiting[] = []
  let lastAnyClaimMs = Number.NEGATIVE_INFINITY
  let anyClaimWaitMs = anyClaimEveryMs
  // Whether the last claim brought all that it could have.
  let drained = false
  // How often something has said that there is more, and how often by the time the last claim was sent: what is announced
  // while a claim is under way may have come too late for it, and its answer must not hide the news.
  let announcements = 0
  let announcementsSeen = 0
  // True while a slot is kept for a claim of all sorts of jobs, which what waits here would otherwise always take.
  let reserved = false
  // True while a claim ahead is about to be sent: what waits here begins after it, so that PostgreSQL claims the next
  // jobs while this process runs these.
  let departing = false
  let stopped = false
  let claiming: Promise<unknown> = Promise.resolve()
  let running: Promise<void> = Promise.resolve()

  const giveBack = (jobs: readonly UnbegunJob[]): void => {
    if (jobs.length === 0) return
    options.claimer.noteReturned(jobs)
    options.giveBack(jobs)
  }

  const isAnyDue = (): boolean => nowMs() - lastAnyClaimMs >= anyClaimWaitMs

  const decide = (): Next => {
    if (options.unrecorded() > unrecordedMax || options.endsRefused()) return 'none'
    const target = options.claimer.isHeldUp ? 0 : prefetch.target()
    const mayBeMore = !drained || announcements !== announcementsSeen
    // What is announced to an idle process is most likely less than it has slots for, and then one claim is enough.
    const isIdle = drained && waiting.length === 0 && slots.free > 0
    const wantsAny = target === 0 || !mayBeMore || isIdle ? waiting.length === 0 : isAnyDue()
    reserved = wantsAny && waiting.length > 0
    if (wantsAny) return slots.free > 0 ? 'any' : 'none'
    return target > 0 && mayBeMore && waiting.length <= target / 2 ? 'ahead' : 'none'
  }

  const fill = (): void => {
    if (stopped || reserved || departing || options.endsRefused()) return
    while (slots.free > 0) {
      const next = waiting.shift()
      if (next === undefined) return
      slots.take(1)
      options.begin(next.job)
    }
  }

  const claim = async (limit: number, eligible: Eligible): Promise<Claimed | undefined> => {
    const workerId = options.workerId()
    if (workerId === undefined) return undefined
    announcementsSeen = announcements
    const claimed = await options.claimer.claim({ workerId, limit, eligible })
    drained = claimed?.more !== true
    if (claimed !== undefined) prefetch.observePayloads(carried(claimed))
    if (claimed === undefined) options.onFailedClaim()
    if (options.workerId() === workerId) return claimed
    // The lease was lost meanwhile. Its jobs are not begun, and should not be charged as recovery would.
    giveBack(claimed?.jobs ?? [])
    return undefined
  }

  const claimForSlots = async (): Promise<Round> => {
    const limit = Math.min(slots.free, limits.claimBatchMax)
    slots.take(limit)
    reserved = false
    const claimed = await claim(limit, options.runsCrashed() ? 'steady' : 'any')
    const jobs = claimed?.jobs ?? []
    lastAnyClaimMs = nowMs()
    anyClaimWaitMs = claimed !== undefined && jobs.every(mayWait) ? anyClaimRarelyMs : anyClaimEveryMs
    // What a claim brings after the stop is not begun any more.
    const { kept, extra } = stopped ? { kept: [], extra: jobs } : keepOneCrashed(jobs)
    slots.untake(limit - kept.length)
    for (const job of kept) options.begin(job)
    giveBack(extra)
    fill()
    return roundOf(claimed)
  }

  /** Jobs that end at once begin one another without a pause, and would keep the claim from being sent until all have run. */
  const fillOnceSent = (): void => {
    departing = true
    setImmediate(() => {
      departing = false
      fill()
    })
  }

  const claimAhead = async (): Promise<Round> => {
    const limit = Math.min(limits.claimBatchMax, prefetch.target() - waiting.length + slots.free)
    fillOnceSent()
    const claimed = await claim(limit, 'ahead')
    const sinceMs = nowMs()
    for (const job of claimed?.jobs ?? []) waiting.push({ job, sinceMs })
    if (decide() !== 'ahead') fill()
    return roundOf(claimed)
  }

  const giveBackWaiting = (): void => {
    const jobs = waiting.map(({ job }) => job)
    waiting = []
    giveBack(jobs)
  }

  const giveBackStale = (): void => {
    const [oldest] = waiting
    if (oldest === undefined || nowMs() - oldest.sinceMs < waitMsMax) return
    prefetch.holdOff()
    giveBackWaiting()
  }

  const run = async (): Promise<void> => {
    let idleMs = options.pollIntervalMs
    while (!stopped) {
      giveBackStale()
      const next = decide()
      if (next === 'none') {
        fill()
        await room.wait(waitMsMax)
        continue
      }
      const claimed = next === 'any' ? claimForSlots() : claimAhead()
      claiming = claimed
      const round = await claimed
      // What a claim ahead does not bring, a claim for free slots may still find.
      if (round === 'full' || (next === 'ahead' && round !== 'failed')) {
        idleMs = options.pollIntervalMs
        continue
      }
      // A claim that left nothing behind has drained its queues: what comes next is announced or polled for.
      if (round === 'drained') idleMs = options.pollIntervalMs
      if (!stopped) await news.wait(idleMs)
      idleMs = Math.min(idleMs * 2, options.maxPollIntervalMs)
    }
  }

  return {
    start: () => {
      running = run()
    },
    wake: () => {
      announcements += 1
      news.ring()
      room.ring()
    },
    onRoom: () => {
      fill()
      room.ring()
    },
    leases: () => waiting.map(({ job }) => job.lease),
    settled: async () => {
      await claiming
    },
    letGo: giveBackWaiting,
    stop: async () => {
      stopped = true
      news.ring()
      room.ring()
      // At once: a claim in flight may take until its connection is found dead.
      giveBackWaiting()
      await running
      giveBackWaiting()
    },
  }
}

/** The payloads that a claim has brought, and of how many jobs. */
function carried({ jobs, payloadLength }: Claimed): PayloadSizes {
  return { jobs: jobs.filter(({ payload }) => payload !== undefined).length, length: payloadLength }
}

function roundOf(claimed: Claimed | undefined): Round {
  if (claimed === undefined) return 'failed'
  if (claimed.more) return 'full'
  return claimed.jobs.length === 0 ? 'empty' : 'drained'
}

/** At most one job that has crashed a worker before runs in a process, so that it takes no second one with it. */
function keepOneCrashed(jobs: readonly UnbegunJob[]): {
  readonly kept: readonly UnbegunJob[]
  readonly extra: readonly UnbegunJob[]
} {
  const [, ...extra] = jobs.filter((job) => job.crashes > 0)
  return { kept: jobs.filter((job) => !extra.includes(job)), extra }
}
