import { jsonTextArray, plainArray } from '../database/array-text.ts'
import { priorityMax, priorityMin } from '../domain/limits.ts'

/** One place that a claim scans: the jobs of one priority in one queue, in the order of `run_at`. */
export interface Slot {
  readonly priority: number
  readonly queue: string
  /** Of its mark. */
  readonly key: string
}

/** The places that a claim scans, in their order, and what PostgreSQL reads of them. */
export interface Slots {
  readonly all: readonly Slot[]
  /** Arrays, as text, with an element for each slot. */
  readonly priorities: string
  readonly queues: string
}

/**
 * How far a worker has scanned each slot: the `run_at`, in milliseconds since 1970, below which nothing claimable was
 * left when it last looked. The next scan begins there and not among the dead index entries of what has been
 * claimed since, nor among jobs of kinds that this worker cannot run.
 */
export type ClaimMarks = ReadonlyMap<string, number>

/** No mark: every slot is scanned from its beginning. */
export const noMarks: ClaimMarks = new Map()

/**
 * A job is due from the instant of its enqueue, and the transaction around that may commit this much later without any
 * scan missing it. One that takes longer is found by the next scan without marks.
 */
const claimSlackMs = 2_000

/** What was made for an array of queues, because a worker claims with the same ones all its life. */
const knownSlots = new WeakMap<readonly string[], Slots>()

/** Every pair of priority and queue, the lowest priority number first, the queues of one priority in their order. */
export function slotsOf(queues: readonly string[]): Slots {
  const slots = knownSlots.get(queues) ?? makeSlots(queues)
  knownSlots.set(queues, slots)
  return slots
}

function makeSlots(queues: readonly string[]): Slots {
  const priorities = Array.from({ length: priorityMax - priorityMin + 1 }, (_, index) => priorityMin + index)
  const all = priorities.flatMap((priority) =>
    queues.map((queue) => ({ priority, queue, key: keyOf(priority, queue) })),
  )
  return {
    all,
    priorities: plainArray(all.map((slot) => slot.priority)),
    queues: jsonTextArray(all.map((slot) => slot.queue)),
  }
}

/** The mark of a slot in milliseconds since 1970; −Infinity where there is none. */
export function markOf(marks: ClaimMarks, slot: Slot): number {
  return marks.get(slot.key) ?? Number.NEGATIVE_INFINITY
}

/** The marks of all slots, as the text of an array of `float8`. */
export function marksText(marks: ClaimMarks, slots: Slots): string {
  return plainArray(slots.all.map((slot) => markOf(marks, slot)))
}

/** What one claim has seen, which is all that the next marks depend on. */
export interface Scan {
  readonly slots: Slots
  /** At how many jobs the scan stopped. */
  readonly limit: number
  readonly claimed: readonly { readonly priority: number; readonly queue: string; readonly runAt: Date }[]
  readonly openQueues: readonly string[]
  /** The database's clock at the claim, in milliseconds since 1970. */
  readonly nowMs: number
}

/**
 * The marks after a scan. A slot that was scanned to its end is marked at now; the one in which the limit was
 * reached, at its last claimed job; those behind it, and those of paused queues, were not looked at. No mark is
 * nearer to now than the slack.
 */
export function marksAfter(marks: ClaimMarks, scan: Scan): ClaimMarks {
  const next = new Map(marks)
  const bySlot = Map.groupBy(scan.claimed, (job) => keyOf(job.priority, job.queue))
  let claimed = 0
  for (const slot of scan.slots.all) {
    if (!scan.openQueues.includes(slot.queue)) continue
    const jobs = bySlot.get(slot.key) ?? []
    claimed += jobs.length
    const mark = markOf(marks, slot)
    const reached =
      claimed < scan.limit
        ? scan.nowMs
        : jobs.reduce((latest, job) => Math.max(latest, job.runAt.getTime()), mark)
    next.set(slot.key, Math.max(mark, Math.min(reached, scan.nowMs - claimSlackMs)))
    if (claimed >= scan.limit) break
  }
  return next
}

/** The marks without those of one queue: its jobs of long ago may have come back. */
export function forgetQueue(marks: ClaimMarks, queue: string): ClaimMarks {
  return new Map([...marks].filter(([key]) => !key.endsWith(`:${queue}`)))
}

function keyOf(priority: number, queue: string): string {
  return `${priority}:${queue}`
}
