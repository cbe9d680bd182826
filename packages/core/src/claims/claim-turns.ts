import type { ClaimSlots } from './claim-slots.ts'

/** What a claim is to scan: slots in this order, and how many jobs it may take of each. */
export interface Turns {
  readonly order: readonly number[]
  readonly shares: readonly number[]
}

/** Whom a claim is for: the free slots of its worker, or its memory, where only some jobs may wait. */
export type Purpose = 'run' | 'wait'

/** What a claim has found in a slot that it scanned. */
export interface Found {
  readonly jobs: number
  /** Whether one of them could have waited in memory. */
  readonly mayWait: boolean
  /** Whether the scan has come to the end of the slot. */
  readonly isExhausted: boolean
}

/** What is known of a slot in which a claim has left something behind. */
interface Backlog {
  readonly slot: number
  /** How many more jobs of it were claimed than of that slot of its priority of which the fewest were. */
  lead: number
  /** When jobs of it were last claimed, in claims. */
  turnAt: number
  /** What the last claim to run jobs has taken of it, without coming to its end. */
  toRun: 'nothing' | 'some that may wait' | 'none that may wait'
  /** Whether there is more that may wait in memory, as the last claim for that has found; `none` until one is seen. */
  toWait: 'more' | 'none' | 'unknown'
}

/** No share is smaller, so that a job that comes alone fills none: whoever fills its share may have more. */
const shareMin = 2

/**
 * Whose turn it is. Queues of one priority that have a backlog are served alike, by jobs and not by claims: a claim may be
 * for one job or for a thousand, and be filled by one queue. So each queue's jobs are counted, for all sorts of claims
 * together; each claim takes so many of each that they come out even, and begins with those that are behind. A queue
 * without a backlog is owed nothing: it comes first, with an equal share, as soon as it has jobs again.
 *
 * Only queues with a backlog are kept here, and nothing at all while no claim leaves anything behind.
 */
export class ClaimTurns {
  readonly #slots: ClaimSlots
  readonly #backlogs = new Map<number, Backlog>()
  #claims = 0
  #isHeldUp = false

  constructor(slots: ClaimSlots) {
    this.#slots = slots
  }

  /** Whether something was left behind that a claim for this purpose may take. */
  hasMore(purpose: Purpose): boolean {
    return [...this.#backlogs.values()].some((backlog) => isThere(backlog, purpose))
  }

  /**
   * Whether there is a queue of whose jobs, as far as is known, none may wait in memory. While those of others are fetched
   * ahead it would be served less than they.
   */
  get isHeldUp(): boolean {
    return this.#isHeldUp
  }

  /** The turns of a claim for up to `limit` jobs. */
  next(purpose: Purpose, limit: number): Turns {
    this.#claims += 1
    const { all, queues } = this.#slots
    const members = this.#members(purpose)
    if (queues.length <= 1 || members.size === 0) {
      const share = shareOf(limit, queues.length)
      return { order: all, shares: all.map(() => share) }
    }
    const turns = { order: new Array<number>(), shares: new Array<number>() }
    for (let first = 0; first < all.length; first += queues.length) {
      this.#takeTurns(turns, { first, limit, members: members.get(first) ?? [] })
    }
    return turns
  }

  /** A claim has scanned this slot. */
  note(slot: number, purpose: Purpose, found: Found): void {
    const known = this.#backlogs.get(slot)
    if (found.isExhausted) {
      if (purpose === 'wait' && known?.toRun === 'none that may wait') known.toWait = 'none'
      else this.#backlogs.delete(slot)
      return
    }
    const backlog = known ?? { slot, lead: 0, turnAt: 0, toRun: 'nothing', toWait: 'unknown' }
    backlog.lead += found.jobs
    backlog.turnAt = this.#claims
    if (purpose === 'wait') backlog.toWait = 'more'
    else backlog.toRun = found.mayWait ? 'some that may wait' : 'none that may wait'
    if (found.mayWait && backlog.toWait === 'none') backlog.toWait = 'unknown'
    this.#backlogs.set(slot, backlog)
  }

  /** A claimed job of this slot goes back unstarted. */
  noteReturned(slot: number): void {
    const known = this.#backlogs.get(slot)
    if (known !== undefined) known.lead -= 1
  }

  /** Nothing can be claimed from this slot now. */
  forget(slot: number): void {
    this.#backlogs.delete(slot)
  }

  /** All slots of a claim have been noted: the leads of each priority begin at 0 again. */
  endClaim(): void {
    this.#isHeldUp = false
    for (const backlogs of this.#byPriority().values()) {
      const least = Math.min(...backlogs.map(({ lead }) => lead))
      for (const backlog of backlogs) {
        backlog.lead -= least
        this.#isHeldUp ||= holdsUp(backlog, backlogs.length)
      }
    }
  }

  /** The first slot of the same priority. */
  #firstOf(slot: number): number {
    return slot - (slot % this.#slots.queues.length)
  }

  /** What is there for a claim, by the first slot of its priority, in the order of the turns. */
  #members(purpose: Purpose): Map<number, Backlog[]> {
    const there = [...this.#backlogs.values()].filter((backlog) => isThere(backlog, purpose))
    return Map.groupBy(there.toSorted(byTurn), ({ slot }) => this.#firstOf(slot))
  }

  #byPriority(): Map<number, Backlog[]> {
    return Map.groupBy(this.#backlogs.values(), ({ slot }) => this.#firstOf(slot))
  }

  /** Adds the slots of one priority: those without a backlog first, then the others, who is behind before who is ahead. */
  #takeTurns(
    { order, shares }: { readonly order: number[]; readonly shares: number[] },
    one: OnePriority,
  ): void {
    const { first, limit, members } = one
    const count = this.#slots.queues.length
    const share = shareOf(limit, members.length === 0 ? count : members.length + 1)
    const isMember = new Set(members.map(({ slot }) => slot))
    for (let slot = first; slot < first + count; slot += 1) {
      if (isMember.has(slot)) continue
      order.push(slot)
      shares.push(share)
    }
    order.push(...members.map(({ slot }) => slot))
    shares.push(...sharesOf(members, limit))
  }
}

interface OnePriority {
  readonly first: number
  readonly limit: number
  readonly members: readonly Backlog[]
}

/** Who is furthest behind comes first, and of equals the one whose turn is the longest ago. */
function byTurn(a: Backlog, b: Backlog): number {
  return a.lead - b.lead || a.turnAt - b.turnAt || a.slot - b.slot
}

/** One that has nobody beside it is looked into once, to find whether it has others that may wait. */
function holdsUp({ toRun, toWait }: Backlog, withIt: number): boolean {
  return toRun === 'none that may wait' && (toWait === 'none' || (toWait === 'unknown' && withIt > 1))
}

function isThere({ toRun, toWait }: Backlog, purpose: Purpose): boolean {
  return toWait === 'more' || (purpose === 'run' && toRun !== 'nothing')
}

function shareOf(limit: number, among: number): number {
  return Math.min(limit, Math.max(shareMin, Math.ceil(limit / among)))
}

/**
 * Shares `limit` jobs out among these members, whose leads ascend, as if each job went to the one furthest behind. Who has
 * no share may take one job and the last of them all that is left: they come to it where others have fewer than their share.
 */
function sharesOf(members: readonly Backlog[], limit: number): number[] {
  const { level, reached } = levelOf(members, limit)
  const even = members.map(({ lead }, index) => (index < reached ? level - lead : 0))
  const rest = limit - even.reduce((sum, share) => sum + share, 0)
  return even.map((share, index) => {
    if (index === members.length - 1) return limit
    return Math.max(index < rest ? share + 1 : share, index < reached ? 1 : 0)
  })
}

/** To which whole lead so many jobs raise the members, and how many of these they reach. */
function levelOf(
  members: readonly Backlog[],
  jobs: number,
): { readonly level: number; readonly reached: number } {
  let sum = jobs
  let reached = 0
  for (const { lead } of members) {
    if (reached > 0 && sum / reached <= lead) break
    sum += lead
    reached += 1
  }
  return { level: Math.floor(sum / Math.max(1, reached)), reached }
}
