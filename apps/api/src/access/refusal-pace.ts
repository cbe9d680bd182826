import {
  keyCacheEntriesMax,
  keyRefusalsBurst,
  keyRefusalsPerSecond,
  refusalDelayMsMax,
} from '../http/limits.ts'
import { type Principal, quotaKeyOf } from '../http/principal.ts'

/** The pace at which a key or subject gets refusals. */
export interface RefusalPace {
  /** How long the response waits, in milliseconds. */
  delayMs(principal: Principal | undefined, status: number): number
}

/** Responses about the state of a job or another thing, which a client can ask for as often as it likes. */
const statusesOfThings: ReadonlySet<number> = new Set([404, 409, 410, 412])

/**
 * A client that repeats what was refused, on many connections, gets its answers at a pace: the connection is kept, the response
 * waits, and nothing else is held for it. So the refusals of a key cannot occupy the process. Responses that tell the state of a
 * thing do not wait, and neither do those to API_TOKEN.
 */
export function createRefusalPace(nowMs: () => number): RefusalPace {
  /** When the next refusal of each key may be sent if the burst is used up. */
  const nextAtMs = new Map<string, number>()
  const intervalMs = 1_000 / keyRefusalsPerSecond
  return {
    delayMs: (principal, status) => {
      const key = principal && quotaKeyOf(principal)
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
