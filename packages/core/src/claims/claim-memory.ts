import { plainArray } from '@queue/postgres'
import { ClaimSlots, type SlotTexts } from './claim-slots.ts'
import { LaneWatch } from './lane-watch.ts'
import { ClaimTurns, type Purpose, type Turns } from './claim-turns.ts'

/**
 * Which jobs a claim may bring. `any`: for slots that wait. `steady`: neither a job that has crashed a worker before, for
 * a process that runs one. `ahead`: only jobs that may wait in memory, for which a crash of this process is no calamity:
 * neither those that have crashed a worker before nor those on their last attempt.
 */
export type Eligible = 'any' | 'steady' | 'ahead'

/** What one claim scans, and what PostgreSQL reads of it: arrays, as text, with an element for each slot. */
export interface ClaimPlan extends Turns, SlotTexts {
  readonly eligible: Eligible
  /** How many jobs at most. */
  readonly limit: number
  readonly positions: string
  readonly sharesText: string
}

/** What one claim has seen. */
export interface Scan {
  readonly claimed: readonly ScannedJob[]
  /** Those of the queues that exist and are not paused. */
  readonly openQueues: readonly string[]
  /** The database's clock at the claim, in milliseconds since 1970. */
  readonly nowMs: number
}

export interface ScannedJob {
  readonly priority: number
  readonly queue: string
  readonly runAt: Date
  readonly attempt: number
  readonly maxAttempts: number
  readonly crashes: number
  readonly expiresAt: Date | null
}

const fewQueuesMax = 32

/**
 * A job is due from the instant of its enqueue, and the transaction around that may commit this much later without any
 * scan missing it. One that takes longer is found by the next scan without positions.
 */
const claimSlackMs = 2_000

/**
 * What a worker remembers from claim to claim: how far it has scanned, and whose turn it is. Its size is that of its
 * queues. It serves one claim at a time; what makes it forget may come while a claim is under way.
 */
export class ClaimMemory {
  readonly lanes = new LaneWatch()
  readonly #slots: ClaimSlots
  readonly #turns: ClaimTurns
  /** What a scan that passes over some jobs has seen says nothing of the others, so each sort has its own positions. */
  readonly #positions: Readonly<Record<Eligible, ScanPositions>>
  /**
   * The queues whose positions were forgotten since the last plan was made: what its scan sees of them may be older.
   */
  readonly #forgotten = new Set<string>()

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

  /** The queues as the text of an array. */
  get queuesText(): string {
    return this.#slots.queuesText
  }

  /** Whether the queues are so many that to look for one of them in a list takes long. */
  get isLarge(): boolean {
    return this.#slots.queues.length > fewQueuesMax
  }

  /**
   * Whether a queue has a backlog of jobs that may not wait in memory, and of no others: to fetch ahead now would be to
   * serve the other queues more than that one.
   */
  get isHeldUp(): boolean {
    return this.#turns.isHeldUp
  }

  /** What the next claim is to scan. */
  plan(eligible: Eligible, limit: number): ClaimPlan {
    this.#forgotten.clear()
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

  /** Learns from a claim what it has seen, and tells whether there is more that the same sort of claim may take. */
  learn(plan: ClaimPlan, { claimed, openQueues, nowMs }: Scan): boolean {
    const purpose = purposeOf(plan.eligible)
    const isOpen = this.#opennessOf(openQueues)
    const bySlot = Map.groupBy(claimed, (job) => this.#slots.slotOf(job))
    let left = plan.limit
    for (const [index, slot] of plan.order.entries()) {
      if (left === 0) break
      const share = plan.shares[index] ?? 0
      const queue = this.#slots.queueOf(slot)
      if (!isOpen(queue)) this.#turns.forget(slot)
      if (share === 0 || !isOpen(queue)) continue
      const jobs = bySlot.get(slot) ?? []
      left -= jobs.length
      const isExhausted = jobs.length < share && left > 0
      this.#turns.note(slot, purpose, { jobs: jobs.length, mayWait: jobs.some(mayWait), isExhausted })
      if (this.#forgotten.has(queue)) continue
      this.#positions[plan.eligible].advance(slot, { reachedMs: isExhausted ? nowMs : latestOf(jobs), nowMs })
    }
    this.#turns.endClaim()
    return left === 0 || this.#turns.hasMore(purpose)
  }

  /** A job that was claimed goes back unstarted: its queue has not had its turn. */
  noteReturned(job: ScannedJob): void {
    this.#turns.noteReturned(this.#slots.slotOf(job))
  }

  /** Jobs of long ago may have come back: the next claim of each sort looks again at all of this queue, or of all queues. */
  rescan(queue?: string): void {
    this.lanes.forgetMarks()
    for (const forgotten of queue === undefined ? this.#slots.queues : [queue]) this.#forgotten.add(forgotten)
    for (const positions of Object.values(this.#positions)) {
      if (queue === undefined) positions.forgetAll()
      else for (const slot of this.#slots.slotsOf(queue)) positions.forget(slot)
    }
  }

  /** The next claim of this sort looks again at everything. */
  rescanFor(eligible: Eligible): void {
    this.#positions[eligible].forgetAll()
  }

  #opennessOf(openQueues: readonly string[]): (queue: string) => boolean {
    if (openQueues.length === this.#slots.queues.length) return () => true
    const open = new Set(openQueues)
    return (queue) => open.has(queue)
  }
}

/**
 * How far one sort of claims has scanned each slot: the `run_at`, in milliseconds since 1970, below which nothing claimable
 * was left when it last looked. The next scan begins there and not among the dead index entries of what has been claimed
 * since, nor among jobs of kinds that this worker cannot run. −Infinity where a slot is to be scanned from its beginning.
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
   * A scan at `nowMs` by the database's clock has found nothing below `reachedMs` that it did not claim. No position
   * goes back, and none comes nearer to now than the slack.
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

/** Whether the job could have been claimed ahead. */
export function mayWait(job: Pick<ScannedJob, 'attempt' | 'maxAttempts' | 'crashes' | 'expiresAt'>): boolean {
  return job.crashes === 0 && job.attempt < job.maxAttempts && job.expiresAt === null
}

function latestOf(jobs: readonly ScannedJob[]): number {
  return jobs.reduce((latest, { runAt }) => Math.max(latest, runAt.getTime()), Number.NEGATIVE_INFINITY)
}
