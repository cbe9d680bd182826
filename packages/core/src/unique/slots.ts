// The slots of unique keys: locking them, and finding their holders.
import { asText, callerIsInside, epochMs, sqlState, sqlStateOf } from '@queue/postgres'
import { type RawBuilder, sql } from 'kysely'
import type { CallerDatabase, QueueDatabase } from '../database/connect.ts'
import { isWithin } from '../database/scope.ts'
import { decodeJob, type JobRow, jobColumns } from '../database/job-row.ts'
import type { SchemaNames } from '../database/schema-names.ts'
import { QueueError } from '../domain/errors.ts'
import type { Job } from '../domain/job.ts'
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

/** The job that holds a slot. */
export interface Holder {
  readonly job: Job
  readonly scope: UniqueScope
  readonly takenAtMs: number
  /** Whether the job is within the caller's scope. */
  readonly isWithin: boolean
}

/** The key as one text. */
export function slotName({ tenantId, kind, key }: SlotKey): string {
  return JSON.stringify([tenantId, kind, key])
}

/**
 * Runs a statement that begins with the common table expression `gate`. It has one row, or none where the statement
 * must not take effect. The statement returns at least one row for the row of `gate`.
 */
export type RunGated = <Row>(statement: (gate: RawBuilder<unknown>) => RawBuilder<Row>) => Promise<Row[]>

/** For a transaction of ours. Where a lock timeout is given, it limits the wait for another transaction's lock. */
export function gatedByTimeout(database: QueueDatabase, lockTimeoutMs: number | undefined): RunGated {
  const gate =
    lockTimeoutMs === undefined
      ? sql`SELECT`
      : sql`SELECT set_config('lock_timeout', ${`${lockTimeoutMs}ms`}, true)`
  return (statement) => database.run(statement(sql`gate AS MATERIALIZED (${gate})`))
}

/** For the caller's transaction: outside of it, the statement has no effect. */
export function gatedByCaller(database: CallerDatabase): RunGated {
  return (statement) =>
    database.write((transactionId) => {
      const caller = callerIsInside(sql`${transactionId}`)
      return statement(sql`${caller}, gate AS MATERIALIZED (SELECT FROM caller WHERE is_inside)`)
    })
}

/**
 * Locks these slots until the transaction ends, in the given order. A slot that does not exist is inserted; the answer
 * names those. Throws `unique_key_locked` when another open transaction holds one for too long.
 */
export async function lockSlots(
  { names }: QueueDatabase,
  slotRequests: readonly SlotRequest[],
  run: RunGated,
): Promise<ReadonlySet<string>> {
  const rows = await run(
    (gate) => sql<{ tenant_id: string | null; kind: string; key: string }>`
    WITH ${gate}, made AS (
      INSERT INTO ${names.uniqueSlots} AS s (tenant_id, kind, key, scope, job_id, expires_at)
      SELECT i.tenant_id, i.kind, i.key, i.scope, i.job_id, ${expiresAt} FROM gate CROSS JOIN ${slotRequestRows(slotRequests)}
      ON CONFLICT (tenant_id, kind, key) DO UPDATE SET job_id = EXCLUDED.job_id WHERE false
      RETURNING s.tenant_id, s.kind, s.key
    )
    SELECT made.* FROM gate LEFT JOIN made ON true`,
  ).catch(throwIfKeyLocked)
  return new Set(
    rows.flatMap(({ tenant_id: tenantId, kind, key }) =>
      tenantId === null ? [] : [slotName({ tenantId, kind, key })],
    ),
  )
}

/** Throws `unique_key_locked` where the wait for a lock was given up; any other error unchanged. */
export function throwIfKeyLocked(error: unknown): never {
  const state = sqlStateOf(error)
  throw state === sqlState.lockNotAvailable || state === sqlState.deadlockDetected ? keyLocked(error) : error
}

export function keyLocked(cause: unknown): QueueError {
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

/** Removes locked slots that no job has taken. */
export async function dropSlots(database: QueueDatabase, keys: readonly SlotKey[]): Promise<void> {
  if (keys.length === 0) return
  await database.run(
    sql`DELETE FROM ${database.names.uniqueSlots} AS s USING ${slotKeyRows(keys)} WHERE ${matchesInput}`,
  )
}

const expiresAt = sql`statement_timestamp() + i.window_ms * interval '1 millisecond'`
const matchesInput = sql`s.tenant_id = i.tenant_id AND s.kind = i.kind AND s.key = i.key`

function slotRequestRows(slotRequests: readonly SlotRequest[]): RawBuilder<unknown> {
  return sql`unnest(${slotRequests.map(({ tenantId }) => tenantId)}::text[], ${slotRequests.map(({ kind }) => kind)}::text[],
        ${slotRequests.map(({ key }) => key)}::text[], ${slotRequests.map(({ scope }) => scope)}::text[],
        ${slotRequests.map(({ jobId }) => jobId)}::uuid[], ${slotRequests.map(({ windowMs }) => windowMs)}::float8[])
        AS i (tenant_id, kind, key, scope, job_id, window_ms)`
}

function slotKeyRows(keys: readonly SlotKey[]): RawBuilder<unknown> {
  return sql`unnest(${keys.map(({ tenantId }) => tenantId)}::text[], ${keys.map(({ kind }) => kind)}::text[],
        ${keys.map(({ key }) => key)}::text[]) AS i (tenant_id, kind, key)`
}

/**
 * Whether a job has never been claimed. Lease tokens begin at 0; a claim adds one, and a restore of the database adds a
 * thousand million.
 */
const isUnclaimed = sql`j.lease_token % 1000000000 = 0`

/** Whether the job of a slot waits for its first claim. A requeue clears the scope `waiting`. */
export function isWaiting(names: SchemaNames): RawBuilder<boolean> {
  return sql`(j.status = ${names.status.queued} AND j.unique_scope = 'waiting' AND ${isUnclaimed})`
}

/** Whether the job `j`, null where it is gone, holds the slot `s`. */
export function isHeld(names: SchemaNames): RawBuilder<boolean> {
  return sql`CASE s.scope WHEN 'window' THEN j.id IS NOT NULL AND s.expires_at > statement_timestamp()
                         WHEN 'live' THEN j.id IS NOT NULL AND j.finished_at IS NULL
                         ELSE coalesce(${isWaiting(names)}, false) END`
}

/** The slot that names the job `j`. A null key matches nothing, and reads no page. */
export function slotOf(names: SchemaNames): RawBuilder<unknown> {
  return sql`
        SELECT s.tenant_id, s.kind, s.key, s.job_id FROM ${names.uniqueSlots} AS s
         WHERE s.tenant_id = coalesce(j.tenant_id, '') AND s.kind = j.kind AND s.key = j.unique_key AND s.job_id = j.id`
}

type HolderRow = JobRow & {
  readonly slot: readonly [string, string, string]
  readonly slot_scope: UniqueScope
  readonly taken_ms: string
  readonly is_within: boolean
}

/**
 * The holders of these slots. Once the slots are locked, a statement that begins then sees for good that a job no
 * longer holds its slot: it could only hold the slot again by a requeue, which needs the lock.
 */
export async function holdersOf(
  database: QueueDatabase,
  keys: readonly SlotKey[],
): Promise<ReadonlyMap<string, Holder>> {
  const { names } = database
  const rows = await database.run(sql<HolderRow>`
    SELECT json_build_array(s.tenant_id, s.kind, s.key)::text AS slot, s.scope AS slot_scope,
           ${asText(epochMs(sql`s.taken_at`))} AS taken_ms, ${isWithin(database, 'j') ?? sql`true`} AS is_within,
           ${jobColumns('j')}
      FROM ${slotKeyRows(keys)}
     CROSS JOIN LATERAL (SELECT s.* FROM ${names.uniqueSlots} AS s WHERE ${matchesInput} OFFSET 0) AS s
      LEFT JOIN LATERAL (SELECT j.* FROM ${names.jobs} AS j WHERE j.id = s.job_id OFFSET 0) AS j ON true
     WHERE ${isHeld(names)}`)
  return new Map(
    rows.map((row) => {
      const [tenantId, kind, key] = JSON.parse(String(row.slot)) as [string, string, string]
      const holder = {
        job: decodeJob(row),
        scope: row.slot_scope,
        takenAtMs: Number(row.taken_ms),
        isWithin: row.is_within,
      }
      return [slotName({ tenantId, kind, key }), holder]
    }),
  )
}
