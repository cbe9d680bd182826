import { noteSlowClaim, type QueueDatabase } from '@queue/core/internal'

/** Claims take milliseconds. From this time on, one is noted in the registry. */
const slowClaimMsMin = 1_000

export interface SlowClaimsOptions {
  readonly database: QueueDatabase
  readonly workerId: () => string | undefined
}

/** The slowest claim of a process since it was last noted, if it took a second or longer. */
export class SlowClaims {
  readonly #options: SlowClaimsOptions
  #slowestMs = 0

  constructor(options: SlowClaimsOptions) {
    this.#options = options
  }

  /** A claim took this long, whether or not it got an answer. */
  observe(ms: number): void {
    if (ms >= slowClaimMsMin) this.#slowestMs = Math.max(this.#slowestMs, Math.round(ms))
  }

  /** Notes the slowest claim in the registry. Without one it sends no statement. */
  async flush(): Promise<void> {
    const slowestMs = this.#slowestMs
    const id = this.#options.workerId()
    if (slowestMs === 0 || id === undefined) return
    await noteSlowClaim(this.#options.database, id, slowestMs)
    if (this.#slowestMs === slowestMs) this.#slowestMs = 0
  }
}
