// The ways in which a job with an idempotency key is requested. Each answers what its client was told.
import {
  createGroupedEnqueue,
  type Enqueued,
  type EnqueueTarget,
  IdempotencyMismatch,
  type Job,
  type JobRequest,
  type Queue,
} from '@queue/core'
import { sqlState, sqlStateOf } from '@queue/postgres'
import type pg from 'pg'
import type { KeyedAnswer, KeyedRequest } from '../checker/check-idempotency.ts'
import { bodyOf, keyName } from '../checker/key-tenures.ts'
import { chaosJob } from '../fleet/chaos-job.ts'
import type { Random } from '../nemesis/random.ts'
import type { Moment } from '../record/snapshot.ts'

/** A request as its client makes it. */
export interface KeyedCall {
  readonly name: string
  readonly tenant: string | null
  readonly key: string
  readonly queue: string
  readonly payloadKey: string
}

/** The part of an answer that the answer itself tells. */
type Told = Omit<KeyedAnswer, 'before' | 'after' | 'fate' | 'ownBody'>

export interface KeyedDoorDeps {
  readonly pool: pg.Pool
  readonly queue: Queue
  readonly random: Random
  readonly readMoment: () => Promise<Moment>
  /** Called with the answers before a COMMIT whose own answer may get lost. */
  readonly onUnknown: (answers: readonly KeyedAnswer[]) => void
}

/** Makes the calls, which are in the order of their keys, and resolves with the answers. */
export type KeyedDoor = (calls: readonly [KeyedCall, ...KeyedCall[]]) => Promise<readonly KeyedAnswer[]>

/** Longer than any transaction of the attack holds a key. */
const keyLockTimeoutMs = 60_000

export const scheduleName = 'keyed'

export function createKeyedDoors(deps: KeyedDoorDeps): Readonly<Record<string, KeyedDoor>> {
  const { queue, pool, random, readMoment } = deps
  const grouped = createGroupedEnqueue(queue)
  const alone =
    (ask: (calls: Parameters<KeyedDoor>[0]) => Promise<readonly Told[]>): KeyedDoor =>
    async (calls) => {
      const before = await readMoment()
      const told = await ask(calls)
      const after = await readMoment()
      return told.map((one) => ({ ...one, before, after, fate: 'committed' }))
    }
  const onMismatch = (): EnqueueTarget => ({ keyLockTimeoutMs, onMismatch: drawPolicy(random) })
  return {
    enqueue: alone(([call]) => enqueueMany(queue, [call], onMismatch())),
    enqueueMany: alone((calls) => enqueueMany(queue, calls, onMismatch())),
    grouped: alone(async ([call]) => {
      const { idempotencyKey, tenantId, queue: name, metadata } = optionsOf(call)
      const options = { idempotencyKey, tenantId, queue: name, metadata }
      return [toldOf(call, await grouped.enqueue(chaosJob, payloadOf(call), options))]
    }),
    sql: alone(async ([call]) => [await enqueueInSql(pool, call, drawPolicy(random))]),
    schedule: alone(async ([call]) => [
      toldOf(call, await queue.schedules.runNow(scheduleName, { idempotencyKey: call.key })),
    ]),
    transaction: (calls) => enqueueInside(deps, 'READ COMMITTED', calls),
    snapshot: (calls) => enqueueInside(deps, 'REPEATABLE READ', calls),
  }
}

function drawPolicy(random: Random): 'replay' | 'reject' {
  return random.pick(['replay', 'reject'])
}

function payloadOf({ payloadKey: key }: KeyedCall) {
  return { key, plan: 'succeed', ms: 0 } as const
}

function optionsOf({ name, tenant, key, queue }: KeyedCall) {
  return {
    idempotencyKey: key,
    queue,
    metadata: { request: name },
    ...(tenant !== null && { tenantId: tenant }),
  }
}

function jobOf(call: KeyedCall): JobRequest {
  return chaosJob.create(payloadOf(call), optionsOf(call))
}

function requestOf({ name, tenant, key, queue, payloadKey }: KeyedCall): KeyedRequest {
  return { name, key: keyName(tenant, key), body: bodyOf(queue, payloadKey) }
}

function toldOf(call: KeyedCall, { job, replayed, mismatched }: Enqueued): Told {
  const outcome = replayed ? 'replayed' : 'new'
  return { request: requestOf(call), outcome, jobId: job.id, mismatched, stripped: isReceipt(job) }
}

function isReceipt({ strippedAt, payload }: Job): boolean {
  if ((strippedAt !== null) !== (payload === null)) throw new Error('a job is half a receipt')
  return strippedAt !== null
}

function refusedOf(call: KeyedCall, jobId: string): Told {
  return { request: requestOf(call), outcome: 'refused', jobId, mismatched: true, stripped: undefined }
}

/** Enqueues these jobs or none. If one of them is refused, only the refusals are answers. */
async function enqueueMany(
  queue: Queue,
  calls: readonly KeyedCall[],
  target: EnqueueTarget,
): Promise<readonly Told[]> {
  try {
    const enqueued = await queue.enqueueMany(calls.map(jobOf), target)
    return enqueued.map((one, place) => toldOf(calls[place] as KeyedCall, one))
  } catch (error) {
    if (!(error instanceof IdempotencyMismatch)) throw error
    return error.mismatches.map(({ index, jobId }) => refusedOf(calls[index] as KeyedCall, jobId))
  }
}

async function enqueueInSql(pool: pg.Pool, call: KeyedCall, policy: string): Promise<Told> {
  const { tenant, key, queue, name } = call
  try {
    const { rows } = await pool.query<{ id: string }>({
      text: `SELECT queue.enqueue($1, $2::jsonb, queue => $3, metadata => $4::jsonb, idempotency_key => $5, tenant_id => $6,
                      on_mismatch => $7) AS id`,
      values: [
        chaosJob.kind,
        JSON.stringify(payloadOf(call)),
        queue,
        JSON.stringify({ request: name }),
        key,
        tenant,
        policy,
      ],
    })
    const jobId = rows[0]?.id ?? ''
    return { request: requestOf(call), outcome: 'named', jobId, mismatched: false, stripped: undefined }
  } catch (error) {
    const jobId = /job ([0-9a-f-]{36})$/.exec(String(error))?.[1]
    if (sqlStateOf(error) !== sqlState.uniqueViolation || jobId === undefined) throw error
    return refusedOf(call, jobId)
  }
}

/** Makes one call after the other in a transaction, of which half are rolled back. It goes on after a refusal. */
async function enqueueInside(
  { pool, queue, random, readMoment, onUnknown }: KeyedDoorDeps,
  isolation: 'READ COMMITTED' | 'REPEATABLE READ',
  calls: readonly KeyedCall[],
): Promise<readonly KeyedAnswer[]> {
  const transaction = await pool.connect()
  transaction.on('error', ignore)
  let isBroken = true
  try {
    const begun = await readMoment()
    await transaction.query(`BEGIN ISOLATION LEVEL ${isolation}`)
    await transaction.query('SELECT FROM queue.all_jobs LIMIT 1')
    const own = new Map<string, string>()
    const answers: Omit<KeyedAnswer, 'fate'>[] = []
    for (const call of calls) {
      const before = isolation === 'READ COMMITTED' ? await readMoment() : begun
      const told = await enqueueMany(queue, [call], { transaction, onMismatch: drawPolicy(random) })
      const after = await readMoment()
      for (const one of told) {
        answers.push({ ...one, before, after, ownBody: own.get(one.jobId) })
        if (one.outcome === 'new') own.set(one.jobId, one.request.body)
      }
    }
    const commits = random.chance(0.5)
    try {
      await transaction.query({ text: commits ? 'COMMIT' : 'ROLLBACK' })
    } catch (error) {
      if (commits) onUnknown(answers.map((answer) => ({ ...answer, fate: 'unknown' })))
      throw error
    }
    isBroken = false
    return answers.map((answer) => ({ ...answer, fate: commits ? 'committed' : 'rolled back' }))
  } finally {
    transaction.off('error', ignore)
    transaction.release(isBroken)
  }
}

function ignore(): void {}
