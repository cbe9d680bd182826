import { backoffBaseMs, backoffCapMs } from '../limits.ts'

export interface RetryDelayOptions {
  /** How many attempts have failed, from 1. */
  readonly failures: number
  /** What the last answer asked for. */
  readonly retryAfterMs: number | undefined
  /** From 0, inclusive, to 1. */
  readonly random: () => number
}

/**
 * Milliseconds before the next attempt: anywhere from 0 to a ceiling that doubles with each failure ("full jitter":
 * Brooker, Exponential Backoff and Jitter, 2015). On top of Retry-After, since those who were told the same second
 * would otherwise all come back in it.
 */
export function retryDelayMs({ failures, retryAfterMs = 0, random }: RetryDelayOptions): number {
  return retryAfterMs + random() * Math.min(backoffCapMs, backoffBaseMs * 2 ** (failures - 1))
}
