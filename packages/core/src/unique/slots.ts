// The slots of unique keys: locking them, and finding their holders.
import { nulls, orNull, sqlState, sqlStateOf } from '@queue/postgres'
import { type RawBuilder, sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'
import { compareText } from '../database/compare-text.ts'
import { expiresBy } from '../database/job-expiry.ts'
import type { IdentifiedRequest } from '../database/job-input.ts'
import type { SchemaNames } from '../database/schema-names.ts'
import { QueueError } from '../domain/errors.ts'
import type { UniqueScope } from '../domain/unique.ts'

/** A unique key, within a kind of a tenant. Empty tenant: none. */
export interface SlotKey {
  readonly tenantId: string
  readonly kind: string
  readonly key: string
}

/** A request for a slot on behalf of a job. */
export interface SlotRequest extends SlotKey {
  readonly scope: UniqueScope
  readonly windowMs: number | null
  readonly jobId: string
}

/** Orders slots by their keys, the order in which every transaction locks them. */
export function bySlot(a: SlotKey, b: SlotKey): number {
  return compareText(a.tenantId, b.tenantId) || compareText(a.kind, b.kind) || compareText(a.key, b.key)
}

/** The slot that this request asks for; undefined where it has no unique key. */
export function slotKeyOf({ unique, kind, tenantId }: IdentifiedRequest): SlotKey | undefined {
  return unique === null ? undefined : { tenantId: tenantId ?? '', kind, key: unique.key }
}

/** The key as one text. */
export function slotName({ tenantId, kind, key }: SlotKey): string {
  return JSON.stringify([tenantId, kind, key])
}

/**
 * Locks these slots until the transaction ends, in the given order. A slot that does not exist is inserted. Throws
 * `unique_key_locked` when another open transaction holds one for longer than `lockTimeoutMs`.
 */
export async function lockSlots(
  { names, run }: QueueDatabase,
  slotRequests: readonly SlotRequest[],
  lockTimeoutMs: number,
): Promise<void> {
  await run(sql`
    WITH gate AS MATERIALIZED (SELECT set_config('lock_timeout', ${`${lockTimeoutMs}ms`}, true))
    INSERT INTO ${names.uniqueSlots} AS s (tenant_id, kind, key, scope, job_id, expires_at)
    SELECT i.tenant_id, i.kind, i.key, i.scope, i.job_id, ${expiresAt} FROM gate CROSS JOIN ${slotRequestRows(slotRequests)}
        ON CONFLICT (tenant_id, kind, key) DO UPDATE SET job_id = EXCLUDED.job_id WHERE false`).catch(
    throwIfKeyLocked,
  )
}

/** Throws `unique_key_locked` where the wait for a lock was given up; any other error unchanged. */
function throwIfKeyLocked(error: unknown): never {
  const state = sqlStateOf(error)
  throw state === sqlState.lockNotAvailable || state === sqlState.deadlockDetected ? keyLocked(error) : error
}

export function keyLocked(cause?: unknown): QueueError {
  return new QueueError(
    'unique_key_locked',
    'another open transaction holds this unique key or its job: try again',
    { cause },
  )
}

/** Gives locked slots to other jobs. */
export async function takeSlots(
  database: QueueDatabase,
  slotRequests: readonly SlotRequest[],
): Promise<void> {
  if (slotRequests.length === 0) return
  await database.run(sql`
    UPDATE ${database.names.uniqueSlots} AS s
       SET scope = i.scope, job_id = i.job_id, taken_at = statement_timestamp(), expires_at = ${expiresAt}
      FROM ${slotRequestRows(slotRequests)}
     WHERE ${matchesInput}`)
}

const expiresAt = sql`statement_timestamp() + ${orNull(sql`i.window_ms`, 'number')} * interval '1 millisecond'`
const matchesInput = sql`s.tenant_id = i.tenant_id AND s.kind = i.kind AND s.key = i.key`

function slotRequestRows(slotRequests: readonly SlotRequest[]): RawBuilder<unknown> {
  return sql`unnest(${slotRequests.map(({ tenantId }) => tenantId)}::text[], ${slotRequests.map(({ kind }) => kind)}::text[],
        ${slotRequests.map(({ key }) => key)}::text[], ${slotRequests.map(({ scope }) => scope)}::text[],
        ${slotRequests.map(({ jobId }) => jobId)}::uuid[], ${slotRequests.map(({ windowMs }) => windowMs ?? nulls.number)}::float8[])
        AS i (tenant_id, kind, key, scope, job_id, window_ms)`
}

/**
 * Whether the job named `alias` has never been claimed. Lease tokens begin at 0; a claim adds one, and a restore of the database adds a
 * thousand million.
 */
export function isUnclaimed(alias: string): RawBuilder<boolean> {
  return sql`${sql.ref(`${alias}.lease_token`)} % 1000000000::bigint = 0`
}

/** A job that has expired before its first start holds a key no longer, although nobody has ended it yet. */
function isInTime(names: SchemaNames): RawBuilder<boolean> {
  return sql`NOT ${expiresBy(names, 'j', sql`clock_timestamp()`)}`
}

/** Whether the job `j`, null where it is gone, holds the slot `s`. A requeue clears the scope `waiting`. */
export function isHeld(names: SchemaNames): RawBuilder<boolean> {
  return sql`coalesce(CASE s.scope WHEN 'window' THEN j.id IS NOT NULL AND s.expires_at > clock_timestamp()
                         WHEN 'live' THEN j.id IS NOT NULL AND j.finished_at IS NULL AND ${isInTime(names)}
                         ELSE j.status = ${names.status.queued} AND j.unique_scope = 'waiting' AND ${isUnclaimed('j')} AND ${isInTime(names)} END, false)`
}

/** The slot that names the job `j`. A null key matches nothing, and reads no page. */
export function slotOf(names: SchemaNames): RawBuilder<unknown> {
  return sql`
        SELECT s.tenant_id, s.kind, s.key, s.job_id FROM ${names.uniqueSlots} AS s
         WHERE s.tenant_id = coalesce(j.tenant_id, '') AND s.kind = j.kind AND s.key = j.unique_key AND s.job_id = j.id`
}

/** Why a slot is not free: another job holds it, or may, because another transaction has locked that job. */
export type SlotHolder = 'held' | 'locked'

/**
 * Those of these slots, by name, that other jobs hold than the requesting ones. Once the slots are locked, a statement
 * that begins then sees for good that a job no longer holds its slot: it could only hold the slot again by a requeue,
 * which needs the lock. A live job that has expired in the queue is `locked` while another transaction has locked it: a
 * claim from before its expiry may be about to commit.
 */
export async function heldSlots(
  { names, run }: QueueDatabase,
  slotRequests: readonly SlotRequest[],
): Promise<ReadonlyMap<string, SlotHolder>> {
  const rows = await run(sql<{ slot: string; holder: SlotHolder }>`
    WITH seen AS MATERIALIZED (
      SELECT s.tenant_id, s.kind, s.key, j.id, ${isHeld(names)} AS is_held,
             s.scope = 'live' AND ${expiresBy(names, 'j', sql`clock_timestamp()`)} AS has_expired
        FROM ${slotRequestRows(slotRequests)}
       CROSS JOIN LATERAL (SELECT s.* FROM ${names.uniqueSlots} AS s WHERE ${matchesInput} OFFSET 0) AS s
        LEFT JOIN LATERAL (SELECT j.* FROM ${names.jobs} AS j WHERE j.id = s.job_id OFFSET 0) AS j ON true
       WHERE s.job_id <> i.job_id
    ), locked AS MATERIALIZED (
      SELECT j.id FROM (SELECT seen.id FROM seen WHERE seen.has_expired ORDER BY seen.id) AS s
       CROSS JOIN LATERAL (SELECT j.id FROM ${names.jobs} AS j
                            WHERE j.id = s.id AND j.status = ${names.status.queued} FOR NO KEY UPDATE SKIP LOCKED) AS j
    )
    SELECT json_build_array(seen.tenant_id, seen.kind, seen.key)::text AS slot,
           CASE WHEN seen.is_held THEN 'held' ELSE 'locked' END AS holder FROM seen
     WHERE seen.is_held OR seen.has_expired AND NOT EXISTS (SELECT FROM locked WHERE locked.id = seen.id)`)
  return new Map(
    rows.map(({ slot, holder }) => {
      const [tenantId, kind, key] = JSON.parse(slot) as [string, string, string]
      return [slotName({ tenantId, kind, key }), holder]
    }),
  )
}
