import { type ManyResult, type Queue, QueueError } from '@queue/core'
import {
  type CarriedBatch,
  carryOutOperation,
  createKey,
  revokeKey,
  snoozeJobs,
  databaseOf,
} from '@queue/core/internal'
import { chaosJob } from '../fleet/chaos-job.ts'
import type { Case, Harness } from './harness.ts'
import { settledOrWaiting } from './interleave.ts'

/** Each batch has one job at this rate. */
const rate = 4
const requesterId = 'asker000'

/** Cases of bulk actions. */
export const operationCases: Readonly<Record<string, Case>> = {
  'an operation is carried out in several batches': async (harness) => {
    const { queue, id, runAt } = await startRescheduling(harness, 3)
    await harness.enqueue(queue, { plan: 'succeed', count: 1 })
    await carryOutOperation(harness.database)
    harness.expectAnswer('an operation went faster than its rate', await keepsRate(harness, queue, id))
    for (let batch = 2; batch <= 4; batch += 1) await runNextBatch(harness, id)
    const { rows } = await harness.unmutated.pool.query(
      'SELECT FROM queue.all_jobs WHERE queue = $1 AND run_at = $2',
      [queue, runAt],
    )
    harness.expectAnswer('an operation has left out jobs of its, or taken others', rows.length === 3)
    const operation = await harness.queue.operations.get(id)
    harness.expectAnswer('an operation has miscounted', operation?.changed === 3)
    await endOperations(harness)
  },

  'an operation comes to a job that it cannot change': async (harness) => {
    const queue = harness.openQueue()
    const options = { unique: { key: 'of an operation', scope: 'live' } } as const
    const kept = await harness.enqueue(queue, { plan: 'succeed', count: 1, options })
    const free = await harness.enqueue(queue, { plan: 'succeed', count: 1 })
    for (const job of kept) await harness.client.cancel(job)
    // Not through the client, which would expect the job to stay cancelled.
    for (const job of free) await harness.queue.cancel(job.id)
    await harness.enqueue(queue, { plan: 'succeed', count: 1, options })
    const id = operationOf(await harness.queue.many.requeue({ queue, status: 'cancelled' }, { rate }))
    for (let batch = 1; batch <= 3; batch += 1) await runNextBatch(harness, id)
    const operation = await harness.queue.operations.get(id)
    const hasGonePast = operation?.state === 'succeeded' && operation.changed === 1 && operation.skipped === 1
    harness.expectAnswer('an operation came to one job again and again', hasGonePast)
    await endOperations(harness)
  },

  'two workers come to one operation': async (harness) => {
    const { id } = await startRescheduling(harness, 1)
    await duringBatch(harness, id, async () => {
      const otherBatch = carryOutOperation(harness.database)
      await settledOrWaiting(harness, [otherBatch])
      return async () => {
        harness.expectAnswer('two workers carried out one operation', (await otherBatch) === undefined)
      }
    })
    await endOperations(harness)
  },

  'an operation is cancelled beside a batch of its': async (harness) => {
    const { id } = await startRescheduling(harness, 2)
    await carryOutOperation(harness.database)
    await duringBatch(harness, id, async () => {
      const cancelling = harness.queue.many.cancelOperation(id)
      const isAnswered = await settledOrWaiting(harness, [cancelling])
      return async () => {
        const hasWaited = (await cancelling).state === 'cancelled' && !isAnswered
        harness.expectAnswer('the cancel of an operation has not waited for its batch', hasWaited)
      }
    })
    const batch = await runNextBatch(harness, id)
    harness.expectAnswer('a cancelled operation went on', batch === undefined)
  },

  'an operation outlives the key that has asked for it': async (harness) => {
    const key = {
      id: requesterId,
      digest: Buffer.alloc(32, requesterId),
      name: requesterId,
      permissions: [],
    } as const
    await createKey(harness.database, { ...key, role: 'admin' })
    const { id } = await startRescheduling(harness, 2, harness.queue.actAs({ type: 'key', id: requesterId }))
    const batch = await carryOutOperation(harness.database)
    const { rows } = await harness.unmutated.pool.query(
      'SELECT FROM queue.audit_log WHERE target = $1 AND count = 1 AND job_ids = $2::uuid[]',
      [id, batch?.jobs.map((job) => job.id)],
    )
    harness.expectAnswer('a batch has left no entry that names its jobs', rows.length === 1)
    await revokeKey(harness.database, requesterId)
    const refused = await runNextBatch(harness, id)
    harness.expectAnswer('an operation went on without the key that asked', refused?.state === 'refused')
    await endOperations(harness)
  },

  'a job fails for good after the operation that requeues dead letters': async (harness) => {
    const queue = harness.openQueue()
    await harness.enqueue(queue, { plan: 'fail_always', count: 2, options: { maxAttempts: 1 } })
    const [first, later] = await harness.claim(await harness.addWorker(queue), queue)
    if (first === undefined || later === undefined) throw new Error('nothing was claimed')
    await harness.fail([first])
    const id = operationOf(await harness.queue.many.requeueDeadLetters({ queue }, { rate }))
    await harness.fail([later])
    for (let batch = 1; batch <= 3; batch += 1) await runNextBatch(harness, id)
    const { deadLetters } = await harness.queue.deadLetters.list({ queue })
    const remaining = deadLetters.map(({ jobId }) => jobId)
    harness.expectAnswer('an operation took a later dead letter', String(remaining) === later.id)
    await endOperations(harness)
  },

  'a job is put off while an act on many takes it for running': async (harness) => {
    const queue = harness.openQueue()
    await harness.enqueue(queue, { plan: 'succeed', count: 1 })
    const jobs = await harness.claim(await harness.addWorker(queue), queue)
    const acting = await databaseOf(harness.queue).transaction(async (database) => {
      await snoozeJobs(
        database,
        jobs.map(({ lease }) => ({ lease, waitMs: 0 })),
      )
      const call = harness.queue.many.cancel({ queue, status: 'running' })
      await settledOrWaiting(harness, [call])
      return { call }
    })
    const result = await acting.call
    const isSkipped = result.outcome === 'done' && result.jobIds.length === 0 && result.skipped === 1
    harness.expectAnswer('an act on many changed a job that was no longer as it was found', isSkipped)
  },

  'a job is requeued by a filter whose unique key another one holds': async (harness) => {
    const queue = harness.openQueue()
    const options = { unique: { key: 'of many', scope: 'live' } } as const
    const [first] = await harness.enqueue(queue, { plan: 'succeed', count: 1, options })
    if (first !== undefined) await harness.client.cancel(first)
    await harness.enqueue(queue, { plan: 'succeed', count: 1, options })
    const result = await harness.queue.many.requeue({ queue })
    const isNone = result.outcome === 'done' && result.jobIds.length === 0
    harness.expectAnswer('two live jobs have one unique key after an act on many', isNone)
    const refusal = await harness.queue
      .enqueue(
        chaosJob,
        { key: 'again', plan: 'succeed', ms: 0 },
        { queue, unique: { ...options.unique, onConflict: 'refuse' } },
      )
      .catch((error: unknown) => error)
    harness.expectAnswer('a unique key has no holder', refusal instanceof QueueError)
  },
}

/** Starts an operation that reschedules `count` waiting jobs. */
async function startRescheduling(
  harness: Harness,
  count: number,
  { many }: Pick<Queue, 'many'> = harness.queue,
) {
  const queue = harness.openQueue()
  await harness.enqueue(queue, { plan: 'succeed', count })
  const runAt = new Date(Date.now() + 3_600_000)
  return { queue, runAt, id: operationOf(await many.reschedule({ queue }, { runAt, rate })) }
}

function operationOf(result: ManyResult): string {
  if (result.outcome !== 'operation') throw new Error('a bulk action with a rate was done at once')
  return result.operation.id
}

/** Runs `act` while another session holds the operation for a batch, and the function that it returns after the batch. */
async function duringBatch(
  { unmutated }: Harness,
  id: string,
  act: () => Promise<() => Promise<void>>,
): Promise<void> {
  const holder = await unmutated.pool.connect()
  try {
    await holder.query('BEGIN')
    await holder.query('SELECT FROM queue.operations WHERE id = $1 FOR UPDATE', [id])
    const afterwards = await act()
    await holder.query('ROLLBACK')
    await afterwards()
  } finally {
    holder.release(true)
  }
}

/** Runs the next batch as if it was due. */
async function runNextBatch({ unmutated, database }: Harness, id: string): Promise<CarriedBatch | undefined> {
  await unmutated.pool.query('UPDATE queue.operations SET next_batch_at = now() WHERE id = $1', [id])
  return carryOutOperation(database)
}

/** Whether the next batch is due as late as the rate demands after this one; both instants are from one transaction. */
async function keepsRate({ unmutated }: Harness, queue: string, id: string): Promise<boolean> {
  const { rows } = await unmutated.pool.query<{ keeps: boolean }>(
    `SELECT o.next_batch_at >= max(j.updated_at) + interval '1 second' / $3::int AS keeps
       FROM queue.operations AS o, queue.jobs AS j WHERE o.id = $1 AND j.queue = $2 GROUP BY o.next_batch_at`,
    [id, queue, rate],
  )
  return rows[0]?.keeps === true
}

async function endOperations({ unmutated }: Harness): Promise<void> {
  await unmutated.pool.query(
    `UPDATE queue.operations SET state = 'cancelled', finished_at = now() WHERE state = 'running'`,
  )
}
