// The slots of jobs that are to be requeued: a job that is unique while it lives needs its key again.
import { type RawBuilder, sql, type SqlBool } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'
import type { SchemaNames } from '../database/schema-names.ts'
import { QueueError } from '../domain/errors.ts'
import { compareText } from '../transitions/enqueue-jobs.ts'
import { gatedByTimeout, holdersOf, isHeld, lockSlots, slotName, type SlotTake, takeSlots } from './slots.ts'

/** Milliseconds that an act waits for a key which an open transaction elsewhere has locked. */
const lockTimeoutMs = 2_000

/** A job that has ended, as it asks for its slot. */
export function liveTake(job: {
  readonly id: string
  readonly tenantId: string | null
  readonly kind: string
  readonly uniqueKey: string
}): SlotTake {
  const { id: jobId, tenantId, kind, uniqueKey: key } = job
  return { tenantId: tenantId ?? '', kind, key, scope: 'live', windowMs: null, jobId }
}

/**
 * Takes the slots of these jobs, which have ended and whose rows are locked, where no other job holds them; the first of
 * those with one key gets it. The answer has the ids of the jobs that may live again.
 */
export async function takeLiveSlots(
  database: QueueDatabase,
  wanted: readonly SlotTake[],
): Promise<ReadonlySet<string>> {
  const first = new Map(wanted.toReversed().map((take) => [slotName(take), take]))
  const takes = [...first.values()].toSorted(bySlot)
  await lockSlots(database, takes, gatedByTimeout(database, lockTimeoutMs))
  const holders = await holdersOf(database, takes)
  const free = takes.filter((take) => !holders.has(slotName(take)))
  await takeSlots(database, free)
  return new Set(free.map(({ jobId }) => jobId))
}

/** Takes the slots of these jobs likewise, and gives those that may not live again: another job holds the key. */
export async function withoutSlots(
  database: QueueDatabase,
  wanted: readonly SlotTake[],
): Promise<readonly string[]> {
  if (wanted.length === 0) return []
  const held = await takeLiveSlots(database, wanted)
  return wanted.flatMap(({ jobId }) => (held.has(jobId) ? [] : [jobId]))
}

/** Slots in the order in which all of them are locked. */
export function bySlot(a: SlotTake, b: SlotTake): number {
  return compareText(a.tenantId, b.tenantId) || compareText(a.kind, b.kind) || compareText(a.key, b.key)
}

/** Why a job cannot live again. Which job is in the way may be nothing for the caller to see. */
export function slotIsHeld(jobId: string): QueueError {
  return new QueueError(
    'unique_conflict',
    `job ${jobId} cannot be requeued: another job that has not ended holds its unique key`,
  )
}

/** Whether another job holds the slot of the dead letter `d`, as far as can be seen without a lock. */
export function slotOfLetterIsHeld(names: SchemaNames): RawBuilder<SqlBool> {
  return sql<SqlBool>`EXISTS (
    SELECT FROM ${names.uniqueSlots} AS s LEFT JOIN ${names.jobs} AS j ON j.id = s.job_id
     WHERE s.tenant_id = coalesce(d.tenant_id, '') AND s.kind = d.kind AND s.key = d.unique_key AND ${isHeld(names)})`
}
