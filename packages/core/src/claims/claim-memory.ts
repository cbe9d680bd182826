import { plainArray } from '@queue/postgres'
import { ClaimSlots, type SlotTexts } from './claim-slots.ts'
import { LaneWatch } from './lane-watch.ts'
import { ClaimTurns, type Purpose, type Turns } from './claim-turns.ts'

/**
 * Which jobs a claim may return. `any`: for free slots. `steady`: no job that has crashed a worker before, for a
 * process that runs such a job. `ahead`: only jobs that may wait in memory, because a crash of this process does them
 * little harm. These have crashed no worker, are not on their last attempt, and have no expiry.
 */
export type Eligible = 'any' | 'steady' | 'ahead'

/** The slots that one claim scans, with the arrays that PostgreSQL gets as text: one element for each slot. */
export interface ClaimPlan extends Turns, SlotTexts {
  readonly eligible: Eligible
  /** The most jobs that the claim may take. */
  readonly limit: number
  readonly positions: string
  readonly sharesText: string
}

/** What one claim outside lanes has found. */
export interface Scan {
  readonly claimed: readonly ScannedJob[]
  /** The queues of the worker that exist and are not paused. */
  readonly openQueues: readonly string[]
  /** The database's clock at the claim, in milliseconds since 1970. */
  readonly nowMs: number
}

/** What one claim of jobs of every sort has found. */
export interface SlotsScan extends Pick<Scan, 'claimed' | 'openQueues'> {
  /** The places in the plan, from 1, where jobs in lanes, or under limits of the queue, can start. */
  readonly leftLanes: readonly number[]
  /** … where jobs outside lanes are left, … */
  readonly leftLines: readonly number[]
  /** … and where such jobs were not scanned. */
  readonly unreadLines: readonly number[]
}

export interface ScannedJob {
  readonly priority: number
  readonly queue: string
  readonly runAt: Date
  readonly attempt: number
  readonly maxAttempts: number
  readonly crashes: number
  readonly expiresAt: Date | null
  /** Whether a limit or the key of the job decided over its start, so that it may not wait in memory. */
  readonly lease?: { readonly inLane?: true }
}

const noJobs: readonly ScannedJob[] = []

/** Up to this number of queues, searching a list of them is cheaper than building a hash table. */
const fewQueuesMax = 32

/**
 * A job is due from the instant of its enqueue. Its transaction may commit this much later without any scan missing the
 * job. The job of a longer transaction is found by the next scan without positions.
 */
const claimSlackMs = 2_000

/**
 * What a worker remembers between claims: how far it has scanned, and which queue's turn it is. Its size is
 * proportional to the number of queues. It serves one claim at a time. `rescan` may be called while a claim is under
 * way.
 */
export class ClaimMemory {
  readonly lanes = new LaneWatch()
  readonly #slots: ClaimSlots
  readonly #turns: ClaimTurns
  /** Scan positions for each sort of claim, because a scan that passes over some jobs says nothing about those. */
  readonly #positions: Readonly<Record<Eligible, ScanPositions>>
  /** The queues whose positions were reset since the last plan. The results of that plan's scan may be older than the reset. */
  readonly #resetQueues = new Set<string>()

  constructor(queues: readonly string[]) {
    this.#slots = new ClaimSlots(queues)
    this.#turns = new ClaimTurns(this.#slots)
    const count = this.#slots.all.length
    this.#positions = {
      any: new ScanPositions(count),
      steady: new ScanPositions(count),
      ahead: new ScanPositions(count),
    }
  }

  /** The worker's queues, as the text of an array. */
  get queuesText(): string {
    return this.#slots.queuesText
  }

  /** How many queues share a claim; `ofMany`: too many to search them as a list. */
  get sharing(): 'ofOne' | 'ofFew' | 'ofMany' {
    const { length } = this.#slots.queues
    if (length <= 1) return 'ofOne'
    return length > fewQueuesMax ? 'ofMany' : 'ofFew'
  }

  /** Whether nothing may be claimed ahead, because jobs can start that may not wait in memory: see `ClaimTurns`. */
  get isHeldUp(): boolean {
    return this.#turns.isHeldUp
  }

  /** Whether this job may not begin from memory, because the turn is with jobs that may not wait there. */
  holdsUp(job: ScannedJob): boolean {
    return this.#turns.holdsUp(this.#slots.slotOf(job))
  }

  /** Plans the next claim. */
  plan(eligible: Eligible, limit: number): ClaimPlan {
    this.#resetQueues.clear()
    const { order, shares } = this.#turns.next(purposeOf(eligible), limit)
    return {
      eligible,
      limit,
      order,
      shares,
      ...this.#slots.texts(order),
      positions: this.#positions[eligible].text(order),
      sharesText: plainArray(shares),
    }
  }

  /** Updates the memory with the results of a claim. Returns whether the same sort of claim may find more jobs. */
  learn(plan: ClaimPlan, { claimed, openQueues, nowMs }: Scan): boolean {
    const purpose = purposeOf(plan.eligible)
    const isOpen = this.#isOpenIn(openQueues)
    const bySlot = Map.groupBy(claimed, (job) => this.#slots.slotOf(job))
    let remaining = plan.limit
    // Behind the priority of a slot that has filled its share, the claim left everything.
    let fullFrom = Number.POSITIVE_INFINITY
    let scanned = 0
    // Not by `entries`, which makes a pair for each slot: most claims are of a lone job, and scan every slot.
    for (let index = 0; index < plan.order.length; index += 1) {
      const slot = plan.order[index] as number
      if (remaining === 0 || this.#slots.priorityOf(slot) > fullFrom) break
      scanned = index + 1
      const share = plan.shares[index] ?? 0
      const queue = this.#slots.queueOf(slot)
      if (!isOpen(queue)) this.#noteClosed(slot, purpose)
      if (share === 0 || !isOpen(queue)) continue
      const jobs = bySlot.get(slot) ?? noJobs
      remaining -= jobs.length
      const isExhausted = jobs.length < share && remaining > 0
      if (!isExhausted) fullFrom = this.#slots.priorityOf(slot)
      const rest = isExhausted ? 'none' : 'more'
      this.#turns.recordScan(slot, purpose, { jobs: jobs.length, mayWait: jobs.some(mayWait), rest })
      if (this.#resetQueues.has(queue)) continue
      this.#positions[plan.eligible].advance(slot, { reachedMs: isExhausted ? nowMs : latestOf(jobs), nowMs })
    }
    if (purpose === 'run') this.#turns.recordUnseen(plan.order.slice(scanned))
    this.#turns.endClaim()
    return remaining === 0 || this.#turns.hasMore(purpose) || (purpose === 'wait' && this.#turns.hasUnseen)
  }

  /** The same for a claim of jobs of every sort. Its own answer says where jobs are left. */
  learnOfSlots(plan: ClaimPlan, { claimed, openQueues, ...left }: SlotsScan): boolean {
    const isOpen = this.#isOpenIn(openQueues)
    const bySlot = Map.groupBy(claimed, (job) => this.#slots.slotOf(job))
    const leftLanes = new Set(left.leftLanes)
    const leftLines = new Set(left.leftLines)
    const unreadLines = new Set(left.unreadLines)
    for (const [index, slot] of plan.order.entries()) {
      const place = index + 1
      if (!isOpen(this.#slots.queueOf(slot))) {
        this.#turns.forget(slot)
        continue
      }
      const jobs = bySlot.get(slot) ?? noJobs
      this.#turns.recordScan(slot, 'run', {
        jobs: jobs.length,
        mayWait: jobs.some(mayWait),
        rest: leftLines.has(place) ? 'more' : unreadLines.has(place) ? 'unread' : 'none',
        inLanes: leftLanes.has(place),
      })
    }
    this.#turns.recordUnseen(plan.order.filter((_, index) => unreadLines.has(index + 1)))
    this.#turns.endClaim()
    return this.#turns.hasMore('run')
  }

  /** Corrects the turns for a claimed job that goes back unstarted: its queue has not been served. */
  noteReturned(job: ScannedJob): void {
    this.#turns.noteReturned(this.#slots.slotOf(job))
  }

  /**
   * Resets the positions of a queue, or of all queues, because jobs that were due long ago may have come back. The next
   * claim of each sort scans them from the beginning.
   */
  rescan(queue?: string): void {
    this.lanes.forgetMarks()
    for (const resetQueue of queue === undefined ? this.#slots.queues : [queue])
      this.#resetQueues.add(resetQueue)
    for (const positions of Object.values(this.#positions)) {
      if (queue === undefined) positions.forgetAll()
      else for (const slot of this.#slots.slotsOf(queue)) positions.forget(slot)
    }
  }

  /** The next claim of this sort scans everything from the beginning. */
  rescanFor(eligible: Eligible): void {
    this.#positions[eligible].forgetAll()
  }

  /** A claim ahead also passes over queues with limits, whose jobs other claims take. */
  #noteClosed(slot: number, purpose: Purpose): void {
    if (purpose === 'run') this.#turns.forget(slot)
    else this.#turns.recordScan(slot, purpose, { jobs: 0, mayWait: false, rest: 'none' })
  }

  #isOpenIn(openQueues: readonly string[]): (queue: string) => boolean {
    if (openQueues.length === this.#slots.queues.length) return () => true
    const open = new Set(openQueues)
    return (queue) => open.has(queue)
  }
}

/**
 * How far one sort of claim has scanned each slot: the `run_at`, in milliseconds since 1970, below which the last scan
 * left nothing claimable. The next scan begins there. It skips the dead index entries of jobs that were claimed since,
 * and jobs of kinds that this worker cannot run. −Infinity: the slot is scanned from its beginning.
 */
class ScanPositions {
  readonly #ms: Float64Array

  constructor(slots: number) {
    this.#ms = new Float64Array(slots).fill(Number.NEGATIVE_INFINITY)
  }

  of(slot: number): number {
    return this.#ms[slot] ?? Number.NEGATIVE_INFINITY
  }

  /** The positions of these slots, as the text of an array of `float8`. */
  text(order: readonly number[]): string {
    return plainArray(order.map((slot) => this.of(slot)))
  }

  /**
   * Moves the position after a scan at `nowMs`, by the database's clock, that claimed everything claimable below
   * `reachedMs`. No position moves back, and none comes closer to now than the slack.
   */
  advance(slot: number, { reachedMs, nowMs }: { readonly reachedMs: number; readonly nowMs: number }): void {
    this.#ms[slot] = Math.max(this.of(slot), Math.min(reachedMs, nowMs - claimSlackMs))
  }

  forget(slot: number): void {
    this.#ms[slot] = Number.NEGATIVE_INFINITY
  }

  forgetAll(): void {
    this.#ms.fill(Number.NEGATIVE_INFINITY)
  }
}

function purposeOf(eligible: Eligible): Purpose {
  return eligible === 'ahead' ? 'wait' : 'run'
}

/** Whether the job may wait in memory, so that it could be claimed ahead. */
export function mayWait({ crashes, attempt, maxAttempts, expiresAt, lease }: ScannedJob): boolean {
  return crashes === 0 && attempt < maxAttempts && expiresAt === null && lease?.inLane !== true
}

function latestOf(jobs: readonly ScannedJob[]): number {
  return jobs.reduce((latest, { runAt }) => Math.max(latest, runAt.getTime()), Number.NEGATIVE_INFINITY)
}
