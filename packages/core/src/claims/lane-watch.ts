/** Whether lanes are there is checked so often while none are known, and each claim brings jobs. */
const checkEveryMs = 200
/** Lanes that were there are taken to be there for so long. */
const keptMs = 30_000
/** After claims in lanes that have brought nothing, the next one is this much later: doubled from one to the next. */
const waitMs = { min: 5, max: 500 } as const

const noMarks = '{}'

/**
 * Whether jobs in lanes, or in queues with limits, may be there: only then is the statement sent that claims them. Instants
 * are the database's, in milliseconds since 1970.
 */
export class LaneWatch {
  #nowMs = Number.NEGATIVE_INFINITY
  #thereUntilMs = Number.NEGATIVE_INFINITY
  #checkAtMs = Number.NEGATIVE_INFINITY
  #isBusy = false
  #isTheirTurn = false
  #waitMs: number = waitMs.min
  #marks = noMarks
  #timesForgotten = 0

  /** Where the next claim in lanes may begin to look: what the last one has said, as JSON. */
  get marks(): string {
    return this.#marks
  }

  /** Begins a claim in lanes. Gives what keeps the marks that it brings, unless they are to be forgotten by then. */
  beginClaim(): (marks: string) => void {
    const timesForgotten = this.#timesForgotten
    return (marks) => {
      if (this.#timesForgotten === timesForgotten) this.#marks = marks
    }
  }

  /** The next claim in lanes begins at the beginning. */
  forgetMarks(): void {
    this.#timesForgotten += 1
    this.#marks = noMarks
  }

  /** As far as is known from the claims so far. */
  get areThere(): boolean {
    return this.#nowMs < this.#thereUntilMs
  }

  /** Whether the next claim is to check, which counts as done: that after one that has brought nothing always is. */
  takeCheck(): boolean {
    if (this.areThere || (this.#isBusy && this.#nowMs < this.#checkAtMs)) return false
    this.#checkAtMs = this.#nowMs + checkEveryMs
    return true
  }

  /** A claim at this time has checked, or not, has seen whether some are there, and has brought so many jobs. */
  learn(nowMs: number, { hasLanes, jobs }: { readonly hasLanes: boolean; readonly jobs: number }): void {
    this.#nowMs = nowMs
    this.#isBusy = jobs > 0
    if (hasLanes) this.#thereUntilMs = nowMs + keptMs
  }

  /**
   * A claim in lanes has brought so many jobs, and expects more in `nextInMs` milliseconds; null: it expects none. Gives when
   * to claim again: what holds them may be the claim of a process that has stopped.
   */
  retryIn(nextInMs: number | null, jobs: number): number | null {
    this.#waitMs = jobs > 0 ? waitMs.min : Math.min(2 * this.#waitMs, waitMs.max)
    return nextInMs === null ? null : Math.max(nextInMs, this.#waitMs)
  }

  /** Whether jobs in lanes come first this time. */
  takeTurn(): boolean {
    this.#isTheirTurn = !this.#isTheirTurn
    return this.#isTheirTurn
  }
}
