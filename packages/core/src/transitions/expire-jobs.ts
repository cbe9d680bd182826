// queued → cancelled, with the reason `expired`. Called by any worker, for jobs that have not started by their expiry.
import { epochMs } from '@queue/postgres'
import { type RawBuilder, sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'
import { updatedAt } from '../database/instant.ts'
import { writeLeftLaneEvents } from '../database/lane-events.ts'
import type { SchemaNames } from '../database/schema-names.ts'
import { expireBatchMax } from '../domain/limits.ts'

export interface ExpiredJob {
  readonly id: string
  readonly kind: string
  readonly queue: string
  readonly tenantId: string | null
  readonly createdAt: Date
  readonly expiredAt: Date
  /** Whether no worker ever claimed the job. */
  readonly isUnclaimed: boolean
}

/**
 * Cancels up to `expireBatchMax` queued jobs whose expiry is past, the longest expired first. A full answer means that
 * there may be more: call again. Only jobs that have never started are queued: an attempt leaves its job retrying, and
 * an attempt that goes back uncharged removes the expiry. Rows that another statement has locked are skipped; the next
 * call finds them if they still qualify.
 */
export async function expireJobs(database: QueueDatabase): Promise<ExpiredJob[]> {
  const { names } = database
  const rows = await database.run(sql<ExpiredRow>`
    WITH expired AS MATERIALIZED (
      SELECT j.id FROM ${names.jobs} AS j
       WHERE ${isExpired(names)} ORDER BY j.expires_at LIMIT ${sql.lit(expireBatchMax)} FOR UPDATE SKIP LOCKED
    ), changed AS (
    UPDATE ${names.jobs} AS j
       SET status = ${names.status.cancelled}, cancel_reason = 'expired', finished_at = statement_timestamp(),
           updated_at = ${updatedAt(sql`statement_timestamp()`)}
     WHERE j.id = ANY(ARRAY(SELECT expired.id FROM expired))
    RETURNING j.*
    ), ${writeLeftLaneEvents(names, 'changed')}
    SELECT c.id, c.kind, c.queue, c.tenant_id AS "tenantId", c.lease_token = 0 AS "isUnclaimed",
           ${epochMs(sql`c.created_at`)} AS created_at, ${epochMs(sql`c.finished_at`)} AS finished_at FROM changed AS c`)
  return rows.map(({ created_at, finished_at, ...job }) => ({
    ...job,
    createdAt: new Date(created_at),
    expiredAt: new Date(finished_at),
  }))
}

interface ExpiredRow extends Omit<ExpiredJob, 'createdAt' | 'expiredAt'> {
  readonly created_at: number
  readonly finished_at: number
}

/**
 * Whether there is a job for `expireJobs`, by one lookup in its index. It is a subquery with LIMIT, because PostgreSQL
 * drops the order within EXISTS, and may then read the whole table.
 */
export function anyExpired(names: SchemaNames): RawBuilder<unknown> {
  return sql`(SELECT true FROM ${names.jobs} AS j WHERE ${isExpired(names)} ORDER BY j.expires_at LIMIT 1)`
}

/**
 * Selects queued jobs by excluding the other states. An equality could be looked up in the index of states, where many
 * dead entries may come before the first match.
 */
function isExpired({ status }: SchemaNames): RawBuilder<unknown> {
  const others = sql.join([
    status.running,
    status.retrying,
    status.succeeded,
    status.failed_permanent,
    status.cancelled,
  ])
  return sql`j.status NOT IN (${others}) AND j.expires_at IS NOT NULL AND j.expires_at <= now()`
}
