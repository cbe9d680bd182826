/**
 * The recorded outcome of a dispatch. `dead_letter`: it failed and was the last attempt, or the message is undeliverable.
 * `unavailable`, `released`: the message was returned uncharged. `lost`: another relay had taken the message over, and nothing
 * was changed. `error`: the end could not be written.
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

/** Receives what a relay reports, for metrics. Every method must return at once. */
export interface OutboxObserver {
  /** Called with the recorded outcome, which may differ from the target's answer. */
  dispatched(dispatch: {
    readonly topic: string
    readonly outcome: DispatchOutcome
    readonly seconds: number
  }): void
  /** A message whose relay was lost during its last attempt became a dead letter. */
  deadLettered(message: { readonly topic: string }): void
  /** The topics that this relay delivers; called once, before the first message. */
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
