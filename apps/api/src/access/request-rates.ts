import type { Rate } from '@queue/core'
import { type ConnectedDatabase, takeRequests } from '@queue/core/internal'
import { sqlStateOf } from '@queue/postgres'
import {
  keyCacheEntriesMax,
  rateAskMsMin,
  rateGrantSeconds,
  rateGrantUsedMsMax,
  rateHeldMsMax,
} from '../http/limits.ts'
import { type Principal, quotaKeyOf } from '../http/principal.ts'
import { Problem } from '../http/problem.ts'

/** The rate limits of keys, over all API processes. */
export interface RequestRates {
  /**
   * Counts one request, and returns the rate limit headers. Throws `rate_limited` if the rate limit is used up, and
   * `database_unavailable` if the database cannot be read.
   */
  count(quotaKey: string, rate: Rate): Promise<Readonly<Record<string, string>>>
}

/** Counts a request against the rate of its sender, if it has one. Returns the rate limit headers, and throws as `count`. */
export async function countRequest(
  principal: Principal,
  rates: RequestRates | undefined,
): Promise<Readonly<Record<string, string>>> {
  const quotaKey = quotaKeyOf(principal)
  if (rates === undefined || quotaKey === undefined || principal.rate === undefined) return {}
  return rates.count(quotaKey, principal.rate)
}

export interface RequestRatesOptions {
  readonly database: ConnectedDatabase
  /** Milliseconds of a monotonic clock. */
  readonly nowMs: () => number
}

/** The tokens that this process holds of the shared bucket of one key. */
interface Holding {
  /** Requests that can be served without a query. */
  tokens: number
  grantedAtMs: number
  /** Number of tokens to request at a time: as many as are used in a quarter of a second. */
  batchSize: number
  /** Requests that wait for tokens. */
  waiting: number
  /** Until this time, the bucket is known to be empty. */
  refusedUntilMs: number
  /** Until this time, requests are not counted, because the database is read-only. */
  uncountedUntilMs: number
  /** Tokens that were left in the bucket. */
  left: number
  refill: Promise<void> | undefined
}

/** SQLSTATE read_only_sql_transaction. */
const readOnly = '25006'

/**
 * Each process takes tokens out of the shared bucket of a key, a few at a time, and uses them within a second. So requests need no
 * query each, and all processes together serve no more than the bucket has granted. A process that got no tokens refuses requests
 * by itself until the bucket can have one. On a read-only database nothing is counted.
 */
export function createRequestRates({ database, nowMs }: RequestRatesOptions): RequestRates {
  const holdings = new Map<string, Holding>()

  const holdingOf = (quotaKey: string): Holding => {
    const existing = holdings.get(quotaKey)
    if (existing !== undefined) return existing
    const created = emptyHolding()
    holdings.set(quotaKey, created)
    // Dropping a holding only loses its tokens.
    if (holdings.size > keyCacheEntriesMax) holdings.delete(holdings.keys().next().value ?? quotaKey)
    return created
  }

  const refill = async (holding: Holding, quotaKey: string, rate: Rate): Promise<void> => {
    const batchSizeMax = Math.max(1, Math.floor((rate.count / rate.perSeconds) * rateGrantSeconds))
    const wasUsedUp = holding.tokens < 1 && nowMs() - holding.grantedAtMs < rateGrantUsedMsMax
    const adaptedSize = wasUsedUp ? holding.batchSize * 2 : Math.ceil(holding.batchSize / 2)
    const wanted = Math.min(batchSizeMax, Math.max(adaptedSize, holding.waiting))
    const returned = holding.tokens
    holding.batchSize = wanted
    holding.tokens = 0
    const { granted, left } = await takeRequests(database, quotaKey, { rate, wanted, returned })
    holding.tokens = granted
    holding.grantedAtMs = nowMs()
    holding.left = left
    if (granted < wanted) {
      const untilNextMs = ((1 - left) * rate.perSeconds * 1_000) / rate.count
      holding.refusedUntilMs = nowMs() + Math.max(rateAskMsMin, untilNextMs)
    }
  }

  const refillOnce = (holding: Holding, quotaKey: string, rate: Rate): Promise<void> => {
    holding.refill ??= refill(holding, quotaKey, rate)
      .catch((error: unknown) => {
        if (!(error instanceof Error) || sqlStateOf(error.cause) !== readOnly) throw error
        holding.uncountedUntilMs = nowMs() + rateHeldMsMax
      })
      .finally(() => (holding.refill = undefined))
    return holding.refill
  }

  return {
    count: async (quotaKey, rate) => {
      const holding = holdingOf(quotaKey)
      for (;;) {
        const atMs = nowMs()
        if (holding.tokens >= 1 && atMs - holding.grantedAtMs < rateHeldMsMax) {
          holding.tokens -= 1
          return rateHeaders(rate, Math.floor(holding.tokens + Math.max(0, holding.left)))
        }
        if (atMs < holding.uncountedUntilMs) return {}
        if (atMs < holding.refusedUntilMs) throw rateLimited(rate, holding.refusedUntilMs - atMs)
        holding.waiting += 1
        await refillOnce(holding, quotaKey, rate).finally(() => (holding.waiting -= 1))
      }
    },
  }
}

function emptyHolding(): Holding {
  return {
    tokens: 0,
    grantedAtMs: Number.NEGATIVE_INFINITY,
    batchSize: 1,
    waiting: 0,
    refusedUntilMs: Number.NEGATIVE_INFINITY,
    uncountedUntilMs: Number.NEGATIVE_INFINITY,
    left: 0,
    refill: undefined,
  }
}

/** The header fields of the IETF draft on RateLimit headers, with one policy named `key`. */
function rateHeaders({ count, perSeconds }: Rate, remaining: number, waitSeconds?: number) {
  const reset = waitSeconds === undefined ? '' : `;t=${waitSeconds}`
  return {
    ratelimit: `"key";r=${remaining}${reset}`,
    'ratelimit-policy': `"key";q=${count};w=${perSeconds}`,
  }
}

function rateLimited(rate: Rate, waitMs: number): Problem {
  const seconds = Math.max(1, Math.ceil(waitMs / 1_000))
  return new Problem('rate_limited', {
    detail:
      `the rate limit is ${rate.count} requests in ${rate.perSeconds} s with a burst of ${rate.burst}: ` +
      `retry in ${seconds} s`,
    headers: { ...rateHeaders(rate, 0, seconds), 'retry-after': String(seconds) },
  })
}
