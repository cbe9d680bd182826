import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { until, untilSomeoneWaitsFor } from '@queue/dev-postgres'
import { sql } from 'kysely'
import type { QueueDatabase } from '../../src/database/connect.ts'
import { type Queue, createQueue } from '../../src/facade/queue.ts'
import { finishJobs } from '../../src/transitions/finish-jobs.ts'
import { pruneJobs } from '../../src/transitions/prune-jobs.ts'
import { recoverJobs } from '../../src/transitions/recover-jobs.ts'
import { reportProgress } from '../../src/transitions/report-progress.ts'
import { retryOrDeadLetterJobs } from '../../src/transitions/retry-or-dead-letter-jobs.ts'
import {
  claim,
  enqueueProbe,
  enqueueProbes,
  newWorker,
  probe,
  rowOf,
  runningJob,
} from '../support/builders.ts'
import { closeGate, gatedBefore } from '../support/gate.ts'
import { openWorld, within } from '../support/world.ts'
import { databaseOf } from '../../src/enqueue/queue-internals.ts'

const world = await openWorld()
afterAll(() => world.close())
beforeEach(() => world.reset())

/**
 * Runs `act` while another transaction has made `change` and not committed yet; commits it once `act` waits, and
 * returns the answer of `act`.
 */
async function afterCommitOf<Answer>(
  change: (database: QueueDatabase) => Promise<unknown>,
  act: () => Promise<Answer>,
): Promise<Answer> {
  const session = await world.session()
  await session.query('BEGIN ISOLATION LEVEL READ COMMITTED')
  await change(within(session))
  const answer = act()
  await untilSomeoneWaitsFor(session, await world.session())
  await session.query('COMMIT')
  return answer
}

async function deadLetterIdOf(queue: Queue, jobId: string): Promise<string> {
  const { deadLetters } = await queue.deadLetters.list()
  return deadLetters.find((deadLetter) => deadLetter.jobId === jobId)?.id ?? ''
}

describe.each(['repeatable read', 'serializable'] as const)(
  'where transactions are %s unless they say otherwise, an act waits for whoever is on its rows, and goes by what that one leaves:',
  (isolation) => {
    let queue: Queue
    beforeAll(() => {
      const url = new URL(world.directUrl)
      url.searchParams.set('options', `-c default_transaction_isolation=${isolation.replace(' ', '\\ ')}`)
      queue = createQueue({ connectionString: url.href })
    })
    afterAll(() => queue.close())

    const permanently = { error: 'boom', waitMs: 0, permanent: true }

    test('the setting is effective', async () => {
      const { rows } = await databaseOf(queue).pool.query('SHOW transaction_isolation')
      expect(rows).toEqual([{ transaction_isolation: isolation }])
    })

    test('a cancel', async () => {
      const job = await enqueueProbe(world)
      const workerId = await newWorker(world)
      const result = await afterCommitOf(
        (database) => claim({ database }, workerId),
        () => queue.cancel(job.id),
      )
      expect(result).toMatchObject({ outcome: 'requested', job: { status: 'running' } })
    })

    test('a requeue', async () => {
      const { lease } = await runningJob(world)
      const result = await afterCommitOf(
        (database) => retryOrDeadLetterJobs(database, [{ lease, ...permanently }]),
        () => queue.requeue(lease.jobId),
      )
      expect(result).toMatchObject({ status: 'queued', attempts: 0 })
      expect(await queue.deadLetters.count()).toBe(0)
    })

    test('a requeue by the dead letter, and its removal', async () => {
      const { lease } = await runningJob(world)
      await retryOrDeadLetterJobs(world.database, [{ lease, ...permanently }])
      const deadLetterId = await deadLetterIdOf(queue, lease.jobId)
      const changeJob = (database: QueueDatabase) =>
        database.run(sql`UPDATE queue.jobs SET priority = 1 WHERE id = ${lease.jobId}`)
      expect(await afterCommitOf(changeJob, () => queue.deadLetters.requeue(deadLetterId))).toMatchObject({
        status: 'queued',
        priority: 1,
      })
      const otherJob = await runningJob(world)
      await retryOrDeadLetterJobs(world.database, [{ lease: otherJob.lease, ...permanently }])
      const otherId = await deadLetterIdOf(queue, otherJob.id)
      const changeDeadLetter = (database: QueueDatabase) =>
        database.run(sql`UPDATE queue.dead_letter_jobs SET priority = 1 WHERE job_id = ${otherJob.id}`)
      await afterCommitOf(changeDeadLetter, () => queue.deadLetters.delete(otherId))
      expect(await queue.deadLetters.count()).toBe(0)
    })

    test.each([
      ['replay', undefined],
      ['reject', 'reject'],
    ] as const)('an enqueue with a key, on a mismatch %s', async (_what, onMismatch) => {
      const options = { idempotencyKey: 'k', ...(onMismatch && { onMismatch }) }
      const session = await world.session()
      await session.query('BEGIN ISOLATION LEVEL READ COMMITTED')
      const { job } = await world.queue.enqueue(probe, {}, { idempotencyKey: 'k', transaction: session })
      const enqueuing = queue.enqueue(probe, {}, options)
      await untilSomeoneWaitsFor(session, await world.session())
      await session.query('COMMIT')
      expect(await enqueuing).toMatchObject({ replayed: true, job: { id: job.id } })
    })

    /** Counts the notifications of a queue of its own: those of the enqueues of earlier tests may still arrive. */
    async function listening() {
      const listener = await world.session()
      let heard = 0
      listener.on('notification', ({ payload }) => (heard += payload === 'behind' ? 1 : 0))
      await listener.query('LISTEN "queue.jobs"')
      return { listener, heard: () => heard }
    }

    test.each([
      {
        what: 'an enqueue whose key gets free',
        end: 'ROLLBACK',
        act: () => queue.enqueue(probe, {}, { idempotencyKey: 'k', queue: 'behind' }),
      },
      {
        what: 'enqueues, one of which replays',
        end: 'COMMIT',
        act: () =>
          queue.enqueueMany([
            probe.create({}, { queue: 'behind' }),
            probe.create({}, { idempotencyKey: 'k' }),
          ]),
      },
    ])('$what, with a notification of the workers behind what is written', async ({ end, act }) => {
      const [{ listener, heard }, holder] = [await listening(), await world.session()]
      await holder.query('BEGIN')
      await queue.enqueue(probe, {}, { idempotencyKey: 'k', transaction: holder, notify: false })
      const enqueuing = act()
      await untilSomeoneWaitsFor(holder, await world.session())
      await listener.query('SELECT 1')
      const before = heard()
      await holder.query(end)
      await enqueuing
      await until('the notification', async () => {
        await listener.query('SELECT 1')
        return heard() > before
      })
    })

    test('a pause and its end', async () => {
      const workerId = await newWorker(world)
      await enqueueProbe(world)
      const state = await afterCommitOf(
        (database) => database.run(sql`UPDATE queue.queues SET limited = false WHERE name = 'default'`),
        () => queue.pause('default'),
      )
      expect(state.pausedAt).toBeInstanceOf(Date)
      expect(await claim({ database: databaseOf(queue) }, workerId)).toEqual([])
      await queue.resume('default')
      expect(await claim({ database: databaseOf(queue) }, workerId)).toHaveLength(1)
    })

    test('the completion of attempts, and the progress of a handler', async () => {
      const jobs = [await runningJob(world), await runningJob(world), await runningJob(world)] as const
      const [finished, failed, working] = jobs
      const cancelled = (database: QueueDatabase) =>
        database.run(sql`UPDATE queue.jobs SET cancel_requested = true`)
      const write = { lease: finished.lease, resultText: null, note: null }
      await afterCommitOf(cancelled, () =>
        Promise.all([
          finishJobs(databaseOf(queue), [write]),
          retryOrDeadLetterJobs(databaseOf(queue), [{ lease: failed.lease, ...permanently }]),
          reportProgress(databaseOf(queue), [{ lease: working.lease, percent: 50, message: null }]),
        ]),
      )
      expect(await rowOf(world, finished.id)).toMatchObject({ status: 'succeeded' })
      expect(await rowOf(world, failed.id)).toMatchObject({ status: 'cancelled' })
      expect(await rowOf(world, working.id)).toMatchObject({ status: 'running', progress: 50 })
    })

    describe('with another transaction that has committed since the act began:', () => {
      let open: (() => Promise<void>) | undefined
      afterEach(() => open?.())

      /** Holds the statement of `act` at its gate, after its snapshot, until `meanwhile` is done. */
      async function actWhileHeld<Answer>(
        gate: string,
        act: (database: QueueDatabase) => Promise<Answer>,
        meanwhile: () => Promise<unknown>,
      ): Promise<Answer> {
        const holder = await world.session()
        open = await closeGate(holder)
        const answer = act(gatedBefore(databaseOf(queue), gate))
        await untilSomeoneWaitsFor(holder, await world.session())
        await meanwhile()
        await open()
        open = undefined
        return answer
      }

      test('a recovery does not touch a job that was finished', async () => {
        const job = await runningJob(world)
        await world.sql('DELETE FROM queue.workers')
        const recovery = await actWhileHeld('candidates', recoverJobs, () =>
          finishJobs(world.database, [{ lease: job.lease, resultText: null, note: null }]),
        )
        expect(recovery.jobs).toEqual([])
        expect(await rowOf(world, job.id)).toMatchObject({ status: 'succeeded' })
      })

      test('retention does not remove a job that was requeued', async () => {
        const job = await enqueueProbe(world)
        await queue.cancel(job.id)
        const retention = { succeededMs: null, cancelledMs: 0, failedMs: null, keyMs: null }
        const pruned = await actWhileHeld(
          'doomed',
          (gated) => {
            const database = {
              ...databaseOf(queue),
              transaction: <R>(work: (inside: QueueDatabase) => R) => work(gated),
            }
            return pruneJobs(database, retention, null)
          },
          () => world.queue.requeue(job.id),
        )
        expect(pruned).toMatchObject({ pruned: 0 })
        expect(await rowOf(world, job.id)).toMatchObject({ status: 'queued' })
      })
    })

    test('claims take each job once, however many claim at once, while jobs are cancelled', async () => {
      const jobs = await enqueueProbes(world, 200)
      const workers = await Promise.all(Array.from({ length: 6 }, () => newWorker(world)))
      const claimed = workers.map(async (workerId) => {
        const claimedByWorker = []
        for (let round = 0; round < 12; round += 1)
          claimedByWorker.push(...(await claim({ database: databaseOf(queue) }, workerId, { limit: 7 })))
        return claimedByWorker
      })
      await Promise.all(jobs.slice(0, 50).map(({ id }) => queue.cancel(id)))
      const ids = (await Promise.all(claimed)).flat().map(({ id }) => id)
      expect(new Set(ids).size).toBe(ids.length)
      const unclaimed = await world.sql(`SELECT FROM queue.all_jobs WHERE status = 'queued'`)
      expect(unclaimed).toEqual([])
    })
  },
)
