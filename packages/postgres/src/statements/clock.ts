/**
 * The database's clock as this process last measured it. Between measurements it advances with the machine's monotonic clock, so
 * that a wall clock that is wrong, or that jumps, has no effect.
 */
export interface DatabaseClock {
  /** Milliseconds since 1970 by the database's clock; undefined before the first measurement. */
  nowMs(): number | undefined
  /** Whether there is no reading yet, or only one so old that the two clocks may have drifted apart. */
  isStale(): boolean
  /** Records a fresh reading of the database's clock, in milliseconds since 1970. */
  observe(databaseNowMs: number): void
}

/** In this time clocks drift by some hundred microseconds. It also bounds how long a sleep of the machine goes unnoticed. */
const staleAfterMs = 10_000

/** A clock without a measurement yet. `monotonicNowMs` is any clock that never jumps. */
export function createDatabaseClock(monotonicNowMs: () => number = () => performance.now()): DatabaseClock {
  let reading: { readonly databaseMs: number; readonly atMs: number } | undefined
  return {
    nowMs: () => (reading === undefined ? undefined : reading.databaseMs + monotonicNowMs() - reading.atMs),
    isStale: () => reading === undefined || monotonicNowMs() - reading.atMs > staleAfterMs,
    observe: (databaseMs) => {
      reading = { databaseMs, atMs: monotonicNowMs() }
    },
  }
}
