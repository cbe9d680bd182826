/** How often a claim checks for lanes while none are known and claims return jobs. */
const checkEveryMs = 200
/** How often it checks if jobs are announced all the time. */
const checkWhenAnnouncedMs = 25
/** How long the next claim is delayed after claims in lanes that returned nothing, in milliseconds. It doubles each time. */
const waitMs = { min: 5, max: 500 } as const

const noMarks = '{}'

/** What a claim in lanes has found. */
export interface LanesFound {
  /** Whether jobs in lanes, or under limits of their queue, were claimed or could have been. */
  readonly canStart: boolean
  /** Milliseconds until more of them are expected to start; null: none is expected. */
  readonly nextInMs: number | null
  /** How many jobs of every sort were claimed. */
  readonly jobs: number
}

/**
 * Whether jobs in lanes, or under limits of their queue, may start. Only then are claims for slots sent through
 * `claim_lanes`. Instants are the database's, in milliseconds since 1970.
 */
export class LaneWatch {
  #nowMs = Number.NEGATIVE_INFINITY
  #areThere = false
  #checkedAtMs = Number.NEGATIVE_INFINITY
  #checkAtMs = Number.NEGATIVE_INFINITY
  #isBusy = false
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

  /** Whether jobs in lanes may start, as far as the claims so far have shown. */
  get areThere(): boolean {
    return this.#areThere
  }

  /** A job may have come, or a limit may let one start: a claim checks soon. */
  noteAnnounced(): void {
    this.#checkAtMs = Math.min(this.#checkAtMs, this.#checkedAtMs + checkWhenAnnouncedMs)
  }

  /**
   * Whether the next claim must check for lanes; the check then counts as done. After a claim that returned no jobs,
   * the next one always checks.
   */
  takeCheck(): boolean {
    if (this.#areThere || (this.#isBusy && this.#nowMs < this.#checkAtMs)) return false
    this.#checkedAtMs = this.#nowMs
    this.#checkAtMs = this.#nowMs + checkEveryMs
    return true
  }

  /** Learns from a claim outside lanes at this time: whether it has seen lanes, and how many jobs it returned. */
  learn(nowMs: number, { hasLanes, jobs }: { readonly hasLanes: boolean; readonly jobs: number }): void {
    this.#nowMs = nowMs
    this.#isBusy = jobs > 0
    this.#areThere ||= hasLanes
  }

  /** Learns from a claim in lanes at this time. */
  learnFromLanes(nowMs: number, { canStart, nextInMs, jobs }: LanesFound): void {
    this.#nowMs = nowMs
    this.#isBusy = jobs > 0
    this.#areThere = canStart
    this.#checkedAtMs = nowMs
    this.#checkAtMs = nowMs + Math.min(checkEveryMs, nextInMs ?? checkEveryMs)
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
}
