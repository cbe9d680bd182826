import { afterAll, beforeEach, describe, expect, test } from '@jest/globals'
import { createDatabaseClock } from '@queue/postgres'
import { internalsOf, withInternals } from '../../src/enqueue/queue-internals.ts'
import { createNotifier } from '../../src/database/notifications.ts'
import type { JobOptions, JobRequest } from '../../src/domain/job-definition.ts'
import type { ClaimedJob } from '../../src/domain/job.ts'
import { type EnqueueTarget, createEnqueue } from '../../src/enqueue/enqueue.ts'
import { createQueue } from '../../src/facade/queue.ts'
import { countWaiting } from '../../src/flow/count-waiting.ts'
import { createFullQueues } from '../../src/flow/full-queues.ts'
import { scopeQueue } from '../../src/tenants/scoped-queue.ts'
import { releaseJobs } from '../../src/transitions/release-jobs.ts'
import { retryOrDeadLetterJobs } from '../../src/transitions/retry-or-dead-letter-jobs.ts'
import { claim, enqueueProbes, newWorker, probe } from '../support/builders.ts'
import { openWorld } from '../support/world.ts'

const world = await openWorld()
afterAll(() => world.close())
beforeEach(() => world.reset())

const { queue } = world

describe('max_waiting', () => {
  /** Not the default queue, so that no test finds it full because of another. */
  const mail = { queue: 'mail' }
  /** Enqueues like a process that has just started, which has cached nothing about full queues. */
  const enqueueFromNewProcess = (requests: readonly JobRequest[], target?: EnqueueTarget) =>
    createEnqueue(world.database, {
      notifier: createNotifier(world.database),
      full: createFullQueues(world.database),
    })(requests, target)
  const mailRequest = (options: JobOptions = {}) => probe.create({}, { ...mail, ...options })
  const countWaitingMail = async (): Promise<number> =>
    Number(
      (
        await world.sql(`SELECT count(*) FROM queue.all_jobs WHERE queue = 'mail' AND status <> 'succeeded'`)
      )[0]?.['count'],
    )
  const queueFull = { code: 'queue_full', name: 'QueueFull', queue: 'mail' }

  test('refuses what is new as long as so many wait, all of a call or none of it', async () => {
    await enqueueProbes(world, 2, mail)
    await enqueueProbes(world, 1, { ...mail, key: 'a', delayMs: 60_000 })
    await queue.limits.set({ queue: 'mail', scope: 'queue', maxWaiting: 3 })
    await expect(enqueueFromNewProcess([mailRequest()])).rejects.toMatchObject(queueFull)
    await expect(
      enqueueFromNewProcess([probe.create({}), mailRequest(), mailRequest({ key: 'b' })]),
    ).rejects.toMatchObject(queueFull)
    expect(await enqueueFromNewProcess([probe.create({})])).toHaveLength(1)
    expect(await countWaitingMail()).toBe(3)
    const worker = await newWorker(world, { queues: ['mail'] })
    const jobs = await claim(world, worker, { queues: ['mail'] })
    expect(jobs).toHaveLength(2)
    expect(await countWaiting(world.database, 0)).toEqual({ counted: 1, isWanted: true })
    expect(await countWaiting(world.database, 60_000)).toEqual({ counted: 0, isWanted: true })
    // Jobs are counted once a second: those that come in between are all accepted.
    expect(await enqueueFromNewProcess([mailRequest(), mailRequest(), mailRequest()])).toHaveLength(3)
    await countWaiting(world.database, 0)
    await expect(enqueueFromNewProcess([mailRequest()])).rejects.toMatchObject(queueFull)
    await queue.limits.delete({ queue: 'mail', scope: 'queue' })
    expect(await enqueueFromNewProcess([mailRequest()])).toHaveLength(1)
    expect(await countWaiting(world.database, 0)).toEqual({ counted: 0, isWanted: false })
  })

  test('of a tenant counts only its jobs, whoever enqueues them', async () => {
    await enqueueProbes(world, 2, { ...mail, tenantId: 'acme', key: 'a' })
    await queue.limits.set({ queue: 'mail', scope: 'tenant', name: 'acme', maxWaiting: 2 })
    await expect(enqueueFromNewProcess([mailRequest({ tenantId: 'acme' })])).rejects.toMatchObject(queueFull)
    expect(await enqueueFromNewProcess([mailRequest({ tenantId: 'other' }), mailRequest()])).toHaveLength(2)
    const full = createFullQueues(world.database)
    const scoped = scopeQueue(withInternals(queue, { ...internalsOf(queue), full }), { tenantId: 'acme' })
    await expect(scoped.enqueueMany([mailRequest()])).rejects.toMatchObject(queueFull)
    const grouped = scoped.grouped()
    const results = await Promise.allSettled([
      grouped.enqueue(probe, {}, mail),
      grouped.enqueue(probe, {}),
      grouped.enqueue(probe, {}, { ...mail, idempotencyKey: 'k' }),
      grouped.enqueue(probe, {}, { idempotencyKey: 'l' }),
    ])
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'rejected', 'fulfilled'])
  })

  test('answers with what is there already, and takes no more beside it', async () => {
    const unique = { key: 'u', scope: 'live' } as const
    const [existing] = await enqueueProbes(world, 1, { ...mail, idempotencyKey: 'k' })
    const [holder] = await enqueueProbes(world, 1, { ...mail, unique })
    await queue.limits.set({ queue: 'mail', scope: 'queue', maxWaiting: 1 })
    const replay = await enqueueFromNewProcess([probe.create({ n: 0 }, { ...mail, idempotencyKey: 'k' })])
    expect(replay).toMatchObject([{ replayed: true, job: { id: existing?.id } }])
    expect(await enqueueFromNewProcess([mailRequest({ unique })])).toMatchObject([
      { conflict: 'returned', job: { id: holder?.id } },
    ])
    const mixed = [mailRequest({ idempotencyKey: 'k' }), mailRequest({ idempotencyKey: 'new' })]
    await expect(enqueueFromNewProcess(mixed)).rejects.toMatchObject(queueFull)
    await expect(
      enqueueFromNewProcess([mailRequest({ unique: { key: 'v', scope: 'live' } })]),
    ).rejects.toMatchObject(queueFull)
    expect(await countWaitingMail()).toBe(2)
  })

  test('leaves a caller’s transaction usable', async () => {
    await enqueueProbes(world, 1, mail)
    await queue.limits.set({ queue: 'mail', scope: 'queue', maxWaiting: 1 })
    const session = await world.session()
    await session.query('BEGIN')
    await expect(enqueueFromNewProcess([mailRequest()], { transaction: session })).rejects.toMatchObject(
      queueFull,
    )
    await expect(
      enqueueFromNewProcess([mailRequest({ idempotencyKey: 'k' })], { transaction: session }),
    ).rejects.toMatchObject(queueFull)
    expect(await enqueueFromNewProcess([probe.create({})], { transaction: session })).toHaveLength(1)
    await session.query('COMMIT')
    expect(await countWaitingMail()).toBe(1)
    expect((await queue.list({ queue: 'default' })).jobs).toHaveLength(1)
  })

  test.each([
    ['full', 'not full any more'],
    ['not full', 'full'],
  ])(
    'decides by one reading: a queue that was %s, and is %s when the answer comes',
    async (before, after) => {
      const readings = [before, after].map((reading) => (reading === 'full' ? '["mail "]' : null))
      const read = async () => [{ now_ms: Date.now(), full_names: readings.shift() ?? null, is_stale: false }]
      const alwaysStale = { ...createDatabaseClock(), isStale: () => true, nowMs: () => Date.now() }
      const full = createFullQueues({ ...world.database, run: read as never }, { clock: alwaysStale })
      const run = async (...statement: Parameters<typeof world.database.run>) => {
        const rows = await world.database.run(...statement)
        await full.refresh()
        return rows
      }
      const enqueue = createEnqueue(
        { ...world.database, run: run as never },
        { notifier: createNotifier(world.database), full },
      )
      const answer = enqueue([mailRequest({ unique: { key: 'u', scope: 'live' } })])
      if (before === 'full') await expect(answer).rejects.toMatchObject(queueFull)
      else await answer
      expect(await countWaitingMail()).toBe(before === 'full' ? 0 : 1)
    },
  )

  test('lets in what waited before: a retry, what is returned, and a requeue', async () => {
    await enqueueProbes(world, 3, mail)
    const worker = await newWorker(world, { queues: ['mail'] })
    const [retried, returned, failed] = await claim(world, worker, { queues: ['mail'] })
    await enqueueProbes(world, 1, mail)
    await queue.limits.set({ queue: 'mail', scope: 'queue', maxWaiting: 1 })
    const error = 'e'
    await retryOrDeadLetterJobs(world.database, [
      { lease: (retried as ClaimedJob).lease, error, waitMs: 1, permanent: false },
      { lease: (failed as ClaimedJob).lease, error, waitMs: 1, permanent: true },
    ])
    await releaseJobs(world.database, [(returned as ClaimedJob).lease])
    await queue.requeue(failed?.id ?? '')
    expect(await countWaitingMail()).toBe(4)
    await expect(enqueueFromNewProcess([mailRequest()])).rejects.toMatchObject(queueFull)
  })

  test('holds for the function of the schema, for duplicates, and for runs of schedules by hand', async () => {
    const [existing] = await enqueueProbes(world, 1, { ...mail, idempotencyKey: 'k', tenantId: 'acme' })
    await queue.schedules.create({
      name: 'letters',
      definition: probe,
      payload: {},
      everyMs: 60_000,
      options: mail,
    })
    await queue.limits.set({ queue: 'mail', scope: 'queue', maxWaiting: 1 })
    const enqueueInSql = (tenant: string | null, key: string | null) =>
      world.sql(
        `SELECT queue.enqueue('probe', '{"n": 0}', 'mail', tenant_id => $1, idempotency_key => $2) AS id`,
        [tenant, key],
      )
    await expect(enqueueInSql(null, null)).rejects.toMatchObject({ code: '53400' })
    await expect(enqueueInSql('acme', 'other')).rejects.toMatchObject({ code: '53400' })
    expect((await enqueueInSql('acme', 'k'))[0]).toEqual({ id: existing?.id })
    const newQueue = createQueue({ connectionString: world.url })
    await expect(newQueue.duplicate(existing?.id ?? '')).rejects.toMatchObject(queueFull)
    await expect(newQueue.schedules.runNow('letters')).rejects.toMatchObject(queueFull)
    await newQueue.close()
    expect(await countWaitingMail()).toBe(1)
    await queue.limits.set({ queue: 'mail', scope: 'queue', maxWaiting: 9 })
    await queue.limits.set({ queue: 'mail', scope: 'tenant', name: 'acme', maxWaiting: 1 })
    await expect(enqueueInSql('acme', null)).rejects.toMatchObject({ code: '53400' })
    expect(await enqueueInSql(null, null)).toHaveLength(1)
  })

  test('holds also where no worker counts: whoever enqueues does', async () => {
    await queue.limits.set({ queue: 'mail', scope: 'queue', maxWaiting: 2 })
    expect(
      await enqueueFromNewProcess([mailRequest(), mailRequest({ key: 'a' }), mailRequest()]),
    ).toHaveLength(3)
    await world.sql(`UPDATE queue.waiting_counts SET counted_at = now() - interval '1 minute'`)
    await expect(enqueueFromNewProcess([mailRequest()])).rejects.toMatchObject(queueFull)
    await world.sql(`UPDATE queue.waiting_counts SET counted_at = now() - interval '1 minute', waiting = 0`)
    const enqueueInSql = () => world.sql(`SELECT queue.enqueue('probe', '{}', 'mail')`)
    await expect(enqueueInSql()).rejects.toMatchObject({ code: '53400' })
    await queue.limits.set({ queue: 'mail', scope: 'queue', maxWaiting: 4 })
    await world.sql(`UPDATE queue.waiting_counts SET counted_at = now() - interval '1 minute', waiting = 9`)
    expect(await enqueueInSql()).toHaveLength(1)
    await expect(enqueueInSql()).rejects.toMatchObject({ code: '53400' })
  })

  test('alone adds no work to the claims of its queue', async () => {
    await queue.limits.set({ queue: 'mail', scope: 'queue', maxWaiting: 2 })
    const limited = () => world.sql(`SELECT limited FROM queue.queues WHERE name = 'mail'`)
    expect(await limited()).toEqual([{ limited: false }])
    await queue.limits.set({ queue: 'mail', scope: 'queue', maxWaiting: 2, maxRunning: 2 })
    expect(await limited()).toEqual([{ limited: true }])
  })
})
