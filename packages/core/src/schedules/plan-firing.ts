import { createHash } from 'node:crypto'
import {
  scheduleAllWindowMsDefault,
  scheduleMissedMax,
  scheduleSkipWindowMsDefault,
} from '../domain/limits.ts'
import type { MissedPolicy, OverlapPolicy } from '../domain/schedule-policies.ts'
import type { Instants } from './timing.ts'

/** What decides how a schedule fires. */
export interface FiringRules {
  readonly tenantId: string
  readonly name: string
  readonly jitterMs: number
  readonly missed: MissedPolicy
  readonly missedWindowMs: number | null
  readonly overlap: OverlapPolicy
}

/** What one firing of a schedule does. All instants are milliseconds since 1970. */
export interface Firing {
  /** The instants that get a job, oldest first. */
  readonly fired: readonly number[]
  /** Instants that `missed` drops; of an expression's, no more than `scheduleMissedCountedMax` are counted. */
  readonly missed: number
  /** Instants that `overlap` drops. */
  readonly skipped: number
  /** The next instant; null: there is none any more. */
  readonly nextMs: number | null
  /** How many instants were computed. */
  readonly computed: number
}

export interface FiringMoment {
  /** The instant that fires next. */
  readonly nextMs: number
  /** By the database's clock. */
  readonly nowMs: number
  /** Whether the job of the last run has not ended. */
  readonly busy: boolean
}

/**
 * What is to be done for a schedule that is due. An instant counts as missed when the one after it is due as well, or when it
 * is later than the window allows.
 */
export function planFiring(rules: FiringRules, instants: Instants, moment: FiringMoment): Firing {
  const { nowMs, nextMs: firstMs } = moment
  const isDue = (instant: number): boolean => dueMs(rules, instant) <= nowMs
  const counted = firstDue(instants, firstMs, isDue)
  if (counted.length === 0) return { fired: [], missed: 0, skipped: 0, nextMs: firstMs, computed: 1 }
  const wanted = rules.missed === 'all' ? scheduleMissedMax : 1
  const latest =
    counted.length < scheduleMissedMax
      ? counted.slice(-wanted)
      : instants
          .last(wanted + 1, nowMs)
          .filter((instant) => instant >= firstMs && isDue(instant))
          .slice(-wanted)
  const windowMs = windowOf(rules)
  const inTime = latest.filter((instant) => nowMs - dueMs(rules, instant) <= windowMs)
  const room = rules.overlap === 'allow' ? inTime.length : moment.busy ? 0 : 1
  const lastMs = latest.at(-1) ?? firstMs
  const total = counted.length < scheduleMissedMax ? counted.length : instants.count(firstMs, lastMs)
  return {
    fired: inTime.slice(0, room),
    missed: total - inTime.length,
    skipped: inTime.length - Math.min(room, inTime.length),
    nextMs: instants.next(lastMs),
    computed: total + latest.length + 1,
  }
}

/** The due instants from the first one on, `scheduleMissedMax` at most. */
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

/** How late an instant may be fired. One run that makes up for all comes however late it is, if the schedule does not say. */
function windowOf({ missed, missedWindowMs }: FiringRules): number {
  if (missedWindowMs !== null) return missedWindowMs
  if (missed === 'once') return Number.POSITIVE_INFINITY
  return missed === 'skip' ? scheduleSkipWindowMsDefault : scheduleAllWindowMsDefault
}

/** When an instant is fired: its jitter follows from schedule and instant, so that every process computes the same. */
export function dueMs(
  { tenantId, name, jitterMs }: Pick<FiringRules, 'tenantId' | 'name' | 'jitterMs'>,
  instant: number,
): number {
  if (jitterMs === 0) return instant
  const digest = createHash('sha256').update(`${tenantId}\n${name}\n${instant}`).digest()
  return instant + (digest.readUInt32BE(0) % (jitterMs + 1))
}
