// Which job held each unique key, from when to when, according to the log of the jobs' states.
import type { UniqueScope } from '@queue/core'
import type { KeyState } from '../record/key-log.ts'
import type { Moment } from '../record/snapshot.ts'

/** A time for which a job held its unique key. */
export interface KeyHold {
  readonly uniqueKey: string
  readonly jobId: string
  readonly scope: UniqueScope
  /** The change with which it began. */
  readonly since: KeyState
  /** The change with which it ended; undefined: none has. */
  readonly end: KeyState | undefined
  /** When it ended by the clock alone: the end of the window, or the expiry of a job that has not started. */
  readonly endsAtMs: number
}

/** A restore adds this to the lease tokens of all jobs. */
const restoreStep = 1_000_000_000

/** All times for which keys were held, in the order in which they began. */
export function holdsOf(states: readonly KeyState[], windowMs: number): KeyHold[] {
  const holds: KeyHold[] = []
  /** The place in `holds` of the hold that a job has. */
  const open = new Map<string, number>()
  for (const state of states) {
    const { uniqueKey, jobId, scope } = state
    const place = open.get(jobId)
    const hold = place === undefined ? undefined : holds[place]
    if (scope === null || !isHolding(state, windowMs)) {
      if (place !== undefined && hold !== undefined) holds[place] = { ...hold, end: state }
      open.delete(jobId)
    } else if (place !== undefined && hold !== undefined) {
      holds[place] = { ...hold, endsAtMs: clockEndOf(state, windowMs) }
    } else {
      const endsAtMs = clockEndOf(state, windowMs)
      open.set(jobId, holds.push({ uniqueKey, jobId, scope, since: state, end: undefined, endsAtMs }) - 1)
    }
  }
  return holds
}

/** Whether a job in this state holds its key, or would if it had not expired. */
function isHolding(state: KeyState, windowMs: number): boolean {
  const { scope, status, token, atMs } = state
  if (status === null) return false
  if (scope === 'waiting') return status === 'queued' && token % restoreStep === 0
  if (scope === 'live') return status === 'queued' || status === 'running' || status === 'retrying'
  return atMs < clockEndOf(state, windowMs)
}

function clockEndOf({ scope, status, createdMs, expiresMs }: KeyState, windowMs: number): number {
  if (scope === 'window') return createdMs + windowMs
  return status === 'queued' ? (expiresMs ?? Infinity) : Infinity
}

/** The holds that began while another job held the key, each with that other one. */
export function overlapsOf(holds: readonly KeyHold[]): { readonly hold: KeyHold; readonly other: KeyHold }[] {
  const heldByKey = new Map<string, KeyHold[]>()
  return holds.flatMap((hold) => {
    const earlier = heldByKey.get(hold.uniqueKey) ?? []
    const others = earlier.filter((other) => !hasEndedBefore(other, hold.since))
    heldByKey.set(hold.uniqueKey, [...others, hold])
    return others.map((other) => ({ hold, other }))
  })
}

/** Whether the hold had ended before this change, and its transaction has seen that. */
function hasEndedBefore({ end, endsAtMs }: KeyHold, { seq, xid, snapshot, updatedMs }: KeyState): boolean {
  if (endsAtMs <= updatedMs) return true
  if (end === undefined || end.seq > seq) return false
  return end.xid === xid || (snapshot?.sees(end.xid) ?? true)
}

/** Whether the job held its key at any moment of a call that lasted from `before` to `answered`. */
export function isHeldDuring(
  { since, end, endsAtMs }: KeyHold,
  { before, answered }: { readonly before: Moment; readonly answered: Moment },
): boolean {
  const hasEnded = endsAtMs <= before.ms || (end !== undefined && before.snapshot.sees(end.xid))
  return answered.snapshot.sees(since.xid) && !hasEnded
}
