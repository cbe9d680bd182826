import { type ManyResult, type Queue, QueueError } from '@queue/core'
import { createKey, revokeKey } from '@queue/core/access'
import { snoozeJobs } from '@queue/core/runtime'
import { type CarriedBatch, carryOutOperation } from '@queue/core/workers'
import { chaosJob } from '../fleet/chaos-job.ts'
import type { Case } from './cases.ts'
import type { Harness } from './harness.ts'
import { settledOrWaiting } from './interleave.ts'

/** Batches of one job each. */
const rate = 4
const asker = 'asker000'

/** What acts on the jobs of a filter do, beside the cases of jobs. */
export const operationCases: Readonly<Record<string, Case>> = {
  'an operation is carried out in several batches': async (harness) => {
    const { queue, id, runAt } = await rescheduling(harness, 3)
    await harness.enqueue(queue, { plan: 'succeed', count: 1 })
    await carryOutOperation(harness.database)
    harness.expectAnswer('an operation went faster than its rate', await keepsToItsRate(harness, queue, id))
    for (let batch = 2; batch <= 4; batch += 1) await carryOutNext(harness, id)
    const { rows } = await harness.plain.pool.query(
      'SELECT FROM queue.jobs WHERE queue = $1 AND run_at = $2',
      [queue, runAt],
    )
    harness.expectAnswer('an operation has left out jobs of its, or taken others', rows.length === 3)
    const operation = await harness.queue.operations.get(id)
    harness.expectAnswer('an operation has miscounted', operation?.changed === 3)
    await endOperations(harness)
  },

  'two workers come to one operation': async (harness) => {
    const { id } = await rescheduling(harness, 1)
    await besideBatch(harness, id, async () => {
      const other = carryOutOperation(harness.database)
      await settledOrWaiting(harness, [other])
      return async () => {
        harness.expectAnswer('two workers carried out one operation', (await other) === undefined)
      }
    })
    await endOperations(harness)
  },

  'an operation is cancelled beside a batch of its': async (harness) => {
    const { id } = await rescheduling(harness, 2)
    await carryOutOperation(harness.database)
    await besideBatch(harness, id, async () => {
      const cancelling = harness.queue.many.cancelOperation(id)
      const isAnswered = await settledOrWaiting(harness, [cancelling])
      return async () => {
        const isOver = (await cancelling).state === 'cancelled' && !isAnswered
        harness.expectAnswer('the cancel of an operation has not waited for its batch', isOver)
      }
    })
    const batch = await carryOutNext(harness, id)
    harness.expectAnswer('a cancelled operation went on', batch === undefined)
  },

  'an operation outlives the key that has asked for it': async (harness) => {
    const key = { id: asker, digest: Buffer.alloc(32, asker), name: asker, permissions: [] } as const
    await createKey(harness.database, { ...key, role: 'admin' })
    const { id } = await rescheduling(harness, 2, harness.queue.actAs({ type: 'key', id: asker }))
    const batch = await carryOutOperation(harness.database)
    const { rows } = await harness.plain.pool.query(
      'SELECT FROM queue.audit_log WHERE target = $1 AND count = 1 AND job_ids = $2::uuid[]',
      [id, batch?.jobs.map((job) => job.id)],
    )
    harness.expectAnswer('a batch has left no entry that names its jobs', rows.length === 1)
    await revokeKey(harness.database, asker)
    const refused = await carryOutNext(harness, id)
    harness.expectAnswer('an operation went on without the key that asked', refused?.state === 'refused')
    await endOperations(harness)
  },

  'a job fails for good after the operation that requeues dead letters': async (harness) => {
    const queue = harness.openQueue()
    await harness.enqueue(queue, { plan: 'fail_always', count: 2, options: { maxAttempts: 1 } })
    const [first, later] = await harness.claim(await harness.hire(queue), queue)
    if (first === undefined || later === undefined) throw new Error('nothing was claimed')
    await harness.fail([first])
    const id = operationOf(await harness.queue.many.requeueDeadLetters({ queue }, { rate }))
    await harness.fail([later])
    for (let batch = 1; batch <= 3; batch += 1) await carryOutNext(harness, id)
    const { deadLetters } = await harness.queue.deadLetters.list({ queue })
    const left = deadLetters.map(({ jobId }) => jobId)
    harness.expectAnswer('an operation took a later dead letter', String(left) === later.id)
    await endOperations(harness)
  },

  'a job is put off while an act on many takes it for running': async (harness) => {
    const queue = harness.openQueue()
    await harness.enqueue(queue, { plan: 'succeed', count: 1 })
    const jobs = await harness.claim(await harness.hire(queue), queue)
    const acting = await harness.queue.database.transaction(async (database) => {
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
    const again = await harness.queue
      .enqueue(
        chaosJob,
        { key: 'again', plan: 'succeed', ms: 0 },
        { queue, unique: { ...options.unique, onConflict: 'refuse' } },
      )
      .catch((error: unknown) => error)
    harness.expectAnswer('a unique key has no holder', again instanceof QueueError)
  },
}

/** An operation that moves the start of so many waiting jobs. */
async function rescheduling(harness: Harness, count: number, { many }: Pick<Queue, 'many'> = harness.queue) {
  const queue = harness.openQueue()
  await harness.enqueue(queue, { plan: 'succeed', count })
  const runAt = new Date(Date.now() + 3_600_000)
  return { queue, runAt, id: operationOf(await many.reschedule({ queue }, { runAt, rate })) }
}

function operationOf(result: ManyResult): string {
  if (result.outcome !== 'operation') throw new Error('an act with a rate was done at once')
  return result.operation.id
}

/** Runs `act` while somebody else is at a batch of the operation, and what it gives once the batch has ended. */
async function besideBatch(
  { plain }: Harness,
  id: string,
  act: () => Promise<() => Promise<void>>,
): Promise<void> {
  const holder = await plain.pool.connect()
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

/** The next batch, as if its time had come. */
async function carryOutNext({ plain, database }: Harness, id: string): Promise<CarriedBatch | undefined> {
  await plain.pool.query('UPDATE queue.operations SET next_batch_at = now() WHERE id = $1', [id])
  return carryOutOperation(database)
}

/** Whether the next batch comes as much later as the jobs of this one may take; both are instants of one transaction. */
async function keepsToItsRate({ plain }: Harness, queue: string, id: string): Promise<boolean> {
  const { rows } = await plain.pool.query<{ keeps: boolean }>(
    `SELECT o.next_batch_at >= max(j.updated_at) + interval '1 second' / $3::int AS keeps
       FROM queue.operations AS o, queue.jobs AS j WHERE o.id = $1 AND j.queue = $2 GROUP BY o.next_batch_at`,
    [id, queue, rate],
  )
  return rows[0]?.keeps === true
}

async function endOperations({ plain }: Harness): Promise<void> {
  await plain.pool.query(
    `UPDATE queue.operations SET state = 'cancelled', finished_at = now() WHERE state = 'running'`,
  )
}
