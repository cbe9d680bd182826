import type { ConnectedDatabase } from '@queue/core'
import { type Rate, takeRequests } from '@queue/core/access'
import { sqlStateOf } from '@queue/postgres'
import {
  keyCacheEntriesMax,
  rateAskMsMin,
  rateGrantSeconds,
  rateGrantUsedMsMax,
  rateHeldMsMax,
} from '../http/limits.ts'
import { Problem } from '../http/problem.ts'

/** How many requests may be sent with each key, over all processes of the API. */
export interface RequestRates {
  /**
   * Counts one request. Gives the headers that say what is left; throws `rate_limited` where nothing is, and
   * `database_unavailable` where that cannot be known.
   */
  count(keyId: string, rate: Rate): Promise<Readonly<Record<string, string>>>
}

export interface RequestRatesOptions {
  readonly database: ConnectedDatabase
  /** Milliseconds of a clock that never steps. */
  readonly nowMs: () => number
}

/** What this process has of the bucket of one key. */
interface Holding {
  /** Requests that it may serve without asking. */
  tokens: number
  grantedAtMs: number
  /** How many it asks for at once: as many as it serves in a quarter of a second. */
  wanted: number
  /** Requests that wait for the answer. */
  waiting: number
  /** Until then the bucket has nothing. */
  refusedUntilMs: number
  /** Until then nobody counts: the database takes no writes. */
  uncountedUntilMs: number
  /** What was left in the bucket. */
  left: number
  asking: Promise<void> | undefined
}

/** SQLSTATE read_only_sql_transaction. */
const readOnly = '25006'

/**
 * Each process takes requests of a key out of the bucket that all share, a few at a time, and serves them within a second.
 * So no process asks for each request, and together they serve no more than the bucket has given. A process that was
 * refused refuses by itself until the bucket can have something. On a server that takes no writes nothing is counted.
 */
export function createRequestRates({ database, nowMs }: RequestRatesOptions): RequestRates {
  const holdings = new Map<string, Holding>()

  const holdingOf = (keyId: string): Holding => {
    const known = holdings.get(keyId)
    if (known !== undefined) return known
    const fresh = freshHolding()
    holdings.set(keyId, fresh)
    // A process that has forgotten what it held has only served less.
    if (holdings.size > keyCacheEntriesMax) holdings.delete(holdings.keys().next().value ?? keyId)
    return fresh
  }

  const ask = async (holding: Holding, keyId: string, rate: Rate): Promise<void> => {
    const grantMax = Math.max(1, Math.floor((rate.count / rate.perSeconds) * rateGrantSeconds))
    const usedUp = holding.tokens < 1 && nowMs() - holding.grantedAtMs < rateGrantUsedMsMax
    const wantedNow = usedUp ? holding.wanted * 2 : Math.ceil(holding.wanted / 2)
    holding.wanted = Math.min(grantMax, Math.max(wantedNow, holding.waiting))
    const returned = holding.tokens
    holding.tokens = 0
    const { granted, left } = await takeRequests(database, keyId, { rate, wanted: holding.wanted, returned })
    holding.tokens = granted
    holding.grantedAtMs = nowMs()
    holding.left = left
    if (granted < holding.wanted) {
      const untilNextMs = ((1 - left) * rate.perSeconds * 1_000) / rate.count
      holding.refusedUntilMs = nowMs() + Math.max(rateAskMsMin, untilNextMs)
    }
  }

  const askOnce = (holding: Holding, keyId: string, rate: Rate): Promise<void> => {
    holding.asking ??= ask(holding, keyId, rate)
      .catch((error: unknown) => {
        if (!(error instanceof Error) || sqlStateOf(error.cause) !== readOnly) throw error
        holding.uncountedUntilMs = nowMs() + rateHeldMsMax
      })
      .finally(() => (holding.asking = undefined))
    return holding.asking
  }

  return {
    count: async (keyId, rate) => {
      const holding = holdingOf(keyId)
      for (;;) {
        const atMs = nowMs()
        if (holding.tokens >= 1 && atMs - holding.grantedAtMs < rateHeldMsMax) {
          holding.tokens -= 1
          return rateHeaders(rate, Math.floor(holding.tokens + Math.max(0, holding.left)))
        }
        if (atMs < holding.uncountedUntilMs) return {}
        if (atMs < holding.refusedUntilMs) throw rateLimited(rate, holding.refusedUntilMs - atMs)
        holding.waiting += 1
        await askOnce(holding, keyId, rate).finally(() => (holding.waiting -= 1))
      }
    },
  }
}

function freshHolding(): Holding {
  return {
    tokens: 0,
    grantedAtMs: Number.NEGATIVE_INFINITY,
    wanted: 1,
    waiting: 0,
    refusedUntilMs: Number.NEGATIVE_INFINITY,
    uncountedUntilMs: Number.NEGATIVE_INFINITY,
    left: 0,
    asking: undefined,
  }
}

/** In the form of the draft of the IETF's HTTPAPI group on RateLimit header fields, with one policy named `key`. */
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
      `this key may send ${rate.count} requests in ${rate.perSeconds} s, and ${rate.burst} at once; ` +
      `try again in ${seconds} s`,
    headers: { ...rateHeaders(rate, 0, seconds), 'retry-after': String(seconds) },
  })
}
