/**
 * The database's clock as this process last measured it. Between measurements it advances by the machine's monotonic clock,
 * so that a wall clock that is wrong, or that steps, changes nothing.
 */
export interface DatabaseClock {
  /** Milliseconds since 1970 by the database's clock; undefined before the first measurement. */
  nowMs(): number | undefined
  /** Whether there is no reading yet, or one so old that the two clocks may have drifted apart. */
  isStale(): boolean
  /** Takes a fresh reading of the database's clock, in milliseconds since 1970. */
  observe(databaseNowMs: number): void
}

/** Clocks drift by some hundred microseconds in this time, and the sleep of a machine goes unnoticed for no longer. */
const staleAfterMs = 10_000

/** A clock without a measurement yet. `monotonicNowMs` is any clock that never steps. */
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
