import { backoffBaseMs, backoffCapMs } from '../limits.ts'

export interface RetryDelayOptions {
  /** How many attempts have failed, from 1. */
  readonly failures: number
  /** The Retry-After of the last response, in milliseconds. */
  readonly retryAfterMs: number | undefined
  /** Returns a number from 0, inclusive, to 1, exclusive. */
  readonly random: () => number
}

/**
 * Milliseconds until the next attempt: a random time below a ceiling that doubles with each failure ("full jitter":
 * Brooker, Exponential Backoff and Jitter, 2015). It is added to Retry-After. Otherwise all clients with the same
 * Retry-After would come back in the same second.
 */
export function retryDelayMs({ failures, retryAfterMs = 0, random }: RetryDelayOptions): number {
  return retryAfterMs + random() * Math.min(backoffCapMs, backoffBaseMs * 2 ** (failures - 1))
}
