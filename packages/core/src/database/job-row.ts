import { asText, epochMs, type Numeric } from '@queue/postgres'
import { type RawBuilder, sql } from 'kysely'
import type { Execution, ExecutionOutcome, Job, JobStatus, UnbegunJob } from '../domain/job.ts'
import type { JsonValue } from '../domain/json.ts'
import { decodeRetryPolicy } from '../domain/retry.ts'

/**
 * A row as statements return it. Instants travel as milliseconds and documents as text, so that what this package
 * reads does not depend on the type parsers that a caller has set on their own pool.
 */
export interface JobRow {
  readonly id: string
  readonly queue: string
  readonly kind: string
  readonly tenant_id: string | null
  readonly payload: string
  readonly status: JobStatus
  readonly priority: Numeric
  readonly attempts: Numeric
  readonly max_attempts: Numeric
  readonly timeout_ms: Numeric | null
  readonly retry_policy: string | null
  readonly crashes: Numeric
  readonly last_error: string | null
  readonly result: string | null
  readonly progress: Numeric | null
  readonly progress_message: string | null
  readonly run_at: Numeric
  readonly locked_at: Numeric | null
  readonly locked_by: string | null
  readonly cancel_requested: boolean
  readonly idempotency_key: string | null
  readonly trace_context: string | null
  readonly created_at: Numeric
  readonly updated_at: Numeric
  readonly finished_at: Numeric | null
}

const plainColumns = [
  'queue',
  'kind',
  'tenant_id',
  'status',
  'last_error',
  'progress_message',
  'locked_by',
  'cancel_requested',
  'idempotency_key',
  'trace_context',
] as const

const textColumns = [
  'id',
  'payload',
  'priority',
  'attempts',
  'max_attempts',
  'timeout_ms',
  'retry_policy',
  'crashes',
  'result',
  'progress',
] as const

const instantColumns = ['run_at', 'locked_at', 'created_at', 'updated_at', 'finished_at'] as const

/** The columns of a `JobRow`, read from the row named `alias`. */
export function jobColumns(alias: string): RawBuilder<unknown> {
  const plain = plainColumns.map((column) => sql`${sql.ref(`${alias}.${column}`)}`)
  const texts = textColumns.map(
    (column) => sql`${asText(sql.ref(`${alias}.${column}`))} AS ${sql.id(column)}`,
  )
  const instants = instantColumns.map(
    (column) => sql`${asText(epochMs(sql.ref(`${alias}.${column}`)))} AS ${sql.id(column)}`,
  )
  return sql.join([...plain, ...texts, ...instants])
}

/** The job that a row describes. */
export function decodeJob(row: JobRow): Job {
  return {
    id: row.id,
    queue: row.queue,
    kind: row.kind,
    tenantId: row.tenant_id,
    payload: decodeJson(row.payload),
    status: row.status,
    priority: Number(row.priority),
    attempts: Number(row.attempts),
    maxAttempts: Number(row.max_attempts),
    timeoutMs: decodeNumber(row.timeout_ms),
    retryPolicy: decodePolicy(row.retry_policy),
    crashes: Number(row.crashes),
    lastError: row.last_error,
    result: decodeJson(row.result),
    progress: decodeNumber(row.progress),
    progressMessage: row.progress_message,
    runAt: new Date(Number(row.run_at)),
    lockedAt: decodeInstant(row.locked_at),
    lockedBy: row.locked_by,
    cancelRequested: row.cancel_requested,
    idempotencyKey: row.idempotency_key,
    traceContext: row.trace_context,
    createdAt: new Date(Number(row.created_at)),
    updatedAt: new Date(Number(row.updated_at)),
    finishedAt: decodeInstant(row.finished_at),
  }
}

/** What a claim returns of each row: what the runtime needs and nothing else. */
export interface ClaimedRow {
  readonly id: string
  readonly lease_token: number
  readonly queue: string
  readonly kind: string
  readonly tenant_id: string | null
  /** Null where the claim did not carry it. */
  readonly payload: string | null
  readonly priority: number
  readonly attempts: number
  readonly max_attempts: number
  readonly timeout_ms: number | null
  readonly retry_policy: string | null
  readonly crashes: number
  readonly cancel_requested: boolean
  readonly trace_context: string | null
  readonly run_at: number
  readonly created_at: number
  readonly ctid: string
}

/**
 * How many times larger a compressed payload counts than it is stored. Documents shrink to a third, and what repeats one
 * letter to a ninetieth: PostgreSQL does not tell the size without unpacking it.
 */
const expansion = 16

/**
 * The columns of a `ClaimedRow`, read from the row named `alias`. A payload that is larger is not even read from where
 * PostgreSQL keeps it. The first of the two questions is enough for what is small.
 */
export function claimedColumns(alias: string, payloadBytesMax: RawBuilder<unknown>): RawBuilder<unknown> {
  const at = sql.id(alias)
  const size = sql`pg_column_size(${at}.payload)`
  const isCarried = sql`${size} <= ${payloadBytesMax}::int / ${sql.lit(expansion)}
      OR ${size} <= ${payloadBytesMax}::int AND pg_column_compression(${at}.payload) IS NULL`
  return sql`CASE WHEN ${isCarried} THEN ${at}.payload::text END AS payload, ${at}.id, ${at}.lease_token, ${at}.queue, ${at}.kind, ${at}.tenant_id,
    ${at}.priority, ${at}.attempts, ${at}.max_attempts, ${at}.timeout_ms, ${at}.retry_policy::text AS retry_policy,
    ${at}.crashes, ${at}.cancel_requested, ${at}.trace_context, ${wholeMs(sql`${at}.run_at`)} AS run_at,
    ${wholeMs(sql`${at}.created_at`)} AS created_at, ${at}.ctid AS ctid`
}

/** Nulls in place of all columns of a `ClaimedRow` but the first. */
export const claimedNulls: RawBuilder<unknown> = sql.join(Array.from({ length: 16 }, () => sql`NULL`))

/** An instant as whole milliseconds since 1970: a bigint is written and read several times faster than a float8. */
function wholeMs(column: RawBuilder<unknown>): RawBuilder<number> {
  return sql<number>`floor(${epochMs(column)})::bigint`
}

/** The job that a row describes, claimed at `nowMs`. Never throws: one odd row must not fail a whole claim. */
export function decodeClaimedJob(row: ClaimedRow, nowMs: number): UnbegunJob {
  return {
    lease: { jobId: row.id, token: row.lease_token },
    id: row.id,
    queue: row.queue,
    kind: row.kind,
    tenantId: row.tenant_id,
    payload: row.payload === null ? undefined : decodeJson(row.payload),
    priority: row.priority,
    attempt: row.attempts,
    maxAttempts: row.max_attempts,
    timeoutMs: row.timeout_ms,
    retryPolicy: decodePolicy(row.retry_policy),
    crashes: row.crashes,
    cancelRequested: row.cancel_requested,
    traceContext: row.trace_context,
    runAt: new Date(row.run_at),
    createdAt: new Date(row.created_at),
    claimedAt: new Date(nowMs),
    ctid: row.ctid,
  }
}

export interface ExecutionRow {
  readonly job_id: string
  readonly lease_token: string
  readonly attempt: number
  readonly worker_id: string
  readonly started_at: number
  readonly finished_at: number
  readonly outcome: ExecutionOutcome
  readonly error: string | null
}

/** The ended attempt that a row describes. */
export function decodeExecution(row: ExecutionRow): Execution {
  return {
    jobId: row.job_id,
    attempt: row.attempt,
    leaseToken: Number(row.lease_token),
    workerId: row.worker_id,
    startedAt: new Date(row.started_at),
    finishedAt: new Date(row.finished_at),
    outcome: row.outcome,
    error: row.error,
  }
}

/** jsonb prints only valid JSON, so parsing its text does not fail. */
function decodeJson(text: string | null): JsonValue {
  return text === null ? null : (JSON.parse(text) as JsonValue)
}

/** A policy that is not one of ours (written by hand, or by a newer release) counts as absent. */
function decodePolicy(text: string | null): Job['retryPolicy'] {
  return text === null ? null : decodeRetryPolicy(JSON.parse(text))
}

function decodeNumber(value: Numeric | null): number | null {
  return value === null ? null : Number(value)
}

function decodeInstant(ms: Numeric | null): Date | null {
  return ms === null ? null : new Date(Number(ms))
}
