import { createHash } from 'node:crypto'
import {
  scheduleAllWindowMsDefault,
  scheduleMissedMax,
  scheduleSkipWindowMsDefault,
} from '../domain/limits.ts'
import type { MissedPolicy, OverlapPolicy } from '../domain/schedule-policies.ts'
import type { Instants } from './timing.ts'

/** The rules that decide how a schedule fires. */
export interface FiringRules {
  readonly tenantId: string
  readonly name: string
  readonly jitterMs: number
  readonly endsAt: Date | null
  readonly missed: MissedPolicy
  readonly missedWindowMs: number | null
  readonly overlap: OverlapPolicy
}

/** What one firing of a schedule does. All instants are in milliseconds since 1970. */
export interface Firing {
  /** The instants whose jobs are enqueued, oldest first. */
  readonly fired: readonly number[]
  /** Number of instants that `missed` drops. Those of an expression are counted up to `scheduleMissedCountedMax`. */
  readonly missed: number
  /** Number of instants that `overlap` drops. */
  readonly skipped: number
  /** The next instant; null where there is none. */
  readonly nextMs: number | null
  /** Number of instants that were computed. */
  readonly computed: number
}

/** The state of a schedule when it fires. */
export interface FiringMoment {
  /** The instant that fires next. */
  readonly nextMs: number
  /** By the database's clock, in milliseconds since 1970. */
  readonly nowMs: number
  /** Whether the job of the last run has not ended. */
  readonly busy: boolean
}

/**
 * Plans the firing of a due schedule. An instant is missed when the next one is due as well, or when it is later than
 * the window allows.
 */
export function planFiring(rules: FiringRules, instants: Instants, moment: FiringMoment): Firing {
  const { nowMs, nextMs: firstMs } = moment
  const isDue = (instant: number): boolean => dueMs(rules, instant) <= nowMs
  const due = firstDue(instants, firstMs, isDue)
  if (due.length === 0) return { fired: [], missed: 0, skipped: 0, nextMs: firstMs, computed: 1 }
  const runsMax = rules.missed === 'all' ? scheduleMissedMax : 1
  const latest =
    due.length < scheduleMissedMax
      ? due.slice(-runsMax)
      : instants
          .last(runsMax + 1, nowMs)
          .filter((instant) => instant >= firstMs && isDue(instant))
          .slice(-runsMax)
  const windowMs = windowOf(rules)
  const inTime = latest.filter((instant) => nowMs - dueMs(rules, instant) <= windowMs)
  const allowed = rules.overlap === 'allow' ? inTime.length : moment.busy ? 0 : 1
  const lastMs = latest.at(-1) ?? firstMs
  const total = due.length < scheduleMissedMax ? due.length : instants.count(firstMs, lastMs)
  return {
    fired: inTime.slice(0, allowed),
    missed: total - inTime.length,
    skipped: inTime.length - Math.min(allowed, inTime.length),
    nextMs: instants.next(lastMs),
    computed: total + latest.length + 1,
  }
}

/** The due instants from the first one on, at most `scheduleMissedMax`. */
function firstDue(instants: Instants, firstMs: number, isDue: (instant: number) => boolean): number[] {
  const due: number[] = []
  for (
    let instant: number | null = firstMs;
    instant !== null && isDue(instant);
    instant = instants.next(instant)
  ) {
    due.push(instant)
    if (due.length === scheduleMissedMax) break
  }
  return due
}

/**
 * How late an instant may be fired, in milliseconds. Without a window of its own, the one run that makes up for all may
 * be any time late.
 */
function windowOf({ missed, missedWindowMs }: FiringRules): number {
  if (missedWindowMs !== null) return missedWindowMs
  if (missed === 'once') return Number.POSITIVE_INFINITY
  return missed === 'skip' ? scheduleSkipWindowMsDefault : scheduleAllWindowMsDefault
}

/**
 * When an instant is fired, in milliseconds since 1970. Its jitter is computed from the schedule and the instant, so
 * that every process gets the same. It ends before the schedule does.
 */
export function dueMs(
  {
    tenantId,
    name,
    jitterMs: jitterMsMax,
    endsAt,
  }: Pick<FiringRules, 'tenantId' | 'name' | 'jitterMs' | 'endsAt'>,
  instant: number,
): number {
  const untilEndMs = endsAt === null ? jitterMsMax : Math.max(0, endsAt.getTime() - 1 - instant)
  const jitterMs = Math.min(jitterMsMax, untilEndMs)
  if (jitterMs === 0) return instant
  const digest = createHash('sha256').update(`${tenantId}\n${name}\n${instant}`).digest()
  return instant + (digest.readUInt32BE(0) % (jitterMs + 1))
}
