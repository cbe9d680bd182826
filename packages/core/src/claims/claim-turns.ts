import type { ClaimSlots } from './claim-slots.ts'

/** The slots that a claim scans, in this order, and how many jobs it may take from each. */
export interface Turns {
  readonly order: readonly number[]
  readonly shares: readonly number[]
}

/** What a claim is for: the free slots of its worker, or its memory, where only some jobs may wait. */
export type Purpose = 'run' | 'wait'

/** What a claim has found in a slot that it scanned. */
export interface SlotScan {
  /** How many jobs it took, of every sort. */
  readonly jobs: number
  /** Whether at least one of the jobs could have waited in memory. */
  readonly mayWait: boolean
  /** What it left of the jobs outside lanes; `unread`: it has not scanned them. */
  readonly rest: 'more' | 'none' | 'unread'
  /** Whether jobs in lanes, or under limits of the queue, can start; undefined: the claim does not know. */
  readonly inLanes?: boolean
}

/** The state of a slot in which a claim has left jobs behind. */
interface Backlog {
  readonly slot: number
  /** How many more of its jobs were claimed than of the slot of the same priority with the fewest claimed jobs. */
  lead: number
  /** When its jobs were last claimed, as a number of claims. */
  turnAt: number
  /** What the last claim to run jobs took from it, outside lanes, without reaching its end. */
  toRun: 'nothing' | 'some that may wait' | 'none that may wait'
  /** Whether it has more jobs that may wait in memory, by the last claim for that purpose; `none` until a claim sees one. */
  toWait: 'more' | 'none' | 'unknown'
  /** Whether jobs in lanes, or under limits of the queue, can start. These never wait in memory. */
  inLanes: boolean
}

/** The smallest share. A queue that fills its share counts as having more, so one job must not fill it. */
const shareMin = 2

/**
 * Decides whose turn it is. Queues of one priority with a backlog are served equally, counted in jobs and not in
 * claims: a claim may be for one job or for a thousand, and one queue may fill it. So the jobs of each queue are
 * counted over all sorts of claims. Each claim takes enough of each queue to make the counts equal, and begins with the
 * queues that are behind. That includes jobs in lanes and under limits, which other claims than those for slots pass over.
 * A queue without a backlog has no claim to earlier turns: as soon as it has jobs again it
 * comes first, with an equal share.
 *
 * Only queues with a backlog are kept here, so nothing is while claims leave nothing behind.
 */
export class ClaimTurns {
  readonly #slots: ClaimSlots
  readonly #backlogs = new Map<number, Backlog>()
  #claims = 0
  /** The first slot of the best priority at which nothing may be claimed ahead. */
  #heldUpFrom = Number.POSITIVE_INFINITY
  /** The first slot of the best priority that the last claim to run jobs has not seen whole. */
  #unseenFrom = Number.POSITIVE_INFINITY
  /**
   * The first slot of the priorities that are worse than one in which a claim to run jobs has left some. Only such a claim
   * can find that priority empty: a claim ahead passes over jobs that may not wait.
   */
  #behindBacklog = Number.POSITIVE_INFINITY

  constructor(slots: ClaimSlots) {
    this.#slots = slots
  }

  /** Whether a claim has left jobs behind that a claim for this purpose may take. */
  hasMore(purpose: Purpose): boolean {
    return [...this.#backlogs.values()].some((backlog) => hasJobsFor(backlog, purpose))
  }

  /**
   * Whether nothing may be claimed ahead: a slot has jobs that can start, none of which may wait in memory, and no slot
   * of a better priority has jobs that may. Jobs of its own priority would be served more than those, and jobs of a
   * worse one before them. So it is where no claim to run jobs has seen whether there are such jobs.
   */
  get isHeldUp(): boolean {
    const from = this.#aheadBefore
    return (
      from !== Number.POSITIVE_INFINITY &&
      ![...this.#backlogs.values()].some((backlog) => backlog.slot < from && mayHaveToWait(backlog))
    )
  }

  /** Whether a claim ahead has left out slots that no claim to run jobs has seen. */
  get hasUnseen(): boolean {
    return this.#unseenFrom !== Number.POSITIVE_INFINITY
  }

  /** Whether jobs of this slot may neither be claimed ahead nor begin from memory. */
  holdsUp(slot: number): boolean {
    return slot >= this.#heldUpFrom
  }

  /** The turns of a claim for up to `limit` jobs. */
  next(purpose: Purpose, limit: number): Turns {
    this.#claims += 1
    const { all, queues } = this.#slots
    const backlogs = this.#backlogsFor(purpose)
    if (queues.length <= 1 || backlogs.size === 0) {
      const share = shareOf(limit, queues.length)
      return this.#allowed(purpose, { order: all, shares: all.map(() => share) })
    }
    const turns = { order: new Array<number>(), shares: new Array<number>() }
    for (let first = 0; first < all.length; first += queues.length) {
      this.#takeTurns(turns, { first, limit, backlogs: backlogs.get(first) ?? [] })
    }
    return this.#allowed(purpose, turns)
  }

  /** The turns without those that this purpose may not take. */
  #allowed(purpose: Purpose, turns: Turns): Turns {
    const before = this.#aheadBefore
    if (purpose === 'run' || before === Number.POSITIVE_INFINITY) return turns
    const { order, shares } = turns
    return { order, shares: shares.map((share, index) => ((order[index] ?? 0) < before ? share : 0)) }
  }

  /** The slots before this one are those from which may be claimed ahead. */
  get #aheadBefore(): number {
    return Math.min(this.#heldUpFrom, this.#unseenFrom, this.#behindBacklog)
  }

  /** Records what a claim has found in this slot. */
  recordScan(slot: number, purpose: Purpose, scan: SlotScan): void {
    const previous = this.#backlogs.get(slot)
    if (previous === undefined && scan.rest !== 'more' && scan.inLanes !== true) return
    const backlog = previous ?? newBacklog(slot)
    backlog.lead += scan.jobs
    backlog.turnAt = this.#claims
    backlog.inLanes = scan.inLanes ?? backlog.inLanes
    if (scan.rest === 'none') noteEnd(backlog, purpose)
    else if (scan.rest === 'more') noteRest(backlog, purpose, scan.mayWait)
    if (isEmpty(backlog)) this.#backlogs.delete(slot)
    else this.#backlogs.set(slot, backlog)
  }

  /** Records that a claimed job of this slot goes back unstarted. */
  noteReturned(slot: number): void {
    const backlog = this.#backlogs.get(slot)
    if (backlog !== undefined) backlog.lead -= 1
  }

  /** Drops the slot, because nothing can be claimed from it now. */
  forget(slot: number): void {
    this.#backlogs.delete(slot)
  }

  /**
   * Records the slots that a claim to run jobs has not scanned. Where the backlog of one is not known, jobs of its priority
   * or a worse one are not claimed ahead: those of other queues would be served more than its own.
   */
  recordUnseen(slots: readonly number[]): void {
    this.#unseenFrom = Number.POSITIVE_INFINITY
    if (this.#slots.queues.length <= 1) return
    for (const slot of slots) {
      if (!this.#backlogs.has(slot)) this.#unseenFrom = Math.min(this.#unseenFrom, this.#firstOf(slot))
    }
  }

  /** Called after all slots of a claim were recorded. The smallest lead of each priority becomes 0 again. */
  endClaim(): void {
    this.#heldUpFrom = Number.POSITIVE_INFINITY
    this.#behindBacklog = Number.POSITIVE_INFINITY
    for (const [first, backlogs] of this.#byPriority()) {
      if (backlogs.some(({ toRun }) => toRun !== 'nothing'))
        this.#behindBacklog = Math.min(this.#behindBacklog, first + this.#slots.queues.length)
      const least = Math.min(...backlogs.map(({ lead }) => lead))
      for (const backlog of backlogs) {
        backlog.lead -= least
        if (!holdsUp(backlog)) continue
        // A slot that is the only one of its priority is scanned once to find whether it has jobs that may wait.
        const isProbed = backlogs.length === 1 && !backlog.inLanes && backlog.toWait === 'unknown'
        const from = isProbed ? first + this.#slots.queues.length : first
        this.#heldUpFrom = Math.min(this.#heldUpFrom, from)
      }
    }
  }

  /** The first slot of the same priority. */
  #firstOf(slot: number): number {
    return slot - (slot % this.#slots.queues.length)
  }

  /**
   * The backlogs that a claim for this purpose can take from, by the first slot of their priority, in the order of
   * their turns.
   */
  #backlogsFor(purpose: Purpose): Map<number, Backlog[]> {
    const available = [...this.#backlogs.values()].filter((backlog) => hasJobsFor(backlog, purpose))
    return Map.groupBy(available.toSorted(byTurn), ({ slot }) => this.#firstOf(slot))
  }

  #byPriority(): Map<number, Backlog[]> {
    return Map.groupBy(this.#backlogs.values(), ({ slot }) => this.#firstOf(slot))
  }

  /** Adds the slots of one priority: slots without a backlog first, then the others, the ones furthest behind first. */
  #takeTurns(
    { order, shares }: { readonly order: number[]; readonly shares: number[] },
    { first, limit, backlogs }: PriorityTurns,
  ): void {
    const count = this.#slots.queues.length
    const share = shareOf(limit, backlogs.length === 0 ? count : backlogs.length + 1)
    const hasBacklog = new Set(backlogs.map(({ slot }) => slot))
    for (let slot = first; slot < first + count; slot += 1) {
      if (hasBacklog.has(slot)) continue
      order.push(slot)
      shares.push(share)
    }
    order.push(...backlogs.map(({ slot }) => slot))
    shares.push(...sharesOf(backlogs, limit))
  }
}

/** The slots of one priority: the first of them, and those with a backlog. */
interface PriorityTurns {
  readonly first: number
  readonly limit: number
  readonly backlogs: readonly Backlog[]
}

/** The slot furthest behind comes first. Of slots with equal leads, the one whose last turn is the longest ago. */
function byTurn(a: Backlog, b: Backlog): number {
  return a.lead - b.lead || a.turnAt - b.turnAt || a.slot - b.slot
}

function newBacklog(slot: number): Backlog {
  return { slot, lead: 0, turnAt: 0, toRun: 'nothing', toWait: 'unknown', inLanes: false }
}

/**
 * Notes that a claim for this purpose has left nothing of the jobs outside lanes. A claim ahead says nothing about jobs
 * that may not wait.
 */
function noteEnd(backlog: Backlog, purpose: Purpose): void {
  if (purpose === 'wait' && backlog.toRun !== 'nothing') {
    backlog.toWait = backlog.toRun === 'none that may wait' ? 'none' : 'unknown'
    return
  }
  backlog.toRun = 'nothing'
  backlog.toWait = 'unknown'
}

/** Notes that a claim for this purpose has left jobs outside lanes, and whether any that it took might have waited. */
function noteRest(backlog: Backlog, purpose: Purpose, mayWait: boolean): void {
  if (purpose === 'wait') backlog.toWait = 'more'
  else backlog.toRun = mayWait ? 'some that may wait' : 'none that may wait'
  if (mayWait && backlog.toWait === 'none') backlog.toWait = 'unknown'
}

function isEmpty({ toRun, toWait, inLanes }: Backlog): boolean {
  return toRun === 'nothing' && toWait !== 'more' && !inLanes
}

/** Whether a backlog stops claims ahead: as far as is known, it has jobs that can start, and some of them may not wait. */
function holdsUp({ toRun, toWait, inLanes }: Backlog): boolean {
  return inLanes || (toRun === 'none that may wait' && toWait !== 'more')
}

/** Whether the slot may have jobs that may wait in memory. */
function mayHaveToWait({ toRun, toWait }: Backlog): boolean {
  return toWait === 'more' || (toWait === 'unknown' && toRun !== 'nothing')
}

function hasJobsFor({ toRun, toWait, inLanes }: Backlog, purpose: Purpose): boolean {
  return toWait === 'more' || (purpose === 'run' && (inLanes || toRun !== 'nothing'))
}

function shareOf(limit: number, among: number): number {
  return Math.min(limit, Math.max(shareMin, Math.ceil(limit / among)))
}

/**
 * Distributes `limit` jobs among these backlogs, in the order of their leads, as if each job went to the one furthest
 * behind. A backlog without a share may still take one job, and the last one everything that is left: jobs remain for
 * them where others have fewer than their share. A backlog that might take none would be passed over, and a job of a
 * worse priority taken beside it.
 */
function sharesOf(backlogs: readonly Backlog[], limit: number): number[] {
  const { level, reachedCount } = levelOf(backlogs, limit)
  const evenShares = backlogs.map(({ lead }, index) => (index < reachedCount ? level - lead : 0))
  const rest = limit - evenShares.reduce((sum, share) => sum + share, 0)
  return evenShares.map((share, index) => {
    if (index === backlogs.length - 1) return limit
    return Math.max(index < rest ? share + 1 : share, 1)
  })
}

/** The lead to which this many jobs raise the backlogs, rounded down, and how many of the backlogs they reach. */
function levelOf(
  backlogs: readonly Backlog[],
  jobs: number,
): { readonly level: number; readonly reachedCount: number } {
  let sum = jobs
  let reachedCount = 0
  for (const { lead } of backlogs) {
    if (reachedCount > 0 && sum / reachedCount <= lead) break
    sum += lead
    reachedCount += 1
  }
  return { level: Math.floor(sum / Math.max(1, reachedCount)), reachedCount }
}
