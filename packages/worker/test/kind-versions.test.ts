import { describe, expect, test } from '@jest/globals'
import { defineJob, upgradeFrom } from '@queue/core'
import { handle, handleBatch } from '@queue/executor'
import { eventually } from '@queue/test-database'
import { z } from 'zod'
import type { Worker } from '../src/index.ts'
import { useWorld } from './support/world.ts'

const world = useWorld()

const first = z.strictObject({ name: z.string() })
const second = z.strictObject({ first_name: z.string(), last_name: z.string() })

const oldGreet = defineJob({ kind: 'greet', payload: first })
const newGreet = defineJob({
  kind: 'greet',
  version: 2,
  payload: second,
  upgrade: { 1: upgradeFrom(first, ({ name }) => ({ first_name: name, last_name: 'Lovelace' })) },
})

const oldRelease = [handle(oldGreet, ({ payload }) => `old: ${payload.name}`)]
const newRelease = [handle(newGreet, ({ payload }) => `new: ${payload.first_name} ${payload.last_name}`)]
const ada = { first_name: 'Ada', last_name: 'King' }

async function start(handlers: typeof oldRelease): Promise<Worker> {
  const worker = world.create({ handlers })
  await worker.start()
  return worker
}

const resultsBy = async (): Promise<unknown[]> => {
  const { rows } = await world.database.pool.query(
    'SELECT coalesce(kind_version, 1) AS version, status, attempts, result FROM queue.all_jobs ORDER BY id',
  )
  return rows.map((row) => [row.version, row.status, row.attempts, row.result])
}

describe('a rolling deployment of a new version of a kind', () => {
  test('with the enqueuers first: the new jobs wait for the new workers, uncharged', async () => {
    const { queue } = world.database
    await start(oldRelease)
    await queue.enqueue(newGreet, ada)
    const { job } = await queue.enqueue(oldGreet, { name: 'Ada' })
    await world.reached(job.id, 'succeeded')
    expect(await resultsBy()).toEqual([
      [2, 'queued', 0, null],
      [1, 'succeeded', 1, 'old: Ada'],
    ])
    await start(newRelease)
    await eventually(async () => (await queue.list({ status: 'succeeded' })).jobs.length === 2)
    expect((await resultsBy())[0]).toEqual([2, 'succeeded', 1, 'new: Ada King'])
  })

  test('with the workers first: they take the old jobs by their upgrade step', async () => {
    const { queue } = world.database
    await start(newRelease)
    await queue.enqueue(oldGreet, { name: 'Ada' })
    await queue.enqueue(newGreet, ada)
    await eventually(async () => (await queue.list({ status: 'succeeded' })).jobs.length === 2)
    expect(await resultsBy()).toEqual([
      [1, 'succeeded', 1, 'new: Ada Lovelace'],
      [2, 'succeeded', 1, 'new: Ada King'],
    ])
  })

  const seconds = 2 * Number(process.env['QUEUE_TEST_SCALE'] ?? 1)
  const loadMs = seconds * 1_000
  test(
    `with both side by side under load: no attempt is burnt and no job is lost`,
    async () => {
      const { queue, pool } = world.database
      await Promise.all([start(oldRelease), start(newRelease), start(oldRelease)])
      const endAtMs = Date.now() + loadMs
      let enqueued = 0
      while (Date.now() < endAtMs) {
        const jobs = Array.from({ length: 50 }, (_, n) =>
          n % 2 === 0 ? oldGreet.create({ name: 'Ada' }) : newGreet.create(ada),
        )
        enqueued += (await queue.enqueueMany(jobs)).length
      }
      const counted = async () => {
        const { rows } = await pool.query(
          `SELECT count(*)::int AS jobs, count(*) FILTER (WHERE status = 'succeeded' AND attempts = 1)::int AS once,
                  count(*) FILTER (WHERE kind_version = 2 AND result::text LIKE '"old%')::int AS wrong,
                  count(*) FILTER (WHERE status IN ('queued', 'retrying', 'running'))::int AS live
             FROM queue.all_jobs`,
        )
        return rows[0]
      }
      await eventually(async () => (await counted()).live === 0, { deadlineMs: 240_000 + 5 * loadMs })
      expect(await counted()).toEqual({ jobs: enqueued, once: enqueued, wrong: 0, live: 0 })
    },
    300_000 + 6 * loadMs,
  )
})

describe('a worker', () => {
  test('also claims jobs with an old name of its kind', async () => {
    const renamed = defineJob({ kind: 'welcome', payload: first, aliases: ['greet'] })
    await start([handle(renamed, ({ payload, kind }) => `${kind}: ${payload.name}`)] as never)
    const { job } = await world.database.queue.enqueue(oldGreet, { name: 'Ada' })
    expect((await world.reached(job.id, 'succeeded')).result).toBe('greet: Ada')
  })

  test('registers the kinds of its handlers with the versions that it runs', async () => {
    const worker = await start(newRelease)
    const { queue } = world.database
    const [info] = (await queue.workers()).filter(({ id }) => id === worker.id)
    expect(info?.kinds).toEqual(['greet/2', 'greet'])
    expect((await queue.kinds.list('greet')).map(({ version }) => version)).toEqual([1, 2])
    expect(Object.fromEntries(await queue.kinds.countWorkers('greet', [1, 2, 3]))).toEqual({
      1: 1,
      2: 1,
      3: 0,
    })
  })

  test('continues if its payload schema is refused, and logs the version under which it can be registered', async () => {
    const { queue } = world.database
    await queue.register([oldGreet], { changes: 'replace', restore: true })
    await queue.enqueue(oldGreet, { name: 'Ada' }, { delayMs: 60_000 })
    const changed = defineJob({
      kind: 'greet',
      payload: z.strictObject({ name: z.string(), title: z.string() }),
    })
    const worker = world.create({ handlers: [handle(changed, () => 'ok')] }, { kindChanges: 'refuse' })
    await worker.start()
    expect(world.logger.lines.map(({ message }) => message).join('\n')).toMatch(
      /not registered: jobs of greet, version 1.*register this one as version 3/,
    )
    const { job } = await queue.enqueue(changed, { name: 'Ada', title: 'Lady' })
    await world.reached(job.id, 'succeeded')
  })

  test.each([1, 2])(
    'whose payload schema is refused puts off the jobs that do not fit it, uncharged, in batches of %i',
    async (size) => {
      const { queue } = world.database
      await queue.register([oldGreet], { changes: 'replace', restore: true })
      const { job } = await queue.enqueue(oldGreet, { name: 'Ada' }, { maxAttempts: 1 })
      const changed = defineJob({ kind: 'greet', payload: z.strictObject({ title: z.string() }) })
      const handler =
        size === 1 ? handle(changed, () => 'new') : handleBatch(changed, { size, waitMs: 1 }, () => ['new'])
      const worker = world.create({ handlers: [handler] }, { kindChanges: 'refuse' })
      await worker.start()
      expect(await world.reached(job.id, 'retrying')).toMatchObject({
        attempts: 0,
        lastError: expect.stringMatching(/greet, version 1.*registration.*refused.*payload\.title/s),
      })
      expect(await world.history(job.id)).toEqual(['snoozed'])
      expect(await queue.why(job.id)).toMatchObject({
        reasons: [
          { code: 'not_due', blocking: true },
          {
            code: 'schema_refused',
            blocking: false,
            message: expect.stringContaining('does not fit'),
            details: { kind: 'greet', version: 1 },
          },
        ],
      })
      await worker.stop()
      await start(oldRelease)
      await world.makeDue(job.id)
      expect(await world.reached(job.id, 'succeeded')).toMatchObject({ attempts: 1, result: 'old: Ada' })
    },
  )
})
