import { setTimeout as sleep } from 'node:timers/promises'
import { type ConnectedDatabase, nextDueMs } from '@queue/core/internal'
import { timerMsMax } from '@queue/loop'
import { assertOptions, optional, type Rule } from '@queue/loop/arguments'
import type { AttemptOutcome } from './observer.ts'
import type { SlotGroups } from './slot-groups.ts'

export interface RunUntilEmptyOptions {
  /**
   * Milliseconds after which no further job is claimed, counted from the call. Jobs that run then have the shutdown grace of the
   * worker, as at any stop. Default: no limit.
   */
  readonly maxMs?: number
}

export interface RunUntilEmptyResult {
  /** `empty`: no job could start. `time`: `maxMs` has passed. `aborted`: `stop` was called. */
  readonly ended: 'empty' | 'time' | 'aborted'
  /** How many attempts have ended, by their outcome. */
  readonly attempts: Readonly<Record<AttemptOutcome, number>>
}

/** The parts of a started worker that tell whether it is empty. */
export interface EmptyParts {
  readonly database: ConnectedDatabase
  readonly slots: Pick<SlotGroups, 'findNothing' | 'holdsJobs'>
}

/** How often an empty memory is looked for. It costs nothing while jobs run. */
const checkMs = 50

const timerMs: Rule = (value) =>
  typeof value === 'number' && value > 0 && value <= timerMsMax
    ? undefined
    : `more than 0 and at most ${timerMsMax} milliseconds`

const optionRules = {
  maxMs: optional(timerMs),
} as const satisfies { readonly [Name in keyof RunUntilEmptyOptions]-?: Rule }

/** Throws `invalid_options` on a misspelt option, and on a `maxMs` that is no time that a timer can wait. */
export function assertRunOptions(options: RunUntilEmptyOptions): void {
  assertOptions('worker.runUntilEmpty', options, optionRules)
}

/** Resolves with true when a started worker is empty, and with false when `signal` aborts before. */
export async function untilEmpty(parts: EmptyParts, signal: AbortSignal): Promise<boolean> {
  while (!signal.aborted) {
    if (await isEmpty(parts)) return true
    await sleep(checkMs, undefined, { signal }).catch(() => undefined)
  }
  return false
}

/** Whether no schedule is due, and no job runs or can start. An outage of the database is not emptiness. */
async function isEmpty({ database, slots }: EmptyParts): Promise<boolean> {
  // Without this, each check would claim while jobs run.
  if (slots.holdsJobs()) return false
  const dueInMs = await nextDueMs(database).catch(() => 0)
  return (dueInMs === null || dueInMs > 0) && slots.findNothing()
}
