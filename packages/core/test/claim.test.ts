import { afterAll, beforeEach, describe, expect, test } from '@jest/globals'
import { expireLease, makeDue, untilSomeoneWaitsFor } from '@queue/dev-postgres'
import pg from 'pg'
import { createQueue } from '../src/queue.ts'
import { claimJobs } from '../src/transitions/claim-jobs.ts'
import { ClaimMemory } from '../src/claims/claim-memory.ts'
import { recoverJobs } from '../src/transitions/recover-jobs.ts'
import { renewWorkerLease } from '../src/workers/renew-worker-lease.ts'
import { stopWorker } from '../src/workers/stop-worker.ts'
import {
  type ClaimOverrides,
  claim,
  enqueueProbe,
  enqueueProbes,
  patient,
  probe,
  registered,
  rowOf,
  rowsOf,
} from './support/builders.ts'
import { openWorld, within } from './support/world.ts'

const world = await openWorld()
afterAll(() => world.close())
beforeEach(() => world.reset())

const { database } = world
const idsOf = (jobs: readonly { readonly id: string }[]): string[] => jobs.map((job) => job.id)

/** Ready jobs written without the facade, so that a test sets what no option can. */
async function plant(columns: Record<string, string | number | null>): Promise<string> {
  const id = `01900000-0000-7000-8000-${String(Math.floor(Math.random() * 1e12)).padStart(12, '0')}`
  const all = { id, kind: 'probe', payload: '{}', ...columns }
  const parameters = Object.keys(all).map((_, index) => `$${index + 1}`)
  await world.sql(
    `INSERT INTO queue.jobs (${Object.keys(all).join(', ')}) VALUES (${parameters.join(', ')})`,
    Object.values(all),
  )
  return id
}

describe('the order of claims', () => {
  test('is priority, then due time, then id: what is claimed first is what comes first', async () => {
    const planted: { id: string; priority: number; age: number }[] = []
    for (const priority of [9, 0, 4]) {
      for (const age of [1, 3, 2]) {
        const id = await plant({ priority, run_at: new Date(Date.now() - age * 60_000).toISOString() })
        planted.push({ id, priority, age })
      }
    }
    const sameInstant = new Date(Date.now() - 3_600_000).toISOString()
    const twins = [
      await plant({ run_at: sameInstant, priority: 0 }),
      await plant({ run_at: sameInstant, priority: 0 }),
    ]
    const expected = [
      ...twins.toSorted((a, b) => (a < b ? -1 : 1)),
      ...idsOf(planted.toSorted((a, b) => a.priority - b.priority || b.age - a.age)),
    ]
    const workerId = await registered(world)
    const together = await claim(world, workerId)
    expect(idsOf(together)).toEqual(expected)
  })

  test('holds also one claim at a time', async () => {
    const jobs = []
    for (const priority of [5, 1, 9, 0, 4]) jobs.push(await enqueueProbe(world, { priority }))
    const workerId = await registered(world)
    const claimed = []
    for (const _ of jobs) claimed.push(...(await claim(world, workerId, { limit: 1 })))
    expect(claimed.map((job) => job.priority)).toEqual([0, 1, 4, 5, 9])
  })

  test('among the queues of one priority is the order in which the worker serves them', async () => {
    const workerId = await registered(world, { queues: ['a', 'b'] })
    const inA = await enqueueProbe(world, { queue: 'a' })
    const inB = await enqueueProbe(world, { queue: 'b' })
    const urgentInB = await enqueueProbe(world, { queue: 'b', priority: 0 })
    const first = await claim(world, workerId, { queues: ['b', 'a'], limit: 2 })
    expect(new Set(idsOf(first))).toEqual(new Set([urgentInB.id, inB.id]))
    expect(idsOf(await claim(world, workerId, { queues: ['b', 'a'] }))).toEqual([inA.id])
  })

  test('takes turns within one claim: the older backlog of one queue leaves the other its share, in its place', async () => {
    const queues = ['a', 'b']
    const workerId = await registered(world, { queues })
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
    await plant({ kind: 'other' })
    const mine = await enqueueProbe(world)
    const workerId = await registered(world)
    expect(await claim(world, workerId, { kinds: [] })).toEqual([])
    expect(idsOf(await claim(world, workerId))).toEqual([mine.id])
  })

  test('jobs of the queues that it asks for, each of which somebody has registered', async () => {
    const workerId = await registered(world, { queues: ['mail'] })
    const mail = await enqueueProbe(world, { queue: 'mail' })
    await enqueueProbe(world, { queue: 'default' })
    await enqueueProbe(world, { queue: 'nobody' })
    expect(idsOf(await claim(world, workerId, { queues: ['mail', 'nobody'] }))).toEqual([mail.id])
    expect(await claim(world, workerId, { queues: [] })).toEqual([])
  })

  test('jobs of queues that are not paused', async () => {
    const workerId = await registered(world, { queues: ['mail'] })
    const mail = await enqueueProbe(world, { queue: 'mail' })
    await enqueueProbe(world)
    await world.queue.pause('default')
    expect(idsOf(await claim(world, workerId, { queues: ['default', 'mail'] }))).toEqual([mail.id])
    await world.queue.resume('default')
    expect(await claim(world, workerId)).toHaveLength(1)
  })

  test('jobs of queues that are not paused, and that somebody has registered, also where these are many', async () => {
    const queues = Array.from({ length: 50 }, (_, n) => `many-${n}`)
    const workerId = await registered(world, { queues: queues.slice(0, 40) })
    await world.queue.enqueueMany(queues.map((queue) => probe.create({}, { queue })))
    await world.queue.pause('many-7')
    const claimed = await claim(world, workerId, { queues })
    const open = queues.slice(0, 40).filter((queue) => queue !== 'many-7')
    expect(claimed.map((job) => job.queue).toSorted(byText)).toEqual(open.toSorted(byText))
  })

  test('jobs whose time has come', async () => {
    const later = await enqueueProbe(world, { delayMs: 60_000 })
    const workerId = await registered(world)
    expect(await claim(world, workerId)).toEqual([])
    await makeDue(world)
    expect(idsOf(await claim(world, workerId))).toEqual([later.id])
  })

  test('waiting jobs: nothing that runs or has ended is claimed again', async () => {
    const workerId = await registered(world)
    for (const status of ['succeeded', 'failed_permanent', 'cancelled']) {
      await plant({ status, finished_at: new Date().toISOString() })
    }
    await enqueueProbe(world)
    expect(await claim(world, workerId)).toHaveLength(1)
    expect(await claim(world, workerId)).toEqual([])
  })

  test('as many jobs as it asks for, and locks no others: a second worker gets all the rest', async () => {
    await enqueueProbes(world, 20)
    const session = await world.session()
    await session.query('BEGIN')
    const first = await claim({ database: within(session) }, await registered(world), { limit: 5 })
    const second = await claim(world, await registered(world), { limit: 100 })
    await session.query('COMMIT')
    expect([first.length, second.length]).toEqual([5, 15])
    expect(new Set(idsOf([...first, ...second])).size).toBe(20)
  })

  test('as many jobs as it asks for also over many queues and priorities, of which each has plenty', async () => {
    const queues = ['a', 'b', 'c']
    const workerId = await registered(world, { queues })
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
    const workers = await Promise.all(Array.from({ length: 8 }, () => registered(world)))
    const claimed = await Promise.all(
      workers.map(async (workerId) => {
        const mine: string[] = []
        for (let got = -1; got !== 0; ) {
          const some = await claim(world, workerId, { limit: 7 })
          mine.push(...idsOf(some))
          got = some.length
        }
        return mine
      }),
    )
    const all = claimed.flat()
    expect(all.toSorted(byText)).toEqual(idsOf(jobs).toSorted(byText))
    const rows = await rowsOf(world, all)
    expect(rows.every((row) => row.attempts === 1 && row.lease_token === 1)).toBe(true)
    for (const [index, mine] of claimed.entries()) {
      expect((await rowsOf(world, mine)).every((row) => row.locked_by === workers[index])).toBe(true)
    }
  })

  test('a row that another transaction has locked is passed over and not waited for', async () => {
    const [locked, free] = idsOf(await enqueueProbes(world, 2))
    const session = await world.session()
    await session.query('BEGIN')
    await session.query('SELECT FROM queue.jobs WHERE id = $1 FOR UPDATE', [locked])
    expect(idsOf(await claim(world, await registered(world)))).toEqual([free])
    await session.query('COMMIT')
  })

  test('a row that was claimed and finished since the claim began is not claimed once more', async () => {
    const [job] = await enqueueProbes(world, 1)
    const workerId = await registered(world)
    const slow = await world.session()
    await slow.query('BEGIN')
    // The claim has its snapshot, in which the job still waits, and stands at the row of its queue.
    await slow.query('SELECT FROM queue.queues FOR UPDATE')
    const late = claim(world, workerId)
    await untilSomeoneWaitsFor(slow, await world.session())
    await slow.query(
      `UPDATE queue.jobs SET status = 'succeeded', finished_at = now(), attempts = 1, lease_token = 1 WHERE id = $1`,
      [job?.id],
    )
    await slow.query('COMMIT')
    expect(await late).toEqual([])
  })
})

describe('no row can make the claim fail for the others', () => {
  test('one whose attempts are used up while it waits is passed over', async () => {
    await plant({
      status: 'retrying',
      attempts: 3,
      max_attempts: 3,
      priority: 0,
      run_at: new Date(0).toISOString(),
    })
    const jobs = await enqueueProbes(world, 3)
    const claimed = await claim(world, await registered(world))
    expect(new Set(idsOf(claimed))).toEqual(new Set(idsOf(jobs)))
  })

  test('a crowd of them at the head does not fill the limit either', async () => {
    await world.sql(
      `INSERT INTO queue.jobs (id, kind, payload, status, attempts, max_attempts, run_at)
       SELECT gen_random_uuid(), 'probe', '{}', 'retrying', 1, 1, now() - interval '1 day' FROM generate_series(1, 50)`,
    )
    const job = await enqueueProbe(world)
    expect(idsOf(await claim(world, await registered(world), { limit: 1 }))).toEqual([job.id])
  })

  test('one with a retry policy that nobody understands runs under the default', async () => {
    await plant({ retry_policy: '{"type":"from the future"}' })
    await plant({ retry_policy: '"text"' })
    const claimed = await claim(world, await registered(world))
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
    const [charged] = await world.sql('SELECT sum(attempts)::int AS attempts FROM queue.jobs')
    expect(charged).toEqual({ attempts: jobs.length })
    return { jobs: jobs.length, leaseLost }
  }

  test('when it was marked lost', async () => {
    const workerId = await registered(world)
    await expireLease(world, workerId)
    await recoverJobs(database)
    expect(await claimOnce(workerId)).toEqual({ jobs: 0, leaseLost: true })
  })

  test('when it has stopped', async () => {
    const workerId = await registered(world)
    await stopWorker(database, workerId)
    expect(await claimOnce(workerId)).toEqual({ jobs: 0, leaseLost: true })
  })

  test('when it was never registered', async () => {
    expect(await claimOnce('nobody')).toEqual({ jobs: 0, leaseLost: true })
  })

  test('while it is late, although nobody has marked it; once it has renewed, it claims again', async () => {
    const workerId = await registered(world)
    await expireLease(world, workerId)
    expect(await claimOnce(workerId)).toEqual({ jobs: 0, leaseLost: false })
    const { text, values } = renewWorkerLease(database, { id: workerId, leaseMs: 30_000 })
    await database.pool.query(text, values)
    expect(await claimOnce(workerId)).toEqual({ jobs: 1, leaseLost: false })
  })
})

describe('a claim that its caller has given up takes nothing', () => {
  /** Over by the time that anybody has seen the claim wait. */
  const impatient = { answerWithinMs: 1, clock: { nowMs: () => undefined } } as const

  const lockRow = (name: string): string => `SELECT FROM queue.queues WHERE name = '${name}' FOR UPDATE`
  const lockTable = (table: string): string => `LOCK TABLE queue.${table} IN ACCESS EXCLUSIVE MODE`

  /** The claim that waits behind `lock`, which is let go of once `meanwhile` has been run by its holder. */
  async function claimBehind(lock: string, over: ClaimOverrides, meanwhile = 'SELECT pg_sleep(0.01)') {
    const workerId = await registered(world, { queues: ['a', 'b'] })
    for (const queue of ['a', 'b']) await enqueueProbe(world, { queue })
    const holder = await world.session()
    await holder.query('BEGIN')
    await holder.query(lock)
    const claiming = claim(world, workerId, { queues: ['a', 'b'], ...over })
    await untilSomeoneWaitsFor(holder, await world.session())
    await holder.query(meanwhile)
    const [{ now: letGoAt } = { now: '' }] = await world.sql<{ now: string }>(
      'SELECT clock_timestamp()::text AS now',
    )
    await holder.query('COMMIT')
    return { jobs: await claiming, letGoAt }
  }

  async function expectNothingTaken(): Promise<void> {
    const states = await world.sql('SELECT DISTINCT status, attempts, lease_token::int FROM queue.jobs')
    expect(states).toEqual([{ status: 'queued', attempts: 0, lease_token: 0 }])
  }

  test.each([
    ['the row of its only queue', lockRow('a'), ['a']],
    ['the row of the last of its queues, with the first one in hand', lockRow('b'), ['a', 'b']],
    ['the table of the queues', lockTable('queues'), ['a', 'b']],
    ['the table of the jobs', lockTable('jobs'), ['a', 'b']],
    ['the table of the workers', lockTable('workers'), ['a', 'b']],
  ])('behind a lock on %s', async (...[, lock, queues]) => {
    const { jobs } = await claimBehind(lock, { ...impatient, queues })
    expect(jobs).toEqual([])
    await expectNothingTaken()
  })

  test('on its way to the database, by the clock that the caller has read before', async () => {
    const workerId = await registered(world)
    await enqueueProbe(world)
    const [{ ms } = { ms: 0 }] = await world.sql<{ ms: number }>(
      'SELECT extract(epoch FROM now())::float8 * 1000 AS ms',
    )
    const sent = (agoMs: number) => ({ answerWithinMs: 10_000, clock: { nowMs: () => ms - agoMs } })
    expect(await claim(world, workerId, sent(9_500))).toEqual([])
    await expectNothingTaken()
    expect(await claim(world, workerId, sent(1_000))).toHaveLength(1)
  })

  test('and its time does not begin while it waits for a connection of the pool', async () => {
    const pool = new pg.Pool({ connectionString: world.url, max: 1 })
    const queue = createQueue({ pool })
    try {
      const workerId = await registered(world)
      let readings = 0
      const clock = { nowMs: () => void (readings += 1) }
      const held = await pool.connect()
      const claiming = claim(queue, workerId, { ...patient, clock })
      await new Promise((resolve) => setImmediate(resolve))
      expect({ readings, waiting: pool.waitingCount }).toEqual({ readings: 0, waiting: 1 })
      held.release()
      await claiming
      expect(readings).toBe(1)
    } finally {
      await queue.close()
      await pool.end()
    }
  })

  test('although its caller takes the database to be an hour ahead: the time counts from its arrival at the latest', async () => {
    const clock = { nowMs: () => Date.now() + 3_600_000 }
    const { jobs } = await claimBehind(lockTable('queues'), { answerWithinMs: 1, clock })
    expect(jobs).toEqual([])
    await expectNothingTaken()
  })

  test('and says so, without a word on what it did not look at', async () => {
    const workerId = await registered(world)
    const memory = new ClaimMemory(['default'])
    const scope = { memory, kinds: ['probe'], limit: 1, eligible: 'any' } as const
    const { positions } = memory.plan('any', 1)
    const late = await claimJobs(database, { workerId, ...scope, ...impatient, answerWithinMs: 0 })
    expect(late).toMatchObject({ jobs: [], tooLate: true, leaseLost: false, more: false })
    expect(memory.plan('any', 1).positions).toBe(positions)
    const inTime = await claimJobs(database, { workerId, ...scope, ...patient })
    expect(inTime).toMatchObject({ tooLate: false })
  })

  test('nor does one whose lease has run out behind the lock', async () => {
    const expire = 'UPDATE queue.workers SET lease_expires_at = clock_timestamp()'
    const { jobs } = await claimBehind(lockTable('queues'), patient, expire)
    expect(jobs).toEqual([])
    await expectNothingTaken()
  })

  test('and one that its caller still waits for takes what there is, at the moment of taking it', async () => {
    const { jobs, letGoAt } = await claimBehind(lockRow('b'), patient)
    expect(jobs).toHaveLength(2)
    const [times] = await world.sql(
      `SELECT bool_and(locked_at >= $1 AND updated_at = locked_at) AS taken_then, count(DISTINCT locked_at)::int AS instants
         FROM queue.jobs`,
      [letGoAt],
    )
    expect(times).toEqual({ taken_then: true, instants: 1 })
  })
})

describe('what a claimed job knows', () => {
  test('is everything that the runtime needs, to the last digit', async () => {
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
    const [claimed] = await claim(world, await registered(world))
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
      cancelRequested: false,
      runAt: job.runAt,
      expiresAt: job.expiresAt,
      createdAt: job.createdAt,
      claimedAt: expect.any(Date),
      ctid: expect.stringMatching(/^\(\d+,\d+\)$/),
    })
    expect((await world.queue.get(job.id))?.lockedAt).toEqual(claimed?.claimedAt)
  })
})

describe('a pause', () => {
  test('waits for the claims in flight: none commits after it has answered', async () => {
    const job = await enqueueProbe(world)
    const claimer = await world.session()
    await claimer.query('BEGIN')
    expect(await claim({ database: within(claimer) }, await registered(world))).toHaveLength(1)
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
    const workerId = await registered(world)
    const pauser = await world.session()
    await pauser.query('BEGIN')
    await pauser.query(`UPDATE queue.queues SET paused_at = now() WHERE name = 'default'`)
    const claiming = claim(world, workerId)
    await untilSomeoneWaitsFor(pauser, await world.session())
    await pauser.query('COMMIT')
    expect(await claiming).toEqual([])
  })

  test('in flight that is taken back makes a claim wait, which then takes what there is', async () => {
    const job = await enqueueProbe(world)
    const workerId = await registered(world)
    const pauser = await world.session()
    await pauser.query('BEGIN')
    await pauser.query(`UPDATE queue.queues SET paused_at = now() WHERE name = 'default'`)
    const claiming = claim(world, workerId)
    await untilSomeoneWaitsFor(pauser, await world.session())
    await pauser.query(`UPDATE queue.queues SET paused_at = NULL WHERE name = 'default'`)
    await pauser.query('COMMIT')
    expect(idsOf(await claiming)).toEqual([job.id])
  })

  test('of a queue that nobody has served is refused, and pausing twice keeps the first instant', async () => {
    await expect(world.queue.pause('nowhere')).rejects.toMatchObject({ code: 'queue_not_found' })
    const first = await world.queue.pause('default')
    expect(await world.queue.pause('default')).toEqual(first)
    expect(await world.queue.resume('default')).toEqual({ name: 'default', pausedAt: null })
  })
})

test('a claim never charges more than one attempt for a queue that is named twice', async () => {
  await enqueueProbes(world, 3)
  const claimed = await claim(world, await registered(world), { queues: ['default', 'default'] })
  expect(claimed.map((job) => job.attempt)).toEqual([1, 1, 1])
})

test('a limit above the bound counts as the bound', async () => {
  const { jobs } = await claimJobs(database, {
    workerId: await registered(world),
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
