/** How often a claim checks for lanes while none are known and claims return jobs. */
const checkEveryMs = 200
/** How long lanes that were there count as there. */
const presumedMs = 30_000
/** How long the next claim is delayed after claims in lanes that returned nothing, in milliseconds. It doubles each time. */
const waitMs = { min: 5, max: 500 } as const

const noMarks = '{}'

/**
 * Whether there may be jobs in lanes or in queues with limits. The statement that claims them is sent only then.
 * Instants are the database's, in milliseconds since 1970.
 */
export class LaneWatch {
  #nowMs = Number.NEGATIVE_INFINITY
  #thereUntilMs = Number.NEGATIVE_INFINITY
  #checkAtMs = Number.NEGATIVE_INFINITY
  #isBusy = false
  #isLanesTurn = false
  #waitMs: number = waitMs.min
  #marks = noMarks
  #timesForgotten = 0

  /** Where the next claim in lanes can begin to scan: the marks of the last one, as JSON. */
  get marks(): string {
    return this.#marks
  }

  /** Begins a claim in lanes. Returns a function that stores the claim's marks, unless `forgetMarks` was called in between. */
  beginClaim(): (marks: string) => void {
    const timesForgotten = this.#timesForgotten
    return (marks) => {
      if (this.#timesForgotten === timesForgotten) this.#marks = marks
    }
  }

  /** Makes the next claim in lanes scan from the beginning. */
  forgetMarks(): void {
    this.#timesForgotten += 1
    this.#marks = noMarks
  }

  /** Whether lanes are there, as far as the claims so far have shown. */
  get areThere(): boolean {
    return this.#nowMs < this.#thereUntilMs
  }

  /**
   * Whether the next claim must check for lanes; the check then counts as done. After a claim that returned no jobs,
   * the next one always checks.
   */
  takeCheck(): boolean {
    if (this.areThere || (this.#isBusy && this.#nowMs < this.#checkAtMs)) return false
    this.#checkAtMs = this.#nowMs + checkEveryMs
    return true
  }

  /** Learns from a claim at this time: whether it has seen lanes, and how many jobs it returned. */
  learn(nowMs: number, { hasLanes, jobs }: { readonly hasLanes: boolean; readonly jobs: number }): void {
    this.#nowMs = nowMs
    this.#isBusy = jobs > 0
    if (hasLanes) this.#thereUntilMs = nowMs + presumedMs
  }

  /**
   * When to claim again after a claim in lanes that returned this many jobs and expects more in `nextInMs` milliseconds
   * (null: it expects none). The answer is in milliseconds. The wait has a minimum, because the jobs may be held by the
   * claim of a process that has stopped.
   */
  retryIn(nextInMs: number | null, jobs: number): number | null {
    this.#waitMs = jobs > 0 ? waitMs.min : Math.min(2 * this.#waitMs, waitMs.max)
    return nextInMs === null ? null : Math.max(nextInMs, this.#waitMs)
  }

  /** Whether jobs in lanes go first this time. */
  takeTurn(): boolean {
    this.#isLanesTurn = !this.#isLanesTurn
    return this.#isLanesTurn
  }
}
