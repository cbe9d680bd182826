// The ways in which a job with a unique key comes into being. Each answers what became of the request.
import {
  type ConflictPolicy,
  createGroupedEnqueue,
  type Enqueued,
  type GroupedEnqueue,
  type JobOptions,
  type Queue,
  UniqueConflict,
  type UniqueScope,
} from '@queue/core'
import { sqlState, sqlStateOf } from '@queue/postgres'
import type pg from 'pg'
import type { UniqueAnswer } from '../checker/check-unique.ts'
import { chaosJob } from '../fleet/chaos-job.ts'
import type { Random } from '../nemesis/random.ts'
import type { Moment } from '../record/snapshot.ts'

/** A request for a unique key. */
export interface UniqueRequest
  extends Pick<UniqueAnswer, 'request' | 'uniqueKey' | 'scope' | 'policy' | 'startMs' | 'maxWaitMs'> {
  readonly expiresInMs: number | undefined
  readonly queue: string
  /** Jobs with one value are acted on together. */
  readonly group: string
}

/** What became of a request. */
export type Outcome = Pick<UniqueAnswer, 'outcome' | 'jobId'>

/** The outcomes of a call's requests, and the times of its transaction if that is the caller's own. */
export interface Entered {
  readonly outcomes: readonly Outcome[]
  readonly answered?: Moment
  readonly rolledBack?: boolean
}

export interface DoorDeps {
  /** Its connections may be killed. */
  readonly pool: pg.Pool
  readonly queue: Queue
  readonly random: Random
  readonly readMoment: () => Promise<Moment>
}

/** A way to request unique keys. Only `enqueueMany` and the transactions take more than one request. */
export type Door = (requests: readonly [UniqueRequest, ...UniqueRequest[]]) => Promise<Entered>

export const uniqueWindowMs = 300
export const servedQueue = 'served'

/** Longer than the transactions of the attack hold a key. */
const keyLockTimeoutMs = 60_000

export function createDoors(deps: DoorDeps) {
  const { queue, pool } = deps
  const grouped = createGroupedEnqueue(queue)
  return {
    enqueue: ([request]) => enqueueOne(queue, request),
    enqueueMany: async (requests) => {
      const target = { keyLockTimeoutMs, onRefused: 'answer' } as const
      const enqueued = await queue.enqueueMany(requests.map(jobOf), target)
      return { outcomes: enqueued.map(outcomeOf) }
    },
    transaction: (requests) => enqueueInside(deps, 'READ COMMITTED', requests),
    snapshot: (requests) => enqueueInside(deps, 'REPEATABLE READ', requests),
    sql: ([request]) => enqueueInSql(pool, request),
    grouped: ([request]) => enqueueGrouped(grouped, request),
    schedule: ([{ request: name }]) => runSchedule(queue, name),
  } satisfies Record<string, Door>
}

function optionsOf(request: UniqueRequest): JobOptions {
  const { uniqueKey: key, scope, policy: onConflict, startMs, maxWaitMs, expiresInMs, queue, group } = request
  return {
    queue,
    metadata: { group },
    maxAttempts: 3,
    ...(startMs !== undefined && { runAt: new Date(startMs) }),
    ...(expiresInMs !== undefined && { expiresInMs }),
    unique: { key, scope, onConflict, maxWaitMs, ...(scope === 'window' && { windowMs: uniqueWindowMs }) },
  }
}

function payloadOf({ request: key }: UniqueRequest) {
  return { key, plan: 'succeed', ms: 0 } as const
}

function jobOf(request: UniqueRequest) {
  return chaosJob.create(payloadOf(request), optionsOf(request))
}

function outcomeOf({ job, conflict }: Enqueued): Outcome {
  return { outcome: conflict ?? 'new', jobId: job.id }
}

function enteredOf(enqueued: Promise<Enqueued>): Promise<Entered> {
  return enqueued.then((job) => ({ outcomes: [outcomeOf(job)] })).catch(refusedOutcome)
}

/** The outcome of a refusal by the conflict of one request; rejects for any other error. */
function refusedOutcome(error: unknown): Entered {
  if (!(error instanceof UniqueConflict)) throw error
  return { outcomes: [{ outcome: 'refused', jobId: error.refusals[0]?.jobId }] }
}

function enqueueOne(queue: Queue, request: UniqueRequest): Promise<Entered> {
  return enteredOf(queue.enqueue(chaosJob, payloadOf(request), { ...optionsOf(request), keyLockTimeoutMs }))
}

function enqueueGrouped(grouped: GroupedEnqueue, request: UniqueRequest): Promise<Entered> {
  return enteredOf(grouped.enqueue(chaosJob, payloadOf(request), optionsOf(request)))
}

/** Enqueues the job of a schedule now. */
function runSchedule(queue: Queue, name: string): Promise<Entered> {
  return enteredOf(queue.schedules.runNow(name))
}

/** Enqueues in a transaction, of which half are rolled back. A transaction goes on after a refusal. */
async function enqueueInside(
  { pool, queue, random, readMoment }: DoorDeps,
  isolation: string,
  requests: Parameters<Door>[0],
): Promise<Entered> {
  const transaction = await pool.connect()
  let isBroken = true
  try {
    await transaction.query(`BEGIN ISOLATION LEVEL ${isolation}`)
    await transaction.query('SELECT FROM queue.all_jobs LIMIT 1')
    const { outcomes } = await queue
      .enqueueMany(requests.map(jobOf), { transaction, ...(requests.length > 1 && { onRefused: 'answer' }) })
      .then((enqueued) => ({ outcomes: enqueued.map(outcomeOf) }))
      .catch(refusedOutcome)
    const answered = await readMoment()
    const rolledBack = random.chance(0.5)
    await transaction.query(rolledBack ? 'ROLLBACK' : 'COMMIT')
    isBroken = false
    return { outcomes, answered, rolledBack }
  } finally {
    transaction.release(isBroken)
  }
}

/** Enqueues by the function of the schema, which answers with an id alone. */
async function enqueueInSql(pool: pg.Pool, request: UniqueRequest): Promise<Entered> {
  const { uniqueKey, scope, policy, startMs, maxWaitMs, expiresInMs, queue, group } = request
  const windowMs = scope === 'window' ? uniqueWindowMs : null
  const startsAt = startMs === undefined ? null : new Date(startMs)
  try {
    const { rows } = await pool.query<{ id: string }>(
      `SELECT queue.enqueue($1, $2::jsonb, queue => $3, run_at => $4, metadata => $5::jsonb, expires_in_ms => $6, unique_key => $7,
                unique_scope => $8, unique_window_ms => $9, on_conflict => $10, unique_max_wait_ms => $11) AS id`,
      [
        chaosJob.kind,
        JSON.stringify(payloadOf(request)),
        queue,
        startsAt,
        JSON.stringify({ group }),
        expiresInMs,
        uniqueKey,
        scope,
        windowMs,
        policy,
        maxWaitMs,
      ],
    )
    return { outcomes: [{ outcome: 'named', jobId: rows[0]?.id }] }
  } catch (error) {
    if (sqlStateOf(error) !== sqlState.uniqueViolation) throw error
    return { outcomes: [{ outcome: 'refused', jobId: undefined }] }
  }
}

/** The requests that are possible with each scope. */
export const policiesOf = {
  waiting: ['return', 'refuse', 'replace', 'reschedule'],
  live: ['return', 'refuse'],
  window: ['return', 'refuse'],
} as const satisfies Record<UniqueScope, readonly ConflictPolicy[]>
