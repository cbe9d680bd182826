import { afterAll, beforeEach, describe, expect, test } from '@jest/globals'
import { expireLease, makeDue, untilSomeoneWaitsFor } from '@queue/dev-postgres'
import pg from 'pg'
import { ClaimMemory } from '../../src/claims/claim-memory.ts'
import { createQueue } from '../../src/facade/queue.ts'
import { claimJobs } from '../../src/transitions/claim-jobs.ts'
import { recoverJobs } from '../../src/transitions/recover-jobs.ts'
import { renewWorkerLease } from '../../src/workers/renew-worker-lease.ts'
import { stopWorker } from '../../src/workers/stop-worker.ts'
import {
  type ClaimOverrides,
  claim,
  enqueueProbe,
  enqueueProbes,
  newWorker,
  patient,
  probe,
  rowOf,
  rowsOf,
} from '../support/builders.ts'
import { openWorld, within } from '../support/world.ts'
import { databaseOf } from '../../src/enqueue/queue-internals.ts'

const world = await openWorld()
afterAll(() => world.close())
beforeEach(() => world.reset())

const { database } = world
const idsOf = (jobs: readonly { readonly id: string }[]): string[] => jobs.map((job) => job.id)

/** Inserts a ready job without the facade, so that a test can set what no option can. */
async function insertReadyJob(columns: Record<string, string | number | null>): Promise<string> {
  const id = `01900000-0000-7000-8000-${String(Math.floor(Math.random() * 1e12)).padStart(12, '0')}`
  const row = { id, kind: 'probe', payload: '{}', ...columns }
  const parameters = Object.keys(row).map((_, index) => `$${index + 1}`)
  await world.sql(
    `INSERT INTO queue.jobs (${Object.keys(row).join(', ')}) VALUES (${parameters.join(', ')})`,
    Object.values(row),
  )
  return id
}

describe('the order of claims', () => {
  test('is priority, then due time, then id', async () => {
    const planted: { id: string; priority: number; age: number }[] = []
    for (const priority of [9, 0, 4]) {
      for (const age of [1, 3, 2]) {
        const id = await insertReadyJob({
          priority,
          run_at: new Date(Date.now() - age * 60_000).toISOString(),
        })
        planted.push({ id, priority, age })
      }
    }
    const sameInstant = new Date(Date.now() - 3_600_000).toISOString()
    const twins = [
      await insertReadyJob({ run_at: sameInstant, priority: 0 }),
      await insertReadyJob({ run_at: sameInstant, priority: 0 }),
    ]
    const expected = [
      ...twins.toSorted((a, b) => (a < b ? -1 : 1)),
      ...idsOf(planted.toSorted((a, b) => a.priority - b.priority || b.age - a.age)),
    ]
    const workerId = await newWorker(world)
    const together = await claim(world, workerId)
    expect(idsOf(together)).toEqual(expected)
  })

  test('is the same across claims of one job', async () => {
    const jobs = []
    for (const priority of [5, 1, 9, 0, 4]) jobs.push(await enqueueProbe(world, { priority }))
    const workerId = await newWorker(world)
    const claimed = []
    for (const _ of jobs) claimed.push(...(await claim(world, workerId, { limit: 1 })))
    expect(claimed.map((job) => job.priority)).toEqual([0, 1, 4, 5, 9])
  })

  test('among the queues of one priority is the order in which the worker names them', async () => {
    const workerId = await newWorker(world, { queues: ['a', 'b'] })
    const inA = await enqueueProbe(world, { queue: 'a' })
    const inB = await enqueueProbe(world, { queue: 'b' })
    const urgentInB = await enqueueProbe(world, { queue: 'b', priority: 0 })
    const first = await claim(world, workerId, { queues: ['b', 'a'], limit: 2 })
    expect(new Set(idsOf(first))).toEqual(new Set([urgentInB.id, inB.id]))
    expect(idsOf(await claim(world, workerId, { queues: ['b', 'a'] }))).toEqual([inA.id])
  })

  test('shares one claim between queues: an older backlog of one leaves the other its share', async () => {
    const queues = ['a', 'b']
    const workerId = await newWorker(world, { queues })
    await enqueueProbes(world, 20, { queue: 'a' })
    await enqueueProbes(world, 20, { queue: 'b' })
    const claimed = await claim(world, workerId, { queues, limit: 12 })
    expect(claimed.map((job) => job.queue).join('')).toBe('abababababab')
    expect(claimed.filter(({ queue }) => queue === 'b').map((job) => job.payload)).toEqual(
      Array.from({ length: 6 }, (_, n) => ({ n })),
    )
  })
})

describe('a claim takes only', () => {
  test('kinds that the worker can run', async () => {
    await insertReadyJob({ kind: 'other' })
    const runnableJob = await enqueueProbe(world)
    const workerId = await newWorker(world)
    expect(await claim(world, workerId, { kinds: [] })).toEqual([])
    expect(idsOf(await claim(world, workerId))).toEqual([runnableJob.id])
  })

  test('jobs of the queues that it names, if they are registered', async () => {
    const workerId = await newWorker(world, { queues: ['mail'] })
    const mail = await enqueueProbe(world, { queue: 'mail' })
    await enqueueProbe(world, { queue: 'default' })
    await enqueueProbe(world, { queue: 'nobody' })
    expect(idsOf(await claim(world, workerId, { queues: ['mail', 'nobody'] }))).toEqual([mail.id])
    expect(await claim(world, workerId, { queues: [] })).toEqual([])
  })

  test('jobs of queues that are not paused', async () => {
    const workerId = await newWorker(world, { queues: ['mail'] })
    const mail = await enqueueProbe(world, { queue: 'mail' })
    await enqueueProbe(world)
    await world.queue.pause('default')
    expect(idsOf(await claim(world, workerId, { queues: ['default', 'mail'] }))).toEqual([mail.id])
    await world.queue.resume('default')
    expect(await claim(world, workerId)).toHaveLength(1)
  })

  test('jobs of queues that are registered and not paused, also with many queues', async () => {
    const queues = Array.from({ length: 50 }, (_, n) => `many-${n}`)
    const workerId = await newWorker(world, { queues: queues.slice(0, 40) })
    await world.queue.enqueueMany(queues.map((queue) => probe.create({}, { queue })))
    await world.queue.pause('many-7')
    const claimed = await claim(world, workerId, { queues })
    const open = queues.slice(0, 40).filter((queue) => queue !== 'many-7')
    expect(claimed.map((job) => job.queue).toSorted(byText)).toEqual(open.toSorted(byText))
  })

  test('jobs that are due', async () => {
    const delayedJob = await enqueueProbe(world, { delayMs: 60_000 })
    const workerId = await newWorker(world)
    expect(await claim(world, workerId)).toEqual([])
    await makeDue(world)
    expect(idsOf(await claim(world, workerId))).toEqual([delayedJob.id])
  })

  test('waiting jobs: no job that runs or has ended', async () => {
    const workerId = await newWorker(world)
    for (const status of ['succeeded', 'failed_permanent', 'cancelled']) {
      await insertReadyJob({ status, finished_at: new Date().toISOString() })
    }
    await enqueueProbe(world)
    expect(await claim(world, workerId)).toHaveLength(1)
    expect(await claim(world, workerId)).toEqual([])
  })

  test('as many jobs as it asks for, and locks no others: a second worker gets the rest', async () => {
    await enqueueProbes(world, 20)
    const session = await world.session()
    await session.query('BEGIN')
    const first = await claim({ database: within(session) }, await newWorker(world), { limit: 5 })
    const second = await claim(world, await newWorker(world), { limit: 100 })
    await session.query('COMMIT')
    expect([first.length, second.length]).toEqual([5, 15])
    expect(new Set(idsOf([...first, ...second])).size).toBe(20)
  })

  test('as many jobs as it asks for, also over many queues and priorities with enough jobs each', async () => {
    const queues = ['a', 'b', 'c']
    const workerId = await newWorker(world, { queues })
    const requests = queues.flatMap((queue) =>
      Array.from({ length: 20 }, (_, n) => probe.create({ n }, { queue, priority: n % 10 })),
    )
    await world.queue.enqueueMany(requests)
    const session = await world.session()
    await session.query('BEGIN')
    expect(await claim({ database: within(session) }, workerId, { queues, limit: 7 })).toHaveLength(7)
    expect(await claim(world, workerId, { queues, limit: 100 })).toHaveLength(53)
    await session.query('COMMIT')
  })
})

describe('two claimers at once', () => {
  test('get disjoint sets that together are everything, whatever their number', async () => {
    const jobs = await enqueueProbes(world, 400)
    const workers = await Promise.all(Array.from({ length: 8 }, () => newWorker(world)))
    const claimed = await Promise.all(
      workers.map(async (workerId) => {
        const ids: string[] = []
        for (let got = -1; got !== 0; ) {
          const batch = await claim(world, workerId, { limit: 7 })
          ids.push(...idsOf(batch))
          got = batch.length
        }
        return ids
      }),
    )
    const allIds = claimed.flat()
    expect(allIds.toSorted(byText)).toEqual(idsOf(jobs).toSorted(byText))
    const rows = await rowsOf(world, allIds)
    expect(rows.every((row) => row.attempts === 1 && row.lease_token === 1)).toBe(true)
    for (const [index, ids] of claimed.entries()) {
      expect((await rowsOf(world, ids)).every((row) => row.locked_by === workers[index])).toBe(true)
    }
  })

  test('a row that another transaction has locked is skipped without waiting', async () => {
    const [locked, free] = idsOf(await enqueueProbes(world, 2))
    const session = await world.session()
    await session.query('BEGIN')
    await session.query('SELECT FROM queue.jobs WHERE id = $1 FOR UPDATE', [locked])
    expect(idsOf(await claim(world, await newWorker(world)))).toEqual([free])
    await session.query('COMMIT')
  })

  test('a job that was claimed and finished since the claim began is not claimed again', async () => {
    const [job] = await enqueueProbes(world, 1)
    const workerId = await newWorker(world)
    const slow = await world.session()
    await slow.query('BEGIN')
    // The claim has its snapshot, in which the job still waits, and waits for the lock on the queue's row.
    await slow.query('SELECT FROM queue.queues FOR UPDATE')
    const lateClaim = claim(world, workerId)
    await untilSomeoneWaitsFor(slow, await world.session())
    await slow.query(
      `UPDATE queue.jobs SET status = 'succeeded', finished_at = now(), attempts = 1, lease_token = 1 WHERE id = $1`,
      [job?.id],
    )
    await slow.query('COMMIT')
    expect(await lateClaim).toEqual([])
  })
})

describe('no row can make the claim fail for the others', () => {
  test('a waiting job without attempts left is skipped', async () => {
    await insertReadyJob({
      status: 'retrying',
      attempts: 3,
      max_attempts: 3,
      priority: 0,
      run_at: new Date(0).toISOString(),
    })
    const jobs = await enqueueProbes(world, 3)
    const claimed = await claim(world, await newWorker(world))
    expect(new Set(idsOf(claimed))).toEqual(new Set(idsOf(jobs)))
  })

  test('many such jobs at the head do not use up the limit either', async () => {
    await world.sql(
      `INSERT INTO queue.jobs (id, kind, payload, status, attempts, max_attempts, run_at)
       SELECT gen_random_uuid(), 'probe', '{}', 'retrying', 1, 1, now() - interval '1 day' FROM generate_series(1, 50)`,
    )
    const job = await enqueueProbe(world)
    expect(idsOf(await claim(world, await newWorker(world), { limit: 1 }))).toEqual([job.id])
  })

  test('a job with an unknown retry policy runs under the default', async () => {
    await insertReadyJob({ retry_policy: '{"type":"from the future"}' })
    await insertReadyJob({ retry_policy: '"text"' })
    const claimed = await claim(world, await newWorker(world))
    expect(claimed.map((job) => job.retryPolicy)).toEqual([null, null])
  })
})

describe('a worker without a lease claims nothing, and charges no attempt', () => {
  async function claimOnce(
    workerId: string,
  ): Promise<{ readonly jobs: number; readonly leaseLost: boolean }> {
    await enqueueProbe(world)
    const scope = {
      memory: new ClaimMemory(['default']),
      kinds: ['probe'],
      limit: 1,
      eligible: 'any',
      ...patient,
    } as const
    const { jobs, leaseLost } = await claimJobs(database, { workerId, ...scope })
    const [sums] = await world.sql('SELECT sum(attempts)::int AS attempts FROM queue.all_jobs')
    expect(sums).toEqual({ attempts: jobs.length })
    return { jobs: jobs.length, leaseLost }
  }

  test('when it was marked lost', async () => {
    const workerId = await newWorker(world)
    await expireLease(world, workerId)
    await recoverJobs(database)
    expect(await claimOnce(workerId)).toEqual({ jobs: 0, leaseLost: true })
  })

  test('when it has stopped', async () => {
    const workerId = await newWorker(world)
    await stopWorker(database, workerId)
    expect(await claimOnce(workerId)).toEqual({ jobs: 0, leaseLost: true })
  })

  test('when it was never registered', async () => {
    expect(await claimOnce('nobody')).toEqual({ jobs: 0, leaseLost: true })
  })

  test('while its lease is expired, although it is not marked lost; after a renewal it claims again', async () => {
    const workerId = await newWorker(world)
    await expireLease(world, workerId)
    expect(await claimOnce(workerId)).toEqual({ jobs: 0, leaseLost: false })
    const { text, values } = renewWorkerLease(database, { id: workerId, leaseMs: 30_000 })
    await database.pool.query(text, values)
    expect(await claimOnce(workerId)).toEqual({ jobs: 1, leaseLost: false })
  })
})

describe('a claim that its caller has given up takes nothing', () => {
  /** A claim that its caller has given up by the time it is seen to wait. */
  const givenUp = { answerWithinMs: 1, clock: { nowMs: () => undefined } } as const

  const lockRow = (name: string): string => `SELECT FROM queue.queues WHERE name = '${name}' FOR UPDATE`
  const lockTable = (table: string): string => `LOCK TABLE queue.${table} IN ACCESS EXCLUSIVE MODE`

  /** Claims while another session holds `lock`; once the claim waits, that session runs `heldStatement` and commits. */
  async function claimBehindLock(
    lock: string,
    overrides: ClaimOverrides,
    heldStatement = 'SELECT pg_sleep(0.01)',
  ) {
    const workerId = await newWorker(world, { queues: ['a', 'b'] })
    for (const queue of ['a', 'b']) await enqueueProbe(world, { queue })
    const holder = await world.session()
    await holder.query('BEGIN')
    await holder.query(lock)
    const claiming = claim(world, workerId, { queues: ['a', 'b'], ...overrides })
    await untilSomeoneWaitsFor(holder, await world.session())
    await holder.query(heldStatement)
    const [{ now: releasedAt } = { now: '' }] = await world.sql<{ now: string }>(
      'SELECT clock_timestamp()::text AS now',
    )
    await holder.query('COMMIT')
    return { jobs: await claiming, letGoAt: releasedAt }
  }

  async function expectNothingClaimed(): Promise<void> {
    const states = await world.sql('SELECT DISTINCT status, attempts, lease_token::int FROM queue.all_jobs')
    expect(states).toEqual([{ status: 'queued', attempts: 0, lease_token: 0 }])
  }

  test.each([
    ['the row of its only queue', lockRow('a'), ['a']],
    ['the row of the last of its queues, with the first one in hand', lockRow('b'), ['a', 'b']],
    ['the table of the queues', lockTable('queues'), ['a', 'b']],
    ['the table of the jobs', lockTable('jobs'), ['a', 'b']],
    ['the table of the workers', lockTable('workers'), ['a', 'b']],
  ])('behind a lock on %s', async (...[, lock, queues]) => {
    const { jobs } = await claimBehindLock(lock, { ...givenUp, queues })
    expect(jobs).toEqual([])
    await expectNothingClaimed()
  })

  test('on its way to the database, by the clock that the caller has read before', async () => {
    const workerId = await newWorker(world)
    await enqueueProbe(world)
    const [{ ms } = { ms: 0 }] = await world.sql<{ ms: number }>(
      'SELECT extract(epoch FROM now())::float8 * 1000 AS ms',
    )
    const sent = (agoMs: number) => ({ answerWithinMs: 10_000, clock: { nowMs: () => ms - agoMs } })
    expect(await claim(world, workerId, sent(9_500))).toEqual([])
    await expectNothingClaimed()
    expect(await claim(world, workerId, sent(1_000))).toHaveLength(1)
  })

  test('and its time does not start while it waits for a connection of the pool', async () => {
    const pool = new pg.Pool({ connectionString: world.url, max: 1 })
    const queue = createQueue({ pool })
    try {
      const workerId = await newWorker(world)
      let readings = 0
      const clock = { nowMs: () => void (readings += 1) }
      const heldConnection = await pool.connect()
      const claiming = claim({ database: databaseOf(queue) }, workerId, { ...patient, clock })
      await new Promise((resolve) => setImmediate(resolve))
      expect({ readings, waiting: pool.waitingCount }).toEqual({ readings: 0, waiting: 1 })
      heldConnection.release()
      await claiming
      expect(readings).toBe(1)
    } finally {
      await queue.close()
      await pool.end()
    }
  })

  test('although its caller believes the database to be an hour ahead: the time counts from its arrival at the latest', async () => {
    const clock = { nowMs: () => Date.now() + 3_600_000 }
    const { jobs } = await claimBehindLock(lockTable('queues'), { answerWithinMs: 1, clock })
    expect(jobs).toEqual([])
    await expectNothingClaimed()
  })

  test('and says so, and reports nothing about queues that it did not scan', async () => {
    const workerId = await newWorker(world)
    const memory = new ClaimMemory(['default'])
    const scope = { memory, kinds: ['probe'], limit: 1, eligible: 'any' } as const
    const { positions } = memory.plan('any', 1)
    const answer = await claimJobs(database, { workerId, ...scope, ...givenUp, answerWithinMs: 0 })
    expect(answer).toMatchObject({ jobs: [], tooLate: true, leaseLost: false, more: false })
    expect(memory.plan('any', 1).positions).toBe(positions)
    const inTime = await claimJobs(database, { workerId, ...scope, ...patient })
    expect(inTime).toMatchObject({ tooLate: false })
  })

  test('nor does one whose lease has expired behind the lock', async () => {
    const expire = 'UPDATE queue.workers SET lease_expires_at = clock_timestamp()'
    const { jobs } = await claimBehindLock(lockTable('queues'), patient, expire)
    expect(jobs).toEqual([])
    await expectNothingClaimed()
  })

  test('and one that its caller still waits for takes the jobs, at the instant at which it claims them', async () => {
    const { jobs, letGoAt: releasedAt } = await claimBehindLock(lockRow('b'), patient)
    expect(jobs).toHaveLength(2)
    const [times] = await world.sql(
      `SELECT bool_and(locked_at >= $1 AND updated_at = locked_at) AS taken_then, count(DISTINCT locked_at)::int AS instants
         FROM queue.all_jobs`,
      [releasedAt],
    )
    expect(times).toEqual({ taken_then: true, instants: 1 })
  })
})

describe('a claimed job', () => {
  test('has everything that the runtime needs, exactly', async () => {
    const options = {
      tenantId: 'acme',
      timeoutMs: 500,
      maxAttempts: 7,
      priority: 2,
      retryPolicy: { type: 'fixed', baseMs: 5 },
      traceContext: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
      metadata: { order_id: 4711 },
    } as const
    const job = await enqueueProbe(world, { ...options, expiresAt: new Date(4e12) })
    const [claimed] = await claim(world, await newWorker(world))
    expect(claimed).toEqual({
      ...options,
      key: null,
      isCounted: false,
      kindVersion: 1,
      lease: { jobId: job.id, token: 1 },
      id: job.id,
      queue: 'default',
      kind: 'probe',
      payload: { n: 0 },
      attempt: 1,
      crashes: 0,
      sensitive: null,
      cancelRequested: false,
      runAt: job.runAt,
      waitUs: expect.any(Number),
      expiresAt: job.expiresAt,
      createdAt: job.createdAt,
      claimedAt: expect.any(Date),
      ctid: expect.stringMatching(/^\(\d+,\d+\)$/),
    })
    expect((await world.queue.get(job.id))?.lockedAt).toEqual(claimed?.claimedAt)
  })

  test.each([
    ['without a key', {}],
    ['with one', { key: 'k' }],
  ])('knows to the microsecond how long a job %s was due', async (_, options) => {
    await enqueueProbe(world, options)
    const [claimed] = await claim(world, await newWorker(world))
    const [row] = await world.sql<{ wait_us: number }>(
      'SELECT (extract(epoch FROM locked_at - run_at) * 1000000)::float8 AS wait_us FROM queue.all_jobs',
    )
    expect(claimed?.waitUs).toBe(row?.wait_us)
    expect(claimed?.runAt).toEqual((await world.queue.get(claimed?.id ?? ''))?.runAt)
  })
})

describe('a pause', () => {
  test('waits for the claims in flight: none commits after it has answered', async () => {
    const job = await enqueueProbe(world)
    const claimer = await world.session()
    await claimer.query('BEGIN')
    expect(await claim({ database: within(claimer) }, await newWorker(world))).toHaveLength(1)
    let answered = false
    const pausing = world.queue.pause('default').then(() => {
      answered = true
    })
    await untilSomeoneWaitsFor(claimer, await world.session())
    expect(answered).toBe(false)
    await claimer.query('COMMIT')
    await pausing
    expect(await rowOf(world, job.id)).toMatchObject({ status: 'running' })
  })

  test('in flight makes a claim wait, which then takes nothing', async () => {
    await enqueueProbe(world)
    const workerId = await newWorker(world)
    const pauser = await world.session()
    await pauser.query('BEGIN')
    await pauser.query(`UPDATE queue.queues SET paused_at = now() WHERE name = 'default'`)
    const claiming = claim(world, workerId)
    await untilSomeoneWaitsFor(pauser, await world.session())
    await pauser.query('COMMIT')
    expect(await claiming).toEqual([])
  })

  test('in flight that is rolled back makes a claim wait, which then takes the jobs', async () => {
    const job = await enqueueProbe(world)
    const workerId = await newWorker(world)
    const pauser = await world.session()
    await pauser.query('BEGIN')
    await pauser.query(`UPDATE queue.queues SET paused_at = now() WHERE name = 'default'`)
    const claiming = claim(world, workerId)
    await untilSomeoneWaitsFor(pauser, await world.session())
    await pauser.query(`UPDATE queue.queues SET paused_at = NULL WHERE name = 'default'`)
    await pauser.query('COMMIT')
    expect(idsOf(await claiming)).toEqual([job.id])
  })

  test('of an unregistered queue is refused, and pausing twice keeps the first instant', async () => {
    await expect(world.queue.pause('nowhere')).rejects.toMatchObject({ code: 'queue_not_found' })
    const first = await world.queue.pause('default')
    expect(await world.queue.pause('default')).toEqual(first)
    expect(await world.queue.resume('default')).toEqual({ name: 'default', pausedAt: null })
  })
})

test('a claim never charges more than one attempt for a queue that is named twice', async () => {
  await enqueueProbes(world, 3)
  const claimed = await claim(world, await newWorker(world), { queues: ['default', 'default'] })
  expect(claimed.map((job) => job.attempt)).toEqual([1, 1, 1])
})

test('a limit above the maximum counts as the maximum', async () => {
  const { jobs } = await claimJobs(database, {
    workerId: await newWorker(world),
    memory: new ClaimMemory(['default']),
    kinds: ['probe'],
    limit: 1_000_000_000,
    eligible: 'any',
    ...patient,
  })
  expect(jobs).toEqual([])
})

function byText(a: string, b: string): number {
  return a < b ? -1 : 1
}
