import {
  keyCacheEntriesMax,
  keyRefusalsBurst,
  keyRefusalsPerSecond,
  refusalDelayMsMax,
} from '../http/limits.ts'
import { quotaKeyOf } from '../http/principal.ts'
import type { RequestContext } from '../http/request-context.ts'
import { networkOf } from './address-limiter.ts'

/** The pace at which a key, a subject, or an address without a valid credential gets refusals. */
export interface RefusalPace {
  /** How long the response waits, in milliseconds. */
  delayMs(refused: RefusedCaller, status: number): number
}

export interface RefusedCaller extends Pick<RequestContext, 'principal'> {
  /** Counts for the callers without a principal. */
  readonly address: string | undefined
}

/** Responses about the state of a job or another thing, which a client can ask for as often as it likes. */
const statusesOfThings: ReadonlySet<number> = new Set([404, 409, 410, 412])

/**
 * A client that repeats what was refused, on many connections, gets its answers at a pace: the connection is kept, the response
 * waits, and nothing else is held for it. So the refusals of a caller cannot occupy the process. Responses that tell the state of a
 * thing do not wait, and neither do those to API_TOKEN.
 */
export function createRefusalPace(nowMs: () => number): RefusalPace {
  /** When the next refusal of each key may be sent if the burst is used up. */
  const nextAtMs = new Map<string, number>()
  const intervalMs = 1_000 / keyRefusalsPerSecond
  return {
    delayMs: (refused, status) => {
      const key = paceKeyOf(refused, status)
      if (key === undefined || statusesOfThings.has(status)) return 0
      const atMs = nowMs()
      const earliestMs = atMs - keyRefusalsBurst * intervalMs
      // A refusal that has waited for the maximum is sent, so the debt of a key is bounded too.
      const dueAtMs = Math.min(
        Math.max(nextAtMs.get(key) ?? earliestMs, earliestMs),
        atMs + refusalDelayMsMax,
      )
      nextAtMs.delete(key)
      nextAtMs.set(key, dueAtMs + intervalMs)
      // The key that was not refused for longest has nothing to wait for.
      if (nextAtMs.size > keyCacheEntriesMax) nextAtMs.delete(nextAtMs.keys().next().value ?? key)
      return Math.max(0, dueAtMs - atMs)
    },
  }
}

/** Whose refusals are counted together; undefined for those that do not wait, such as a probe that tells that something is down. */
function paceKeyOf({ principal, address }: RefusedCaller, status: number): string | undefined {
  if (principal !== undefined) return quotaKeyOf(principal)
  // No id of a key or subject begins with a space.
  return status < 500 ? ` ${networkOf(address)}` : undefined
}
