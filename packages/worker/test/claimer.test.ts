import { randomBytes } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { limits } from '@queue/core'
import { databaseOf } from '@queue/core/internal'
import { eventually, insertJob, insertWorker } from '@queue/test-database'
import pg from 'pg'
import { type ClaimerOptions, createClaimer } from '../src/claimer.ts'
import { workerSettingsSchema } from '../src/options.ts'
import { createTracer } from '../src/tracing.ts'
import { testJob, useWorld } from './support/world.ts'

const world = useWorld()

function claimerOptions(): ClaimerOptions {
  return {
    database: databaseOf(world.database.queue),
    reporting: {
      logger: world.logger,
      observer: world.observer,
      tracer: createTracer(undefined, world.logger),
    },
    settings: { queues: ['default'], queryTimeoutMs: 10_000 },
    kinds: ['test_job'],
    counter: { claimed: () => undefined },
    nowMs: () => performance.now(),
    slowClaims: { observe: () => undefined },
    onLeaseLost: () => undefined,
    onFailed: () => undefined,
  }
}

test('a job whose transaction committed later than the slack is passed over until the first claim after 8 s, and so waits at most 10 s', async () => {
  let nowMs = 0
  const claimer = createClaimer({ ...claimerOptions(), nowMs: () => nowMs })
  const workerId = await insertWorker(world.database)
  const claimAt = async (atMs: number): Promise<string[]> => {
    nowMs = atMs
    const claimed = await claimer.claim({ workerId, limit: 10, eligible: 'any' })
    return (claimed?.jobs ?? []).map((job) => job.id)
  }
  expect(await claimAt(0)).toEqual([])
  // It was enqueued before that scan, in a transaction that stayed open long after it, so its run_at is earlier than the scan.
  const { id } = await insertJob(world.database, { runAt: { msFromNow: -60_000 } })
  expect(await claimAt(7_999)).toEqual([])
  expect(await claimAt(8_000)).toEqual([id])
  expect(workerSettingsSchema.parse({}).maxPollIntervalMs).toBeLessThanOrEqual(10_000 - 8_000)
})

test('a claim that got no answer in time asks for half as much the next time, down to one job, and then for more again', async () => {
  let queryTimeoutMs = 0
  const claimer = createClaimer({
    ...claimerOptions(),
    settings: {
      queues: ['default'],
      get queryTimeoutMs() {
        return queryTimeoutMs
      },
    },
  })
  await world.database.queue.enqueueMany(Array.from({ length: 30 }, () => testJob.create({})))
  const workerId = await insertWorker(world.database)
  const claim = async (): Promise<number | undefined> =>
    (await claimer.claim({ workerId, limit: 8, eligible: 'any' }))?.jobs.length
  for (let late = 0; late < 5; late += 1) expect(await claim()).toBeUndefined()
  queryTimeoutMs = 10_000
  expect([await claim(), await claim(), await claim(), await claim(), await claim()]).toEqual([1, 2, 4, 8, 8])
})

test('a claim brings as many jobs as it was asked for, and payloads of 16 MiB with them at most', async () => {
  const payload = { noise: randomBytes(50_000).toString('hex') }
  const jobs = 300
  await world.database.queue.enqueueMany(Array.from({ length: jobs }, () => testJob.create(payload)))
  const workerId = await insertWorker(world.database)
  const claimer = createClaimer(claimerOptions())
  const many = await claimer.claim({ workerId, limit: jobs - 10, eligible: 'any' })
  expect(many).toMatchObject({ jobs: { length: jobs - 10 } })
  expect(many?.payloadLength).toBeLessThanOrEqual(limits.claimPayloadBytesMax)
  const few = await claimer.claim({ workerId, limit: 10, eligible: 'any' })
  expect(few?.jobs.map((job) => job.payload)).toEqual(Array.from({ length: 10 }, () => payload))
})

test('a claim that takes a second is noted in the registry, and its log says that it was late if it got no answer', async () => {
  const holder = new pg.Client({ connectionString: world.database.directUrl })
  await holder.connect()
  await holder.query('BEGIN; LOCK TABLE queue.jobs')
  const worker = await world.work(() => undefined, { statsIntervalMs: 10, queryTimeoutMs: 1_000 })
  await eventually(() => world.logger.lines.some(({ message }) => message.startsWith('a claim failed')))
  const line = world.logger.lines.find(({ message }) => message.startsWith('a claim failed'))
  expect(line?.fields['error']).toMatchObject({
    code: 'database_unavailable',
    message: 'the database did not answer a statement in time',
  })
  await holder.query('COMMIT')
  await holder.end()
  const noted = async () => {
    const { rows } = await world.database.pool.query(
      'SELECT slow_claim_ms FROM queue.workers WHERE id = $1 AND slow_claim_at <= now()',
      [worker.id],
    )
    return rows[0]?.slow_claim_ms
  }
  await eventually(async () => ((await noted()) ?? 0) >= 1_000)
})
