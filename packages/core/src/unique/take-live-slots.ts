// The slots of jobs that are requeued: a job with a unique key of scope `live` needs its key again.
import { type RawBuilder, sql, type SqlBool } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'
import type { SchemaNames } from '../database/schema-names.ts'
import { QueueError } from '../domain/errors.ts'
import {
  bySlot,
  heldSlots,
  isHeld,
  keyLocked,
  lockSlots,
  slotName,
  type SlotHolder,
  type SlotRequest,
  takeSlots,
} from './slots.ts'

/** Milliseconds that an act waits for a key that another open transaction has locked. */
const lockTimeoutMs = 2_000

/** The request of an ended job for the slot of its unique key, whose scope is `live`. */
export function liveSlotRequest(job: {
  readonly id: string
  readonly tenantId: string | null
  readonly kind: string
  readonly uniqueKey: string
}): SlotRequest {
  const { id: jobId, tenantId, kind, uniqueKey: key } = job
  return { tenantId: tenantId ?? '', kind, key, scope: 'live', windowMs: null, jobId }
}

/**
 * Takes the slots of these ended jobs, whose rows are locked, where no other job holds them. Of several jobs with one
 * key, the first gets the slot. The answer says for each job, by its id, why it did not get its slot.
 */
async function takeLiveSlots(
  database: QueueDatabase,
  slotRequests: readonly SlotRequest[],
): Promise<ReadonlyMap<string, SlotHolder>> {
  const firstBySlot = new Map(
    slotRequests.toReversed().map((slotRequest) => [slotName(slotRequest), slotRequest]),
  )
  const firstRequests = [...firstBySlot.values()].toSorted(bySlot)
  await lockSlots(database, firstRequests, lockTimeoutMs)
  const holders = await heldSlots(database, firstRequests)
  const free = firstRequests.filter((slotRequest) => !holders.has(slotName(slotRequest)))
  await takeSlots(database, free)
  const owners = new Set(free.map(({ jobId }) => jobId))
  return new Map(
    slotRequests
      .filter(({ jobId }) => !owners.has(jobId))
      .map((slotRequest) => [slotRequest.jobId, holders.get(slotName(slotRequest)) ?? 'held']),
  )
}

/** Takes the slots of these jobs in the same way, and returns the ids of the jobs that did not get theirs. */
export async function takeSlotsOrRefuse(
  database: QueueDatabase,
  slotRequests: readonly SlotRequest[],
): Promise<readonly string[]> {
  if (slotRequests.length === 0) return []
  return [...(await takeLiveSlots(database, slotRequests)).keys()]
}

/**
 * Takes the slot of one ended job, whose row is locked. Throws `unique_conflict` where another job holds it, and
 * `unique_key_locked` where that depends on another open transaction.
 */
export async function takeSlotOrThrow(database: QueueDatabase, slotRequest: SlotRequest): Promise<void> {
  const holder = (await takeLiveSlots(database, [slotRequest])).get(slotRequest.jobId)
  if (holder === 'locked') throw keyLocked()
  if (holder === 'held') throw uniqueKeyIsHeld(slotRequest.jobId)
}

/**
 * The error for a job whose unique key another job holds. It does not name that job, which the caller may not be
 * allowed to see.
 */
export function uniqueKeyIsHeld(jobId: string, verb = 'requeued'): QueueError {
  return new QueueError(
    'unique_conflict',
    `job ${jobId} cannot be ${verb}: another job that has not ended holds its unique key`,
  )
}

/**
 * Whether another job holds the slot of the ended job or dead letter named `alias`, whose unique key has the scope
 * `live`, as far as a read without a lock can tell.
 */
export function liveSlotIsHeld(names: SchemaNames, alias: string): RawBuilder<SqlBool> {
  const column = (name: string) => sql.ref(`${alias}.${name}`)
  return sql<SqlBool>`(${column('unique_scope')} IS NOT DISTINCT FROM 'live' AND EXISTS (
    SELECT FROM ${names.uniqueSlots} AS s
      LEFT JOIN LATERAL (SELECT h.id, h.status, h.unique_scope, h.lease_token, h.finished_at, h.expires_at FROM ${names.jobs} AS h WHERE h.id = s.job_id OFFSET 0) AS j ON true
     WHERE s.tenant_id = coalesce(${column('tenant_id')}, '') AND s.kind = ${column('kind')}
       AND s.key = ${column('unique_key')} AND ${isHeld(names)}))`
}

/**
 * Those of these ended jobs whose unique keys a requeue of all of them could take: keys that no other job holds, and of
 * several jobs with one key the first. `rows` selects the jobs as rows `f`, with an id.
 */
export async function withFreeKeys(database: QueueDatabase, rows: RawBuilder<unknown>): Promise<string[]> {
  const found = await database.run(sql<{ id: string }>`
    SELECT f.id::text AS id FROM (
      SELECT f.*, row_number() OVER (PARTITION BY f.tenant_id, f.kind, f.unique_key,
               CASE WHEN f.unique_scope IS DISTINCT FROM 'live' THEN f.id END ORDER BY f.id) AS place
        FROM (${rows}) AS f
    ) AS f
     WHERE f.place = 1 AND NOT ${liveSlotIsHeld(database.names, 'f')} ORDER BY f.id DESC`)
  return found.map(({ id }) => id)
}
