/**
 * The database's clock as this process last measured it. It runs on the machine's monotonic clock in between, so
 * that a wall clock that is wrong, or that steps, moves nothing.
 */
export interface DatabaseClock {
  /** Milliseconds since 1970 by the database's clock; undefined before the first measurement. */
  nowMs(): number | undefined
  /** Takes a fresh reading of the database's clock, in milliseconds since 1970. */
  observe(databaseNowMs: number): void
}

/** A clock that knows nothing yet. `monotonicNowMs` is any clock that never steps. */
export function createDatabaseClock(monotonicNowMs: () => number = () => performance.now()): DatabaseClock {
  let offsetMs: number | undefined
  return {
    nowMs: () => (offsetMs === undefined ? undefined : monotonicNowMs() + offsetMs),
    observe: (databaseNowMs) => {
      offsetMs = databaseNowMs - monotonicNowMs()
    },
  }
}
