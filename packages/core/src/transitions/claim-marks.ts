import { priorityMax, priorityMin } from '../domain/limits.ts'

/** One place that a claim scans: the jobs of one priority in one queue, in the order of `run_at`. */
export interface Slot {
  readonly priority: number
  readonly queue: string
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
 * A transaction writes a job with the `run_at` of its own beginning and may commit it this much later without any
 * scan missing it. One that takes longer is found by the next scan without marks.
 */
const claimSlackMs = 2_000

/** Every pair of priority and queue, the lowest priority number first, the queues of one priority in their order. */
export function slotsOf(queues: readonly string[]): Slot[] {
  const priorities = Array.from({ length: priorityMax - priorityMin + 1 }, (_, index) => priorityMin + index)
  return priorities.flatMap((priority) => queues.map((queue) => ({ priority, queue })))
}

/** The mark of a slot in milliseconds since 1970; −Infinity where there is none. */
export function markOf(marks: ClaimMarks, slot: Slot): number {
  return marks.get(keyOf(slot)) ?? Number.NEGATIVE_INFINITY
}

/** What one claim has seen, which is all that the next marks depend on. */
export interface Scan {
  /** The slots in the order in which they were scanned. */
  readonly slots: readonly Slot[]
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
  const open = new Set(scan.openQueues)
  let claimed = 0
  for (const slot of scan.slots) {
    if (!open.has(slot.queue)) continue
    const runAtMs = scan.claimed.filter((job) => isIn(job, slot)).map((job) => job.runAt.getTime())
    claimed += runAtMs.length
    const reached = claimed < scan.limit ? scan.nowMs : Math.max(markOf(marks, slot), ...runAtMs)
    next.set(keyOf(slot), Math.max(markOf(marks, slot), Math.min(reached, scan.nowMs - claimSlackMs)))
    if (claimed >= scan.limit) break
  }
  return next
}

/** The marks without those of one queue: its jobs of long ago may have come back. */
export function forgetQueue(marks: ClaimMarks, queue: string): ClaimMarks {
  return new Map([...marks].filter(([key]) => !key.endsWith(`:${queue}`)))
}

function keyOf(slot: Slot): string {
  return `${slot.priority}:${slot.queue}`
}

function isIn(job: Slot, slot: Slot): boolean {
  return job.priority === slot.priority && job.queue === slot.queue
}
