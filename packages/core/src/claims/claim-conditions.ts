// The conditions under which a claim takes a job: on the job `c`, its queue `q`, and the claiming worker `w`. `why`
// uses the same conditions, so that its reasons always agree with the claim.
import { type RawBuilder, sql, type SqlBool } from 'kysely'
import type { SchemaNames } from '../database/schema-names.ts'

type Condition = RawBuilder<SqlBool>

export function isWaiting({ status }: SchemaNames): Condition {
  return sql`c.status IN (${status.queued}, ${status.retrying})`
}

export const isDue: Condition = sql`c.run_at <= now()`

export const hasAttempts: Condition = sql`c.attempts < c.max_attempts`

/** Whether the job has crashed no worker. A worker that runs a job which has crashed one claims only steady jobs. */
export const isSteady: Condition = sql`c.crashes = 0`

/**
 * Whether the job is not past its expiry. `expireJobs` ends queued jobs that are. A retry is never past it: the expiry
 * applies only until the job first starts.
 */
export function isInTime({ status }: SchemaNames, at: RawBuilder<unknown>): Condition {
  return sql`(c.expires_at IS NULL OR c.status = ${status.retrying} OR c.expires_at > ${at})`
}

/** Which versions of its kinds a worker runs: only the first of each, or others too. */
export type Versions = 'first' | 'several'

/** Whether the worker can run a job. It leaves jobs of unknown versions to other workers, like jobs of unknown kinds. */
export const isRunnable: Readonly<Record<Versions, (kinds: RawBuilder<unknown>) => Condition>> = {
  first: (kinds) => sql`c.kind = ANY(${kinds}) AND c.kind_version IS NULL`,
  several: (kinds) => sql`(c.kind_version IS NULL AND c.kind = ANY(${kinds})
                          OR c.kind_version IS NOT NULL AND c.kind || '/' || c.kind_version = ANY(${kinds}))`,
}

export const isUnpaused: Condition = sql`q.paused_at IS NULL`

export const isActive: Condition = sql`w.state = 'active'`

/** Whether a lease is still valid at an instant. */
export function isLeased(at: RawBuilder<unknown>, leaseEnd: RawBuilder<unknown>): Condition {
  return sql`${at} < ${leaseEnd}`
}
