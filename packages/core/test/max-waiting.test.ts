import { afterAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { ClaimedJob } from '../src/domain/job.ts'
import { createNotifier } from '../src/database/notifications.ts'
import { type JobOptions, type JobRequest } from '../src/domain/job-definition.ts'
import { createEnqueue, type EnqueueTarget } from '../src/enqueue.ts'
import { countWaiting } from '../src/limits/count-waiting.ts'
import { createFullQueues } from '../src/limits/full-queues.ts'
import { createQueue } from '../src/queue.ts'
import { scopeQueue } from '../src/tenants/scoped-queue.ts'
import { releaseJobs } from '../src/transitions/release-jobs.ts'
import { retryOrDeadLetterJobs } from '../src/transitions/retry-or-dead-letter-jobs.ts'
import { claim, enqueueProbes, probe, registered } from './support/builders.ts'
import { openWorld } from './support/world.ts'

const world = await openWorld()
afterAll(() => world.close())
beforeEach(() => world.reset())

const { queue } = world

describe('max_waiting', () => {
  /** Its own, so that what one test has filled is full for no other. */
  const mail = { queue: 'mail' }
  /** Enqueues as a process that has just begun does. */
  const enqueueAnew = (requests: readonly JobRequest[], target?: EnqueueTarget) =>
    createEnqueue(world.database, {
      notifier: createNotifier(world.database),
      full: createFullQueues(world.database),
    })(requests, target)
  const toMail = (options: JobOptions = {}) => probe.create({}, { ...mail, ...options })
  const waiting = async (): Promise<number> =>
    Number(
      (
        await world.sql(`SELECT count(*) FROM queue.jobs WHERE queue = 'mail' AND status <> 'succeeded'`)
      )[0]?.['count'],
    )
  const full = { code: 'queue_full', name: 'QueueFull', queue: 'mail' }

  test('refuses what is new as long as so many wait, all of a call or none of it', async () => {
    await enqueueProbes(world, 2, mail)
    await enqueueProbes(world, 1, { ...mail, key: 'a', delayMs: 60_000 })
    await queue.limits.set({ queue: 'mail', scope: 'queue', maxWaiting: 3 })
    await expect(enqueueAnew([toMail()])).rejects.toMatchObject(full)
    await expect(enqueueAnew([probe.create({}), toMail(), toMail({ key: 'b' })])).rejects.toMatchObject(full)
    expect(await enqueueAnew([probe.create({})])).toHaveLength(1)
    expect(await waiting()).toBe(3)
    const worker = await registered(world, { queues: ['mail'] })
    const jobs = await claim(world, worker, { queues: ['mail'] })
    expect(jobs).toHaveLength(2)
    expect(await countWaiting(world.database, 0)).toEqual({ counted: 1, isWanted: true })
    expect(await countWaiting(world.database, 60_000)).toEqual({ counted: 0, isWanted: true })
    // It counts by the second: what comes at once is let in together.
    expect(await enqueueAnew([toMail(), toMail(), toMail()])).toHaveLength(3)
    await countWaiting(world.database, 0)
    await expect(enqueueAnew([toMail()])).rejects.toMatchObject(full)
    await queue.limits.delete({ queue: 'mail', scope: 'queue' })
    expect(await enqueueAnew([toMail()])).toHaveLength(1)
    expect(await countWaiting(world.database, 0)).toEqual({ counted: 0, isWanted: false })
  })

  test('of a tenant is about its jobs alone, whoever enqueues them', async () => {
    await enqueueProbes(world, 2, { ...mail, tenantId: 'acme', key: 'a' })
    await queue.limits.set({ queue: 'mail', scope: 'tenant', name: 'acme', maxWaiting: 2 })
    await expect(enqueueAnew([toMail({ tenantId: 'acme' })])).rejects.toMatchObject(full)
    expect(await enqueueAnew([toMail({ tenantId: 'other' }), toMail()])).toHaveLength(2)
    const scoped = scopeQueue(
      { database: world.database, full: createFullQueues(world.database) },
      { tenantId: 'acme' },
    )
    await expect(scoped.enqueueMany([toMail()])).rejects.toMatchObject(full)
    const grouped = scoped.grouped()
    const all = await Promise.allSettled([
      grouped.enqueue(probe, {}, mail),
      grouped.enqueue(probe, {}),
      grouped.enqueue(probe, {}, { ...mail, idempotencyKey: 'k' }),
      grouped.enqueue(probe, {}, { idempotencyKey: 'l' }),
    ])
    expect(all.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'rejected', 'fulfilled'])
  })

  test('answers with what is there already, and takes no more beside it', async () => {
    const unique = { key: 'u', scope: 'live' } as const
    const [known] = await enqueueProbes(world, 1, { ...mail, idempotencyKey: 'k' })
    const [holder] = await enqueueProbes(world, 1, { ...mail, unique })
    await queue.limits.set({ queue: 'mail', scope: 'queue', maxWaiting: 1 })
    const again = await enqueueAnew([probe.create({ n: 0 }, { ...mail, idempotencyKey: 'k' })])
    expect(again).toMatchObject([{ replayed: true, job: { id: known?.id } }])
    expect(await enqueueAnew([toMail({ unique })])).toMatchObject([
      { conflict: 'returned', job: { id: holder?.id } },
    ])
    const mixed = [toMail({ idempotencyKey: 'k' }), toMail({ idempotencyKey: 'new' })]
    await expect(enqueueAnew(mixed)).rejects.toMatchObject(full)
    await expect(enqueueAnew([toMail({ unique: { key: 'v', scope: 'live' } })])).rejects.toMatchObject(full)
    expect(await waiting()).toBe(2)
  })

  test('leaves a caller’s transaction as it was', async () => {
    await enqueueProbes(world, 1, mail)
    await queue.limits.set({ queue: 'mail', scope: 'queue', maxWaiting: 1 })
    const session = await world.session()
    await session.query('BEGIN')
    await expect(enqueueAnew([toMail()], { transaction: session })).rejects.toMatchObject(full)
    await expect(
      enqueueAnew([toMail({ idempotencyKey: 'k' })], { transaction: session }),
    ).rejects.toMatchObject(full)
    expect(await enqueueAnew([probe.create({})], { transaction: session })).toHaveLength(1)
    await session.query('COMMIT')
    expect(await waiting()).toBe(1)
    expect((await queue.list({ queue: 'default' })).jobs).toHaveLength(1)
  })

  test('lets in what waited before: a retry, what is returned, and a requeue', async () => {
    await enqueueProbes(world, 3, mail)
    const worker = await registered(world, { queues: ['mail'] })
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
    expect(await waiting()).toBe(4)
    await expect(enqueueAnew([toMail()])).rejects.toMatchObject(full)
  })

  test('holds for the function of the schema, for duplicates, and for runs of schedules by hand', async () => {
    const [known] = await enqueueProbes(world, 1, { ...mail, idempotencyKey: 'k', tenantId: 'acme' })
    await queue.schedules.create({
      name: 'letters',
      definition: probe,
      payload: {},
      everyMs: 60_000,
      options: mail,
    })
    await queue.limits.set({ queue: 'mail', scope: 'queue', maxWaiting: 1 })
    const inSql = (tenant: string | null, key: string | null) =>
      world.sql(
        `SELECT queue.enqueue('probe', '{"n": 0}', 'mail', tenant_id => $1, idempotency_key => $2) AS id`,
        [tenant, key],
      )
    await expect(inSql(null, null)).rejects.toMatchObject({ code: '53400' })
    await expect(inSql('acme', 'other')).rejects.toMatchObject({ code: '53400' })
    expect((await inSql('acme', 'k'))[0]).toEqual({ id: known?.id })
    const fresh = createQueue({ connectionString: world.url })
    await expect(fresh.duplicate(known?.id ?? '')).rejects.toMatchObject(full)
    await expect(fresh.schedules.runNow('letters')).rejects.toMatchObject(full)
    await fresh.close()
    expect(await waiting()).toBe(1)
    await queue.limits.set({ queue: 'mail', scope: 'queue', maxWaiting: 9 })
    await queue.limits.set({ queue: 'mail', scope: 'tenant', name: 'acme', maxWaiting: 1 })
    await expect(inSql('acme', null)).rejects.toMatchObject({ code: '53400' })
    expect(await inSql(null, null)).toHaveLength(1)
  })

  test('holds also where no worker counts: whoever enqueues does', async () => {
    await queue.limits.set({ queue: 'mail', scope: 'queue', maxWaiting: 2 })
    expect(await enqueueAnew([toMail(), toMail({ key: 'a' }), toMail()])).toHaveLength(3)
    await world.sql(`UPDATE queue.waiting_counts SET counted_at = now() - interval '1 minute'`)
    await expect(enqueueAnew([toMail()])).rejects.toMatchObject(full)
    await world.sql(`UPDATE queue.waiting_counts SET counted_at = now() - interval '1 minute', waiting = 0`)
    const inSql = () => world.sql(`SELECT queue.enqueue('probe', '{}', 'mail')`)
    await expect(inSql()).rejects.toMatchObject({ code: '53400' })
    await queue.limits.set({ queue: 'mail', scope: 'queue', maxWaiting: 4 })
    await world.sql(`UPDATE queue.waiting_counts SET counted_at = now() - interval '1 minute', waiting = 9`)
    expect(await inSql()).toHaveLength(1)
    await expect(inSql()).rejects.toMatchObject({ code: '53400' })
  })

  test('alone costs the claims of its queue nothing', async () => {
    await queue.limits.set({ queue: 'mail', scope: 'queue', maxWaiting: 2 })
    const limited = () => world.sql(`SELECT limited FROM queue.queues WHERE name = 'mail'`)
    expect(await limited()).toEqual([{ limited: false }])
    await queue.limits.set({ queue: 'mail', scope: 'queue', maxWaiting: 2, maxRunning: 2 })
    expect(await limited()).toEqual([{ limited: true }])
  })
})
