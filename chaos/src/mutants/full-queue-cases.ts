import { createQueue, type JobOptions, QueueFull } from '@queue/core'
import { countWaiting } from '@queue/core/internal'
import { chaosJob } from '../fleet/chaos-job.ts'
import type { Case, EnqueuedJob, Harness } from './harness.ts'

const maxWaiting = 2

/** Cases of enqueues under a limit on the number of waiting jobs. */
export const fullQueueCases: Readonly<Record<string, Case>> = {
  'a queue is full, until jobs of it are claimed, end or are cancelled': async (harness) => {
    const queue = harness.openQueue()
    await harness.enqueue(queue, { plan: 'fail_always', count: 1, options: { priority: 0, maxAttempts: 1 } })
    await harness.enqueue(queue, { plan: 'succeed', count: 1, options: { priority: 1 } })
    const [, cancelled] = await harness.enqueue(queue, { plan: 'succeed', count: 2 })
    await withBound(harness, { queue }, async (expectRoom) => {
      await expectRoom(false, 'more wait than may')
      const [failed, succeeded] = await harness.claim(await harness.addWorker(queue), queue, 2)
      if (failed === undefined || succeeded === undefined) throw new Error('nothing was claimed')
      await expectRoom(false, 'as many wait as may')
      await harness.client.cancel(cancelled as EnqueuedJob)
      await expectRoom(true, 'one was cancelled')
      await harness.finish([succeeded])
      await harness.fail([failed])
      await expectRoom(true, 'two have ended')
      await harness.queue.requeue(failed.id)
      await expectRoom(false, 'one was requeued')
    })
  },

  'a queue is full of retries': async (harness) => {
    const queue = harness.openQueue()
    await harness.enqueue(queue, { plan: 'fail_once', count: 2 })
    const jobs = await harness.claim(await harness.addWorker(queue), queue)
    await withBound(harness, { queue }, async (expectRoom) => {
      await expectRoom(true, 'all of its jobs run')
      await harness.fail(jobs)
      await expectRoom(false, 'they are retried')
    })
  },

  'a queue is full of jobs with a key, and of others': async (harness) => {
    const queue = harness.openQueue()
    await harness.enqueue(queue, { plan: 'succeed', count: 1, options: { key: 'key' } })
    await harness.enqueue(queue, { plan: 'succeed', count: 1 })
    await withBound(harness, { queue }, async (expectRoom) => {
      await expectRoom(false, 'one of two has a key')
      await harness.finish(await harness.claim(await harness.addWorker(queue), queue))
      await expectRoom(true, 'both have ended')
    })
  },

  'a tenant has as many jobs waiting as it may, beside another': async (harness) => {
    const queue = harness.openQueue()
    const jobsOf = (tenantId: string) => ({ plan: 'succeed', count: 2, options: { tenantId } }) as const
    await harness.enqueue(queue, jobsOf('acme'))
    await harness.enqueue(queue, jobsOf('other'))
    await withBound(harness, { queue, tenantId: 'acme' }, async (expectRoom) => {
      await expectRoom(false, 'its tenant has as many as it may')
      await expectRoom(true, 'it is about another tenant', 'other')
      await harness.finish(await harness.claim(await harness.addWorker(queue), queue, 1))
      await expectRoom(true, 'only others have as many')
    })
  },

  'nobody has counted what waits for a minute': async (harness) => {
    const queue = harness.openQueue()
    await harness.enqueue(queue, { plan: 'succeed', count: 2 })
    await withBound(harness, { queue }, async () => {
      await harness.unmutated.pool.query(
        `UPDATE queue.waiting_counts SET waiting = 0, counted_at = counted_at - interval '1 minute' WHERE queue = $1`,
        [queue],
      )
      harness.expectAnswer(
        'a queue that nobody counts took more than may wait',
        !(await accepts(harness, { queue })),
      )
    })
  },
}

interface Bound {
  readonly queue: string
  /** The tenant whose jobs are bounded; by default all jobs. */
  readonly tenantId?: string
}

/** Expects that one more job is accepted or refused. `tenantId`: the tenant of the job, if not the bounded one. */
type ExpectRoom = (hasRoom: boolean, situation: string, tenantId?: string) => Promise<void>

/**
 * Sets a bound on waiting jobs, and passes `act` a function that checks whether a new process may enqueue once a worker has
 * counted: in code, and with the function of the schema. The harness itself enqueues nothing meanwhile, because it would use
 * the counts that it has read before.
 */
async function withBound(
  harness: Harness,
  { queue, tenantId }: Bound,
  act: (expectRoom: ExpectRoom) => Promise<void>,
): Promise<void> {
  const scope =
    tenantId === undefined ? { scope: 'queue' as const } : { scope: 'tenant' as const, name: tenantId }
  await harness.queue.limits.set({ queue, ...scope, maxWaiting })
  try {
    await act(async (hasRoom, situation, otherTenantId) => {
      await countWaiting(harness.database, 0)
      const enqueuingTenantId = otherTenantId ?? tenantId
      const options = { queue, ...(enqueuingTenantId !== undefined && { tenantId: enqueuingTenantId }) }
      const problem = hasRoom
        ? 'a queue refused a job that it has room for'
        : 'a queue took more than may wait'
      harness.expectAnswer(`${problem}: ${situation}`, (await accepts(harness, options)) === hasRoom)
      harness.expectAnswer(
        `${problem}, in SQL: ${situation}`,
        (await acceptsInSql(harness, options)) === hasRoom,
      )
    })
  } finally {
    await harness.queue.limits.delete({ queue, ...scope })
  }
}

/** The payload of the checks. These jobs are in no client's history. */
const payload = { key: 'one more', plan: 'succeed', ms: 0 } as const

/** Whether a new process may enqueue such a job. Deletes the job afterwards. */
async function accepts(harness: Harness, options: JobOptions): Promise<boolean> {
  const pool = harness.openPool({ max: 2, name: 'begun' })
  const queue = createQueue({ pool })
  try {
    const { job } = await queue.enqueue(chaosJob, payload, options)
    await harness.unmutated.pool.query('DELETE FROM queue.jobs WHERE id = $1', [job.id])
    return true
  } catch (error) {
    if (error instanceof QueueFull) return false
    throw error
  } finally {
    await queue.close()
    await pool.end()
  }
}

/** The same for the function of the schema. Rolls the enqueue back. */
async function acceptsInSql(harness: Harness, { queue, tenantId }: JobOptions): Promise<boolean> {
  const client = await harness.unmutated.pool.connect()
  try {
    await client.query('BEGIN')
    await client.query(`SELECT queue.enqueue($1, $2::jsonb, $3, tenant_id => $4)`, [
      chaosJob.kind,
      JSON.stringify(payload),
      queue,
      tenantId ?? null,
    ])
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === '53400') return false
    throw error
  } finally {
    await client.query('ROLLBACK')
    client.release()
  }
}
