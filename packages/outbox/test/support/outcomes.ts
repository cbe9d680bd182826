import type { DispatchOutcome, OutboxObserver } from '../../src/index.ts'

/** An observer of a relay that records the outcome of each dispatch. */
export function recordOutcomes(): { readonly metrics: OutboxObserver; readonly outcomes: DispatchOutcome[] } {
  const outcomes: DispatchOutcome[] = []
  const metrics: OutboxObserver = {
    dispatched: ({ outcome }) => outcomes.push(outcome),
    deadLettered: () => undefined,
    topics: () => undefined,
    claimed: () => undefined,
    listenerHealthy: () => undefined,
  }
  return { metrics, outcomes }
}
