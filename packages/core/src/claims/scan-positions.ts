import { plainArray } from '@queue/postgres'

/**
 * A job is due from the instant of its enqueue, and the transaction around that may commit this much later without any
 * scan missing it. One that takes longer is found by the next scan without positions.
 */
const claimSlackMs = 2_000

/**
 * How far one sort of claims has scanned each slot: the `run_at`, in milliseconds since 1970, below which nothing claimable
 * was left when it last looked. The next scan begins there and not among the dead index entries of what has been claimed
 * since, nor among jobs of kinds that this worker cannot run. −Infinity where a slot is to be scanned from its beginning.
 */
export class ScanPositions {
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
