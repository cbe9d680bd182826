// Under which conditions a claim takes a job: of the job `c`, of its queue `q`, and of the worker `w` that claims. What says
// why a job does not start has them from here too, so that the two cannot differ.
import { type RawBuilder, sql, type SqlBool } from 'kysely'
import type { SchemaNames } from '../database/schema-names.ts'

type Condition = RawBuilder<SqlBool>

export function isWaiting({ status }: SchemaNames): Condition {
  return sql`c.status IN (${status.queued}, ${status.retrying})`
}

export const isDue: Condition = sql`c.run_at <= now()`

export const hasAttempts: Condition = sql`c.attempts < c.max_attempts`

/** Whether it has crashed no worker: a process that runs one that has claims no other. */
export const isSteady: Condition = sql`c.crashes = 0`

/**
 * A job that has not begun by its expiry is left to `expireJobs`: a retry is not held to it, and only what was never begun is
 * queued.
 */
export function isInTime({ status }: SchemaNames, at: RawBuilder<unknown>): Condition {
  return sql`(c.expires_at IS NULL OR c.status = ${status.retrying} OR c.expires_at > ${at})`
}

/** Which versions of its kinds a worker runs: the first of each and no other, or some others too. */
export type Versions = 'first' | 'several'

/** Whether the worker can run a job. A job of a version that it does not know is left to others, as one of a foreign kind is. */
export const isRunnable: Readonly<Record<Versions, (kinds: RawBuilder<unknown>) => Condition>> = {
  first: (kinds) => sql`c.kind = ANY(${kinds}) AND c.kind_version IS NULL`,
  several: (kinds) => sql`(c.kind_version IS NULL AND c.kind = ANY(${kinds})
                          OR c.kind_version IS NOT NULL AND c.kind || '/' || c.kind_version = ANY(${kinds}))`,
}

export const isUnpaused: Condition = sql`q.paused_at IS NULL`

export const isActive: Condition = sql`w.state = 'active'`

/** Whether a lease holds at an instant. */
export function isLeased(at: RawBuilder<unknown>, leaseEnd: RawBuilder<unknown>): Condition {
  return sql`${at} < ${leaseEnd}`
}
