import { afterAll, beforeEach, describe, expect, test } from '@jest/globals'
import { until } from '@queue/dev-postgres'
import { type Statement, compiler } from '@queue/postgres'
import pg from 'pg'
import type { QueueDatabase } from '../../src/database/connect.ts'
import { QueueError } from '../../src/domain/errors.ts'
import { waitFailuresMax } from '../../src/domain/limits.ts'
import { createQueue } from '../../src/facade/queue.ts'
import { WaitTimeoutError, createEndWaits } from '../../src/reads/wait-for-end.ts'
import { scopeQueue } from '../../src/tenants/scoped-queue.ts'
import { finishJobs } from '../../src/transitions/finish-jobs.ts'
import { enqueueProbe, enqueueProbes, runningJob } from '../support/builders.ts'
import { openWorld } from '../support/world.ts'

const world = await openWorld()
const { queue } = world
afterAll(() => world.close())
beforeEach(() => world.reset())

const unknownId = '01900000-0000-7000-8000-000000000000'

/** The database, with a function that sees each statement before it is sent. */
function seen(see: (text: string) => unknown): QueueDatabase {
  return {
    ...world.database,
    run: async <Row>(statement: Statement<Row>) => {
      await see(statement.compile(compiler).sql)
      return world.database.run(statement)
    },
  }
}

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  return proxy
}

/** Waits whose polls are counted, so that a test can act between two of them. */
function countedWaits() {
  const sent: string[] = []
  const waits = createEndWaits(seen((text) => sent.push(text)))
  const polled = (times = 1) => until(`${times} polls`, async () => sent.length >= times)
  return { waits, sent, polled }
}

describe('waitFor', () => {
  test('resolves with the job that has ended, however it ended', async () => {
    const job = await runningJob(world)
    const { waits, polled } = countedWaits()
    const waiting = waits.waitFor(job.id)
    await polled(2)
    await finishJobs(world.database, [{ lease: job.lease, resultText: '{"n":1}', note: null }])
    const ended = await waiting
    expect(ended).toMatchObject({ id: job.id, status: 'succeeded', result: { n: 1 } })
    expect(await queue.waitFor(job.id)).toEqual(ended)

    const cancelled = await enqueueProbe(world)
    const first = queue.waitFor(cancelled)
    const second = queue.waitFor(cancelled.id)
    await queue.cancel(cancelled.id)
    expect(await Promise.all([first, second])).toMatchObject([
      { status: 'cancelled' },
      { status: 'cancelled' },
    ])
  })

  test('resolves at once, without a statement, with a job that the caller knows to have ended', async () => {
    const { id } = await enqueueProbe(world)
    await queue.cancel(id)
    const job = await queue.waitFor(id)
    const { waits, sent } = countedWaits()
    expect(await waits.waitFor(job)).toBe(job)
    expect(sent).toEqual([])
  })

  test('rejects after timeoutMs with the state of the job, which goes on', async () => {
    const { id } = await enqueueProbe(world)
    const error: unknown = await queue.waitFor(id, { timeoutMs: 700 }).catch((e: unknown) => e)
    expect(error).toBeInstanceOf(WaitTimeoutError)
    expect(error).toMatchObject({ name: 'WaitTimeoutError', jobId: id, job: { id, status: 'queued' } })
    expect(String(error)).toContain(`job ${id} did not end within 700 ms; its last known status is queued`)
    expect(await queue.get(id)).toMatchObject({ status: 'queued' })
  })

  test('rejects after timeoutMs also while the database does not answer', async () => {
    const waits = createEndWaits(seen(() => new Promise<never>(() => undefined)))
    const waiting = waits.waitFor(unknownId, { timeoutMs: 20 })
    await expect(waiting).rejects.toMatchObject({ name: 'WaitTimeoutError', job: undefined })
  })

  test('rejects with the reason of its signal, before and during the wait', async () => {
    const { id } = await enqueueProbe(world)
    const controller = new AbortController()
    const reason = new Error('enough')
    const waiting = queue.waitFor(id, { signal: controller.signal }).catch((e: unknown) => e)
    controller.abort(reason)
    expect(await waiting).toBe(reason)
    await expect(queue.waitFor(id, { signal: controller.signal })).rejects.toBe(reason)
  })

  test.each(['no id', unknownId])('rejects where there is no such job: %s', async (id) => {
    await expect(queue.waitFor(id)).rejects.toMatchObject({ code: 'job_not_found' })
  })

  test('finds a job by its id in upper case, as get does', async () => {
    const { id } = await enqueueProbe(world)
    const waiting = queue.waitFor(id.toUpperCase())
    await queue.cancel(id)
    expect(await waiting).toEqual(await queue.get(id.toUpperCase()))
  })

  test.each<[string, unknown]>([
    ['an object without an id', {}],
    ['a status alone', { status: 'succeeded' }],
    ['an id that is no text', { id: { toString: () => unknownId }, status: 'queued' }],
    ['an id that cannot be read', { id: revoked(), status: 'queued' }],
    ['an object that cannot be read', revoked()],
    [
      'members that throw',
      new Proxy(
        {},
        {
          get: () => {
            throw new Error('no')
          },
        },
      ),
    ],
    ['a number', 1],
    ['nothing', undefined],
  ])('refuses what is no job: %s', async (_what, job) => {
    for (const waits of [queue, scopeQueue(queue, { queues: ['default'] })]) {
      await expect(waits.waitFor(job as string)).rejects.toMatchObject({
        code: 'invalid_options',
        message: expect.stringContaining('job must be a text or a'),
      })
    }
  })

  test('rejects when the job is deleted', async () => {
    const { id } = await enqueueProbe(world)
    const { waits, polled } = countedWaits()
    const waiting = waits.waitFor(id).catch((e: unknown) => e)
    await polled()
    await world.sql('DELETE FROM queue.jobs')
    expect(await waiting).toMatchObject({ code: 'job_not_found' })
  })

  test('goes on where the job is requeued, also between the reads of its state and of its document', async () => {
    const { id } = await enqueueProbe(world)
    await queue.cancel(id)
    let requeues = 0
    const waits = createEndWaits(
      seen(async (text) => {
        if (!text.includes('finished_at IS NOT NULL') || requeues > 0) return
        requeues += 1
        await queue.requeue(id)
      }),
    )
    let ended = false
    const waiting = waits.waitFor(id).finally(() => (ended = true))
    await until('the job is requeued', async () => (await queue.get(id))?.status === 'queued')
    expect([requeues, ended]).toEqual([1, false])
    await queue.cancel(id)
    expect(await waiting).toEqual(await queue.get(id))
  })

  test('survives polls without an answer, up to a number in a row', async () => {
    const { id } = await enqueueProbe(world)
    const outage = new QueueError('database_unavailable', 'no answer')
    let failuresLeft = waitFailuresMax
    const waits = createEndWaits(
      seen(() => {
        failuresLeft -= 1
        if (failuresLeft >= 0) throw outage
      }),
    )
    const waiting = waits.waitFor(id)
    await queue.cancel(id)
    expect(await waiting).toMatchObject({ status: 'cancelled' })
    failuresLeft = Infinity
    await expect(waits.waitFor(id)).rejects.toBe(outage)
  })

  test('rejects at once with any other error', async () => {
    const refusal = new QueueError('refused', 'no privilege')
    const waits = createEndWaits(
      seen(() => {
        throw refusal
      }),
    )
    await expect(waits.waitFor(unknownId)).rejects.toBe(refusal)
  })

  test.each<[string, unknown]>([
    ['timeoutMs', { timeoutMs: Number.NaN }],
    ['timeoutMs', { timeoutMs: -1 }],
    ['signal', { signal: 'x' }],
    ['timeoutMs', { timeout: 1 }],
  ])('refuses other options, and names %s', async (name, options) => {
    const refused = queue.waitFor(unknownId, options as object)
    await expect(refused).rejects.toMatchObject({
      code: 'invalid_options',
      message: expect.stringContaining(name),
    })
  })
})

describe('a thousand waits at once', () => {
  test('share their statements, and hold no connection', async () => {
    const pool = new pg.Pool({ connectionString: world.url, max: 1 })
    pool.on('error', () => undefined)
    let statements = 0
    pool.on('connect', (client) => {
      const query = client.query.bind(client) as (...args: unknown[]) => unknown
      client.query = ((...args: unknown[]) => {
        statements += 1
        return query(...args)
      }) as typeof client.query
    })
    const own = createQueue({ pool })
    const jobs = await enqueueProbes(world, 1_000)
    await own.get(unknownId)
    statements = 0
    const waiting = Promise.all(jobs.map(({ id }) => own.waitFor(id)))
    await until('three polls', async () => statements >= 3)
    expect(await own.get(jobs[0]?.id ?? '')).toMatchObject({ status: 'queued' })
    expect(await queue.many.cancel({ queue: 'default' })).toMatchObject({ outcome: 'done' })
    const ended = await waiting
    expect(ended.map(({ id }) => id)).toEqual(jobs.map(({ id }) => id))
    expect(new Set(ended.map(({ status }) => status))).toEqual(new Set(['cancelled']))
    // Twenty of them read fifty documents each.
    expect(statements).toBeLessThan(40)
    expect(pool.idleCount).toBe(pool.totalCount)
    await own.close()
    await pool.end()
  })

  test('end when the queue is closed', async () => {
    const pool = new pg.Pool({ connectionString: world.url })
    pool.on('error', () => undefined)
    const own = createQueue({ pool })
    const [job] = await enqueueProbes(world, 1)
    const waits = Array.from({ length: 1_000 }, () => own.waitFor(job?.id ?? ''))
    const settled = Promise.allSettled(waits)
    await own.close()
    const reasons = (await settled).map((wait) => (wait.status === 'rejected' ? wait.reason.code : 'none'))
    expect(new Set(reasons)).toEqual(new Set(['database_unavailable']))
    await expect(own.waitFor(job?.id ?? '')).rejects.toMatchObject({ code: 'database_unavailable' })
    await pool.end()
  })
})
