/**
 * How a dispatch ended, as it was recorded. `dead_letter`: it was the last one. `unavailable`, `released`: returned
 * uncharged. `lost`: another relay had taken the message over, and nothing was changed. `error`: the end could not be
 * written.
 */
export const dispatchOutcomes = [
  'delivered',
  'failed',
  'dead_letter',
  'unavailable',
  'released',
  'lost',
  'error',
] as const
export type DispatchOutcome = (typeof dispatchOutcomes)[number]

/** What a relay reports while it works. Every method must return at once. */
export interface OutboxObserver {
  /** Called with what was recorded, never with what the target said. */
  dispatched(dispatch: {
    readonly topic: string
    readonly outcome: DispatchOutcome
    readonly seconds: number
  }): void
  /** Messages that a lost relay has left on their last attempt. */
  deadLettered(message: { readonly topic: string }): void
  /** The topics that this relay delivers; called once, before the first of them. */
  topics(topics: readonly string[]): void
  claimed(claim: { readonly messages: number; readonly seconds: number }): void
  listenerHealthy(state: 'healthy' | 'unhealthy'): void
}

export const noObserver: OutboxObserver = {
  dispatched: () => undefined,
  deadLettered: () => undefined,
  topics: () => undefined,
  claimed: () => undefined,
  listenerHealthy: () => undefined,
}
