// The facts that decide whether a claim takes a job: each of its conditions by itself.
import { isLiveWorker } from '../database/live-worker.ts'
import { epochMs } from '@queue/postgres'
import { type RawBuilder, sql } from 'kysely'
import {
  hasAttempts,
  isDue,
  isInTime,
  isRunnable,
  isSteady,
  isUnpaused,
  isWaiting,
} from '../claims/claim-conditions.ts'
import type { QueueDatabase } from '../database/connect.ts'
import type { SchemaNames } from '../database/schema-names.ts'
import { andWithin } from '../database/scope.ts'
import type { JobStatus } from '../domain/job.ts'
import { limitFacts } from '../database/limit-facts.ts'
import { whyHeldMax, whyHoldersMax, whyNamesMax } from '../domain/limits.ts'
import { isWritable } from './takes-writes.ts'

/**
 * A job, its queue and the workers that serve it, as a claim sees them. Members are named as the SQL names them;
 * instants are in milliseconds since 1970.
 */
export interface ClaimFacts {
  readonly id: string
  readonly queue: string
  readonly kind: string
  readonly version: number
  readonly status: JobStatus
  readonly run_at: number
  readonly expires_at: number | null
  readonly locked_at: number | null
  readonly finished_at: number | null
  readonly cancel_requested: boolean
  readonly cancel_reason: string | null
  readonly attempts: number
  readonly max_attempts: number
  readonly is_writable: boolean
  readonly is_waiting: boolean
  readonly is_due: boolean
  readonly has_attempts: boolean
  readonly is_in_time: boolean
  readonly is_steady: boolean
  /** Whether the last worker put the job off because its schema, whose registration was refused, does not take the payload. */
  readonly is_unfit: boolean
  readonly is_registered: boolean
  readonly is_open: boolean
  readonly paused_at: number | null
  /** Whether the worker that runs the job still holds its lease. */
  readonly is_held: boolean
  /**
   * Live workers that serve the queue; of these, the ones that run some version of the kind; of these, the ones that
   * run this version.
   */
  readonly serving: number
  readonly of_kind: number
  readonly able: number
  /** The slots of the workers that run this version, and how many jobs they hold. */
  readonly slots: number
  readonly held: number
  /**
   * How many of these workers have a free slot, and how many run no job that has crashed a worker; null where they hold
   * too many jobs to tell.
   */
  readonly free: number | null
  readonly calm: number | null
  /** The limits that apply to the job, as JSON: see `LimitFacts`. */
  readonly limits: string
  /**
   * For limits that are reached, some of the jobs that run under them, as JSON: ids by scope; null for a caller with
   * bounds.
   */
  readonly holders: string | null
  /** For a key whose jobs start in order: the job that is next. */
  readonly next_id: string | null
  /** Whether the jobs of its key start in order. Otherwise `next_id` has no meaning. */
  readonly is_in_order: boolean
  /** The total weight of the due jobs of the queue, where a limit applies to the job; null for a caller with bounds. */
  readonly due: number | null
  /** The last heartbeat of any worker that serves the queue, live or not. */
  readonly heard_at: number | null
  /** The versions of the kind that live workers of the queue run, in the form of `versionedKind`. */
  readonly versions: readonly string[]
  /** Other queues whose live workers can run the job; null for a caller with bounds. */
  readonly elsewhere: readonly string[] | null
}

/** The facts of each of these jobs that exists. */
export async function readClaimFacts(database: QueueDatabase, ids: readonly string[]): Promise<ClaimFacts[]> {
  const { names, schema, scope = {} } = database
  const isBounded = names.behindViews || Object.keys(scope).length > 0
  const facts = names.behindViews ? sql.id(schema, 'tenant_claim_facts') : claimFacts(database)
  const inMs = (column: string) => sql`${epochMs(sql.ref(`f.${column}`))} AS ${sql.ref(column)}`
  return database.run(sql<ClaimFacts>`
    SELECT f.id, f.queue, f.kind, coalesce(f.kind_version, 1) AS version, f.status, ${inMs('run_at')}, ${inMs('expires_at')},
           ${inMs('locked_at')}, ${inMs('finished_at')}, f.cancel_requested, f.cancel_reason, f.attempts, f.max_attempts,
           ${isWritable} AS is_writable, f.is_waiting, f.is_due, f.has_attempts, f.is_in_time, f.is_steady,
           f.is_unfit, f.is_registered,
           f.is_open, ${inMs('paused_at')}, f.is_held, f.serving, f.of_kind, f.able, f.slots, f.held, f.free, f.calm,
           f.limits::text AS limits, ${isBounded ? sql`NULL::text` : limitHolders(names)} AS holders, f.next_id, f.is_in_order,
           ${isBounded ? sql`NULL::integer` : sql`f.due`} AS due,
           ${inMs('heard_at')}, f.versions, ${isBounded ? sql`NULL::text[]` : otherQueues(names)} AS elsewhere
      FROM ${facts} AS f
     WHERE f.id = ANY(${ids}::uuid[])${andWithin(database, 'f')}`)
}

/** The facts of every job. For a tenant, a view does the same for the tenant's own jobs: 0001-tenant-claim-facts.ts. */
function claimFacts({ names, schema }: QueueDatabase): RawBuilder<unknown> {
  const runsKind = sql`EXISTS (SELECT FROM unnest(w.kinds) AS k (name) WHERE ${isOfKind})`
  const isAble = isRunnable.several(sql`w.kinds`)
  return sql`(
      SELECT c.id, c.tenant_id, c.queue, c.key, c.kind, c.kind_version, c.status, c.run_at, c.expires_at, c.locked_at, c.finished_at,
             c.cancel_requested, c.cancel_reason, c.attempts, c.max_attempts,
             ${isWaiting(names)} AS is_waiting, ${isDue} AS is_due, ${hasAttempts} AS has_attempts,
             ${isInTime(names, sql`now()`)} AS is_in_time, ${isSteady} AS is_steady,
             ${isUnfit(names)} AS is_unfit,
             q.name IS NOT NULL AS is_registered, q.name IS NOT NULL AND ${isUnpaused} AS is_open, q.paused_at,
             EXISTS (SELECT FROM ${names.workers} AS w WHERE w.id = c.locked_by AND ${isLive}) AS is_held,
             s.serving, s.of_kind, s.able, s.slots, s.heard_at, h.held, h.free, h.calm,
             f.limits, f.next_id, f.is_in_order, f.due,
             ARRAY(SELECT DISTINCT k.name FROM ${names.workers} AS w CROSS JOIN LATERAL unnest(w.kinds) AS k (name)
                    WHERE ${isServing} AND ${isLive} AND ${isOfKind}
                    ORDER BY k.name LIMIT ${sql.lit(whyNamesMax)}) AS versions
        FROM ${names.allJobs} AS c LEFT JOIN ${names.queues} AS q ON q.name = c.queue
       CROSS JOIN LATERAL (
         SELECT count(*) FILTER (WHERE ${isLive})::integer AS serving,
                count(*) FILTER (WHERE ${isLive} AND ${runsKind})::integer AS of_kind,
                count(*) FILTER (WHERE ${isLive} AND ${isAble})::integer AS able,
                coalesce(sum(w.concurrency) FILTER (WHERE ${isLive} AND ${isAble}), 0)::integer AS slots,
                max(w.heartbeat_at) AS heard_at
           FROM ${names.workers} AS w WHERE ${isServing}
       ) AS s
       CROSS JOIN LATERAL (${heldJobs(names, isAble)}) AS h${sql.raw(limitFacts(`"${schema}"`))})`
}

/** Only an attempt that a worker could not make is recorded as snoozed with an error. */
function isUnfit({ executions }: SchemaNames): RawBuilder<unknown> {
  return sql`coalesce((SELECT x.outcome = 'snoozed' AND x.error IS NOT NULL FROM ${executions} AS x WHERE x.job_id = c.id
                       ORDER BY x.lease_token DESC LIMIT 1), false)`
}

/**
 * The jobs of the workers that can run the job `c`, and which of these workers could take one more. It reads a bounded
 * number of jobs: the inner LIMIT keeps the subquery from becoming a join that reads all running jobs.
 */
function heldJobs(names: SchemaNames, isAble: RawBuilder<unknown>): RawBuilder<unknown> {
  const unlessTooMany = (count: RawBuilder<unknown>) =>
    sql`CASE WHEN coalesce(sum(b.seen), 0) <= ${sql.lit(whyHeldMax)}::numeric THEN ${count}::integer END`
  return sql`
         SELECT coalesce(sum(b.held), 0)::integer AS held,
                ${unlessTooMany(sql`count(*) FILTER (WHERE b.held < b.concurrency)`)} AS free,
                ${unlessTooMany(sql`count(*) FILTER (WHERE b.crashed = 0)`)} AS calm
           FROM (
             SELECT r.concurrency, count(*) AS seen, count(r.crashes) AS held, count(*) FILTER (WHERE r.crashes > 0) AS crashed
               FROM (
                 SELECT w.id, w.concurrency, j.crashes
                   FROM ${names.workers} AS w LEFT JOIN LATERAL (
                     SELECT j.crashes FROM ${names.jobs} AS j WHERE j.locked_by IS NOT NULL AND j.locked_by = w.id
                      LIMIT ${sql.lit(whyHeldMax + 1)}
                   ) AS j ON true
                  WHERE ${isWaiting(names)} AND ${isServing} AND ${isLive} AND ${isAble}
                  LIMIT ${sql.lit(whyHeldMax + 1)}) AS r
              GROUP BY r.id, r.concurrency) AS b`
}

/** The longest running jobs under each limit that is reached, among the jobs that are read to count what workers hold. */
function limitHolders({ jobs, workers }: SchemaNames): RawBuilder<unknown> {
  return sql`coalesce((
             SELECT jsonb_object_agg(l.scope, ARRAY(
                SELECT r.id FROM (
                  SELECT j.* FROM ${workers} AS w CROSS JOIN LATERAL (
                    SELECT j.id, j.queue, j.kind, j.key, j.tenant_id, j.counted, j.locked_at FROM ${jobs} AS j
                     WHERE j.locked_by IS NOT NULL AND j.locked_by = w.id LIMIT ${sql.lit(whyHeldMax)}) AS j
                   LIMIT ${sql.lit(whyHeldMax)}) AS r
                 WHERE r.queue = f.queue AND CASE l.scope
                         WHEN 'queue' THEN r.counted & 1 <> 0
                         WHEN 'kind' THEN r.counted & 2 <> 0 AND r.kind = f.kind
                         ELSE r.counted & 4 <> 0 AND r.key = f.key AND coalesce(r.tenant_id, '') = coalesce(f.tenant_id, '') END
                 ORDER BY r.locked_at, r.id LIMIT ${sql.lit(whyHoldersMax)}))
               FROM jsonb_to_recordset(f.limits) AS l (scope text, max_running integer, running integer)
              WHERE l.running >= l.max_running), '{}')::text`
}

function otherQueues({ workers }: SchemaNames): RawBuilder<unknown> {
  return sql`ARRAY(SELECT DISTINCT o.queue
                     FROM ${workers} AS w CROSS JOIN LATERAL unnest(w.queues) AS o (queue)
                    CROSS JOIN LATERAL (SELECT f.kind, f.kind_version) AS c
                    WHERE f.able = 0 AND o.queue <> f.queue AND ${isLive} AND ${isRunnable.several(sql`w.kinds`)}
                    ORDER BY o.queue LIMIT ${sql.lit(whyNamesMax)})`
}

const isLive = isLiveWorker
const isServing = sql`c.queue = ANY(w.queues)`
/** Whether a registered name, which may have a version, belongs to the kind of the job. */
const isOfKind = sql`split_part(k.name, '/', 1) = c.kind`
