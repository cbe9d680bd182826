import { createQueue, type JobOptions, QueueFull } from '@queue/core'
import { countWaiting } from '@queue/core/runtime'
import { chaosJob } from '../fleet/chaos-job.ts'
import type { Case } from './cases.ts'
import type { EnqueuedJob, Harness } from './harness.ts'

const maxWaiting = 2

/** What becomes of enqueues where a limit bounds what waits. */
export const fullQueueCases: Readonly<Record<string, Case>> = {
  'a queue is full, until jobs of it are claimed, end or are cancelled': async (harness) => {
    const queue = harness.openQueue()
    await harness.enqueue(queue, { plan: 'fail_always', count: 1, options: { priority: 0, maxAttempts: 1 } })
    await harness.enqueue(queue, { plan: 'succeed', count: 1, options: { priority: 1 } })
    const [, cancelled] = await harness.enqueue(queue, { plan: 'succeed', count: 2 })
    await bounded(harness, { queue }, async (expectRoom) => {
      await expectRoom(false, 'more wait than may')
      const [failed, succeeded] = await harness.claim(await harness.hire(queue), queue, 2)
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
    const jobs = await harness.claim(await harness.hire(queue), queue)
    await bounded(harness, { queue }, async (expectRoom) => {
      await expectRoom(true, 'all of its jobs run')
      await harness.fail(jobs)
      await expectRoom(false, 'they are retried')
    })
  },

  'a queue is full of jobs with a key, and of others': async (harness) => {
    const queue = harness.openQueue()
    await harness.enqueue(queue, { plan: 'succeed', count: 1, options: { key: 'key' } })
    await harness.enqueue(queue, { plan: 'succeed', count: 1 })
    await bounded(harness, { queue }, async (expectRoom) => {
      await expectRoom(false, 'one of two has a key')
      await harness.finish(await harness.claim(await harness.hire(queue), queue))
      await expectRoom(true, 'both have ended')
    })
  },

  'a tenant has as many jobs waiting as it may, beside another': async (harness) => {
    const queue = harness.openQueue()
    const of = (tenantId: string) => ({ plan: 'succeed', count: 2, options: { tenantId } }) as const
    await harness.enqueue(queue, of('acme'))
    await harness.enqueue(queue, of('other'))
    await bounded(harness, { queue, tenantId: 'acme' }, async (expectRoom) => {
      await expectRoom(false, 'its tenant has as many as it may')
      await expectRoom(true, 'it is about another tenant', 'other')
      await harness.finish(await harness.claim(await harness.hire(queue), queue, 1))
      await expectRoom(true, 'only others have as many')
    })
  },

  'nobody has counted what waits for a minute': async (harness) => {
    const queue = harness.openQueue()
    await harness.enqueue(queue, { plan: 'succeed', count: 2 })
    await bounded(harness, { queue }, async () => {
      await harness.plain.pool.query(
        `UPDATE queue.waiting_counts SET waiting = 0, counted_at = counted_at - interval '1 minute' WHERE queue = $1`,
        [queue],
      )
      harness.expectAnswer(
        'a queue that nobody counts took more than may wait',
        !(await takes(harness, { queue })),
      )
    })
  },
}

interface Bounded {
  readonly queue: string
  /** Whose jobs are bounded; by default everybody's. */
  readonly tenantId?: string
}

/** Expects that one more job is taken, or refused. `tenantId`: of another tenant than the one that is bounded. */
type ExpectRoom = (hasRoom: boolean, when: string, tenantId?: string) => Promise<void>

/**
 * Bounds what waits, and gives what tells whether a process that begins now may enqueue, when a worker has counted: in code and
 * by the function of the schema. The harness enqueues nothing meanwhile: it would go by what it has read before.
 */
async function bounded(
  harness: Harness,
  { queue, tenantId }: Bounded,
  act: (expectRoom: ExpectRoom) => Promise<void>,
): Promise<void> {
  const scope =
    tenantId === undefined ? { scope: 'queue' as const } : { scope: 'tenant' as const, name: tenantId }
  await harness.queue.limits.set({ queue, ...scope, maxWaiting })
  try {
    await act(async (hasRoom, when, otherId) => {
      await countWaiting(harness.database, 0)
      const whose = otherId ?? tenantId
      const options = { queue, ...(whose !== undefined && { tenantId: whose }) }
      const what = hasRoom ? 'a queue refused a job that it has room for' : 'a queue took more than may wait'
      harness.expectAnswer(`${what}: ${when}`, (await takes(harness, options)) === hasRoom)
      harness.expectAnswer(`${what}, in SQL: ${when}`, (await takesInSql(harness, options)) === hasRoom)
    })
  } finally {
    await harness.queue.limits.delete({ queue, ...scope })
  }
}

/** What it asks with: its jobs are nobody's who writes a history. */
const payload = { key: 'one more', plan: 'succeed', ms: 0 } as const

/** Whether a process that has just begun may enqueue such a job, which is gone again afterwards. */
async function takes(harness: Harness, options: JobOptions): Promise<boolean> {
  const pool = harness.openPool({ max: 2, name: 'begun' })
  const queue = createQueue({ pool })
  try {
    const { job } = await queue.enqueue(chaosJob, payload, options)
    await harness.plain.pool.query('DELETE FROM queue.jobs WHERE id = $1', [job.id])
    return true
  } catch (error) {
    if (error instanceof QueueFull) return false
    throw error
  } finally {
    await queue.close()
    await pool.end()
  }
}

/** The same of the function of the schema; what it writes is taken back. */
async function takesInSql(harness: Harness, { queue, tenantId }: JobOptions): Promise<boolean> {
  const client = await harness.plain.pool.connect()
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
