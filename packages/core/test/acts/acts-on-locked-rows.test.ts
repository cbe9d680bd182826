import { afterAll, beforeEach, describe, expect, test } from '@jest/globals'
import { until, untilSomeoneWaitsFor } from '@queue/dev-postgres'
import { sql } from 'kysely'
import type { ManyResult } from '../../src/acts/acts-on-many.ts'
import { carryOutOperation, nextOperationMs } from '../../src/acts/carry-out-operation.ts'
import type { OperationAct } from '../../src/database/operation-tables.ts'
import type { Actor } from '../../src/domain/actor.ts'
import type { ClaimedJob, Job } from '../../src/domain/job.ts'
import type { DeadLetterSelection } from '../../src/reads/dead-letters.ts'
import { type JobFilter, jobFilterFields } from '../../src/reads/job-filter.ts'
import { requeueDeadLetters } from '../../src/transitions/requeue-dead-letters.ts'
import { requeueJobs } from '../../src/transitions/requeue-jobs.ts'
import { retryOrDeadLetterJobs } from '../../src/transitions/retry-or-dead-letter-jobs.ts'
import { claim, enqueueProbe, newWorker, probe, runningJob } from '../support/builders.ts'
import { openWorld } from '../support/world.ts'

const world = await openWorld()
const { queue, database } = world
afterAll(() => world.close())
beforeEach(() => world.reset())

type FilterMember = keyof typeof jobFilterFields

/** For each member of a filter: a value that the job of `seed` has, and a change of its row after which it has not. */
const members: Readonly<
  Record<
    FilterMember,
    { readonly filter: JobFilter; readonly change: string } | 'not changed by any statement'
  >
> = {
  status: { filter: { status: 'queued' }, change: `status = 'retrying'` },
  kind: { filter: { kind: 'probe' }, change: `kind = 'other'` },
  queue: { filter: { queue: 'mail' }, change: `queue = 'other'` },
  tenantId: { filter: { tenantId: 'acme' }, change: `tenant_id = 'evil'` },
  key: { filter: { key: 'k' }, change: `key = 'other'` },
  metadata: { filter: { metadata: { group: 'drop' } }, change: `metadata = '{"group": "keep"}'` },
  createdAfter: { filter: { createdAfter: new Date(0) }, change: `created_at = '1969-01-01Z'` },
  createdBefore: { filter: { createdBefore: new Date(4e12) }, change: `created_at = '2100-01-01Z'` },
  finishedAfter: { filter: { finishedAfter: new Date(0) }, change: `finished_at = '1969-01-01Z'` },
  finishedBefore: { filter: { finishedBefore: new Date(4e12) }, change: `finished_at = '2100-01-01Z'` },
  schedule: { filter: { schedule: 's' }, change: `idempotency_key = 'schedule:other@1'` },
  worker: { filter: { worker: 'w' }, change: `locked_by = 'other'` },
  workerVersion: { filter: { workerVersion: '9.9.9' }, change: `locked_by = 'other'` },
  // Retention removes the attempts of a job that stays as a receipt: see below.
  fingerprint: 'not changed by any statement',
}

const acts: readonly (readonly [
  Exclude<OperationAct, 'purge' | 'requeue_dead_letters'>,
  'waiting' | 'ended',
])[] = [
  ['cancel', 'waiting'],
  ['reschedule', 'waiting'],
  ['delete', 'waiting'],
  ['erase', 'waiting'],
  ['requeue', 'ended'],
  ['delete', 'ended'],
]

/** A job that has a value for each member, and waits, runs or has ended. */
async function seed(state: 'waiting' | 'running' | 'ended'): Promise<string> {
  const job = await enqueueProbe(world, {
    queue: 'mail',
    tenantId: 'acme',
    key: 'k',
    metadata: { group: 'drop' },
    idempotencyKey: 'i',
  })
  await world.sql(`UPDATE queue.jobs SET idempotency_key = 'schedule:s@1' WHERE id = $1`, [job.id])
  if (state === 'ended') await queue.cancel(job.id)
  if (state === 'running') {
    await newWorker(world, { id: 'w', version: '9.9.9', queues: ['mail'] })
    await claim(world, 'w', { queues: ['mail'] })
  }
  return job.id
}

function act(name: (typeof acts)[number][0], filter: JobFilter): Promise<ManyResult> {
  return name === 'reschedule'
    ? queue.many.reschedule(filter, { runAt: new Date(Date.now() + 60_000) })
    : queue.many[name](filter)
}

/** Carries out the act, also where it became an operation; how many jobs it has changed. */
async function changedBy(result: ManyResult): Promise<number> {
  if (result.outcome === 'done') return result.jobIds.length
  while ((await nextOperationMs(database)) !== null) await carryOutOperation(database)
  return Number((await queue.operations.get(result.operation.id))?.changed)
}

const cases = acts.flatMap(([name, state]) =>
  Object.entries(members).flatMap(([member, value]) => {
    if (typeof value === 'string') return []
    const isRunning = member === 'worker' || member === 'workerVersion'
    const isOfEnd = member === 'finishedAfter' || member === 'finishedBefore' || member === 'status'
    if (isRunning && name !== 'cancel') return []
    if (isOfEnd && state !== (member === 'status' ? 'waiting' : 'ended')) return []
    return [{ name, state: isRunning ? ('running' as const) : state, member, ...value }]
  }),
)

describe('each condition of a filter holds on the locked row', () => {
  test.each(cases)('$name of a $state job by $member', async ({ name, state, filter, change }) => {
    const id = await seed(state)
    const holder = await world.session()
    await holder.query('BEGIN')
    await holder.query(`UPDATE queue.jobs SET ${change} WHERE id = $1`, [id])
    const changed = act(name, filter).then(changedBy)
    await untilSomeoneWaitsFor(holder, await world.session())
    const before = await holder.query('SELECT * FROM queue.all_jobs WHERE id = $1', [id])
    await holder.query('COMMIT')
    expect(await changed).toBe(0)
    expect((await holder.query('SELECT * FROM queue.all_jobs WHERE id = $1', [id])).rows).toEqual(before.rows)
  })

  test.each(cases)(
    '$name of a $state job by $member changes it otherwise',
    async ({ name, state, filter }) => {
      await seed(state)
      expect(await act(name, filter).then(changedBy)).toBe(1)
    },
  )

  test('names every member of a filter', () => {
    expect(Object.keys(members).toSorted()).toEqual(Object.keys(jobFilterFields).toSorted())
  })

  test('a value of 200 characters does not find longer ones that begin with it', async () => {
    const values = [199, 200, 201, 250].map((length) => 'x'.repeat(length))
    for (const value of values) await enqueueProbe(world, { metadata: { value } })
    for (const value of values) {
      expect((await queue.list({ metadata: { value } })).jobs.map(({ metadata }) => metadata)).toEqual([
        { value },
      ])
    }
    expect(await queue.many.cancel({ metadata: { value: values[1] ?? '' } })).toMatchObject({
      jobIds: [1].map(() => expect.anything()),
    })
  })
})

const permanently = (jobs: readonly ClaimedJob[]) =>
  retryOrDeadLetterJobs(
    database,
    jobs.map(({ lease }) => ({ lease, error: 'e', waitMs: 0, permanent: true })),
  )

async function deadJob(options: Parameters<typeof enqueueProbe>[1] = {}): Promise<string> {
  const job = await runningJob(world, options)
  await permanently([job])
  return job.id
}

const liveKey = (key: string) => ({ unique: { key, scope: 'live' } }) as const

describe('a requeue of many', () => {
  test('changes only jobs that it has checked under their locks', async () => {
    const held = await deadJob(liveKey('a'))
    const other = await deadJob(liveKey('b'))
    // The other job runs when the act locks the jobs, fails while the act waits for a slot, and another job takes its key.
    await queue.requeue(other)
    const running = await claim(world, await newWorker(world))
    const slot = await world.session()
    await slot.query('BEGIN')
    await slot.query(`SELECT FROM queue.job_unique_slots WHERE key = 'a' FOR UPDATE`)
    const acting = database.transaction((inside) =>
      requeueJobs(inside, { ids: [held, other], condition: sql`true` }),
    )
    await untilSomeoneWaitsFor(slot, await world.session())
    await permanently(running)
    const { job: successor } = await queue.enqueue(probe, {}, liveKey('b'))
    await slot.query('COMMIT')
    expect((await acting).map(({ id }) => id)).toEqual([held])
    expect((await queue.get(other))?.status).toBe('failed_permanent')
    const live = await world.sql<{ id: string }>(
      `SELECT id FROM queue.all_jobs WHERE unique_key = 'b' AND finished_at IS NULL`,
    )
    expect(live).toEqual([{ id: successor.id }])
  })

  test('leaves a dead letter alone that is removed while it waits for the job', async () => {
    const id = await deadJob()
    const [deadLetter] = (await queue.deadLetters.list()).deadLetters
    const holder = await world.session()
    await holder.query('BEGIN')
    await holder.query('SELECT FROM queue.jobs WHERE id = $1 FOR UPDATE', [id])
    const requeued = queue.deadLetters.requeueMany({}, { all: true })
    await untilSomeoneWaitsFor(holder, await world.session())
    await queue.deadLetters.delete(deadLetter?.id ?? '')
    await holder.query('COMMIT')
    expect(await requeued).toEqual([])
    expect((await queue.get(id))?.status).toBe('failed_permanent')
  })

  test('requeues no job twice, however soon it fails again', async () => {
    const ids = [await deadJob(), await deadJob()]
    const worker = await newWorker(world)
    let rounds = 0
    const requeued = await requeueDeadLetters(async (work) => {
      const round = await work(database)
      if ((rounds += 1) <= 3) await permanently(await claim(world, worker))
      return round
    }, {})
    expect(requeued.map(({ id }) => id)).toEqual(ids)
    expect((await queue.deadLetters.list()).deadLetters).toHaveLength(2)
  })

  test('by an actor holds no job while it waits for those that failed later', async () => {
    const [first, later] = [await deadJob(), await deadJob()]
    // The second dead letter comes back when the first one is removed, so that another round finds it.
    await world.sql(
      `CREATE TABLE queue.later AS SELECT * FROM queue.dead_letter_jobs WHERE job_id = '${later}'`,
    )
    await world.sql(`DELETE FROM queue.dead_letter_jobs WHERE job_id = '${later}'`)
    await world.sql(`CREATE FUNCTION queue.fail_later() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      INSERT INTO queue.dead_letter_jobs SELECT * FROM queue.later WHERE OLD.job_id = '${first}'; RETURN NULL; END $$`)
    await world.sql(
      `CREATE TRIGGER fail_later AFTER DELETE ON queue.dead_letter_jobs FOR EACH ROW EXECUTE FUNCTION queue.fail_later()`,
    )
    const holder = await world.session()
    try {
      await holder.query('BEGIN')
      await holder.query('SELECT FROM queue.jobs WHERE id = $1 FOR UPDATE', [later])
      const requeued = queue
        .actAs({ type: 'role', id: 'operator' })
        .deadLetters.requeueMany({}, { all: true })
      await untilSomeoneWaitsFor(holder, await world.session())
      expect((await queue.get(first))?.status).toBe('queued')
      await holder.query('COMMIT')
      expect((await requeued).map(({ id }) => id)).toEqual([first, later])
      const { entries } = await queue.audit.list()
      expect(entries.map(({ jobIds }) => jobIds)).toEqual([[later], [first]])
    } finally {
      await holder.query('COMMIT')
      await world.sql('DROP FUNCTION queue.fail_later CASCADE')
      await world.sql('DROP TABLE queue.later')
    }
  })

  test('of more dead letters than keys fills its answer with those that come after', async () => {
    for (let n = 0; n < 3; n += 1) {
      await deadJob(liveKey('u'))
    }
    await deadJob()
    expect(await queue.deadLetters.requeueMany({}, { all: true })).toHaveLength(2)
    expect((await queue.deadLetters.list()).deadLetters).toHaveLength(2)
  })
})

/** Holds the row of the job while `change` waits for it, and returns when the row was released. */
async function heldUp<Result>(id: string, change: () => Promise<Result>) {
  const holder = await world.session()
  await holder.query('BEGIN')
  await holder.query('SELECT FROM queue.jobs WHERE id = $1 FOR UPDATE', [id])
  const pending = change()
  await untilSomeoneWaitsFor(holder, await world.session())
  const { rows } = await holder.query<{ now: Date }>('SELECT clock_timestamp() AS now FROM pg_sleep(0.02)')
  await holder.query('COMMIT')
  return { result: await pending, releasedAt: rows[0]?.now ?? new Date() }
}

describe('the instants of an act are read after its wait', () => {
  const past = new Date(0)
  interface Act {
    readonly act: string
    readonly seedJob: () => Promise<string>
    readonly change: (id: string) => Promise<unknown>
    readonly member: 'runAt' | 'finishedAt' | 'updatedAt'
  }
  const waiting = async () => (await enqueueProbe(world, { delayMs: 3_600_000 })).id
  const instants: readonly Act[] = [
    { act: 'requeue', seedJob: deadJob, change: (id) => queue.requeue(id), member: 'runAt' },
    {
      act: 'requeue of a unique job',
      seedJob: () => deadJob(liveKey('u')),
      change: (id) => queue.requeue(id),
      member: 'runAt',
    },
    {
      act: 'requeue of many',
      seedJob: deadJob,
      change: () => queue.many.requeue({}, { all: true }),
      member: 'runAt',
    },
    {
      act: 'requeue of dead letters',
      seedJob: deadJob,
      change: () => queue.deadLetters.requeueMany({}, { all: true }),
      member: 'runAt',
    },
    {
      act: 'requeue of the dead letters of a filter',
      seedJob: deadJob,
      change: () => queue.many.requeueDeadLetters({}, { all: true }),
      member: 'runAt',
    },
    { act: 'cancel', seedJob: waiting, change: (id) => queue.cancel(id), member: 'finishedAt' },
    {
      act: 'cancel of many',
      seedJob: waiting,
      change: () => queue.many.cancel({}, { all: true }),
      member: 'finishedAt',
    },
    {
      act: 'cancel in SQL',
      seedJob: waiting,
      change: (id) => world.sql('SELECT queue.cancel($1)', [id]),
      member: 'finishedAt',
    },
    {
      act: 'reschedule of many',
      seedJob: waiting,
      change: () => queue.many.reschedule({}, { all: true, runAt: past }),
      member: 'runAt',
    },
    {
      act: 'request of a cancel',
      seedJob: async () => (await runningJob(world)).id,
      change: (id) => queue.cancel(id),
      member: 'updatedAt',
    },
  ]
  test.each(instants)('of a $act', async ({ seedJob, change, member }) => {
    const id = await seedJob()
    const { releasedAt } = await heldUp(id, () => change(id))
    const job = await queue.get(id)
    expect(job?.[member]?.getTime()).toBeGreaterThanOrEqual(releasedAt.getTime())
    expect(job?.updatedAt.getTime()).toBeGreaterThanOrEqual(releasedAt.getTime())
  })

  test('a requeue counts its expiry from then', async () => {
    const id = await deadJob()
    const { result, releasedAt } = await heldUp(id, () => queue.requeue(id, { expiresInMs: 1_000 }))
    expect(result.expiresAt?.getTime()).toBe(result.runAt.getTime() + 1_000)
    expect(result.runAt.getTime()).toBeGreaterThanOrEqual(releasedAt.getTime())
  })

  test('a requeue refuses an expiry that has passed meanwhile', async () => {
    const id = await deadJob()
    const expiresAt = new Date(Date.now() + 200)
    const holder = await world.session()
    await holder.query('BEGIN')
    await holder.query('SELECT FROM queue.jobs WHERE id = $1 FOR UPDATE', [id])
    const refused = expect(queue.requeue(id, { expiresAt })).rejects.toMatchObject({ code: 'invalid_job' })
    await untilSomeoneWaitsFor(holder, await world.session())
    await until('the expiry has passed', async () => Date.now() > expiresAt.getTime())
    await holder.query('COMMIT')
    await refused
  })

  test('a cancel in SQL does not end a job before its creation, however old the transaction', async () => {
    const client = await world.session()
    await client.query('BEGIN')
    await client.query('SELECT now() FROM pg_sleep(0.02)')
    const { job } = await queue.enqueue(probe, {}, { transaction: client })
    await client.query('SELECT queue.cancel($1)', [job.id])
    await client.query('COMMIT')
    const { createdAt, finishedAt, updatedAt } = (await queue.get(job.id)) as Job
    expect(finishedAt?.getTime()).toBeGreaterThanOrEqual(createdAt.getTime())
    expect(updatedAt).toEqual(finishedAt)
  })
})

describe('a dry run counts what the act would change', () => {
  const expectEqual = async (name: 'cancel' | 'requeue', count: number) => {
    expect(await queue.operations.dryRun(name, {})).toMatchObject({ count })
    expect(await queue.many[name]({}, { all: true })).toMatchObject({
      jobIds: Array.from({ length: count }, () => expect.anything()),
    })
  }

  test('of a cancel: not the running jobs whose cancel was requested', async () => {
    await queue.cancel((await runningJob(world)).id)
    await runningJob(world)
    await enqueueProbe(world)
    await expectEqual('cancel', 2)
  })

  test('of a requeue: no receipts, no expired jobs, and one job for each free key', async () => {
    const cancelled = async (options: Parameters<typeof enqueueProbe>[1]) => {
      const { id } = await enqueueProbe(world, options)
      await queue.cancel(id)
      return id
    }
    await world.sql('SELECT queue.strip_jobs($1::uuid[])', [[await cancelled({ idempotencyKey: 'i' })]])
    const expired = await cancelled({ expiresInMs: 60_000 })
    await world.sql('UPDATE queue.jobs SET expires_at = now() WHERE id = $1', [expired])
    for (const key of ['held', 'free', 'free', 'free']) await cancelled(liveKey(key))
    await queue.enqueue(probe, {}, liveKey('held'))
    await cancelled({})
    await expectEqual('requeue', 2)
  })

  test('of dead letters: one for each free key', async () => {
    for (const key of ['held', 'free', 'free']) await deadJob(liveKey(key))
    await queue.enqueue(probe, {}, liveKey('held'))
    const selection: DeadLetterSelection = { kind: 'probe' }
    expect(await queue.operations.dryRunOfDeadLetters(selection)).toMatchObject({ count: 1 })
    expect(await queue.many.requeueDeadLetters(selection)).toMatchObject({
      jobIds: [expect.anything()],
      skipped: 2,
    })
  })
})

describe('an erasure keeps no value of its filter', () => {
  const by: Actor = { type: 'role', id: 'operator', name: 'an operator' }
  const secret = 'jane@example.com'
  const stored = async () => JSON.stringify([await queue.audit.list(), await queue.operations.list()])

  test.each(['carried out', 'cancelled'])('once it is %s', async (end) => {
    await enqueueProbe(world, { metadata: { mail: secret } })
    const started = await queue.actAs(by).many.erase({ metadata: { mail: secret } })
    if (started.outcome !== 'operation') throw new Error('an erasure was done at once')
    expect(started.operation.filter).toEqual({ metadata: { mail: secret } })
    expect(JSON.stringify(await queue.audit.list())).not.toContain(secret)
    if (end === 'cancelled') {
      expect(await queue.many.cancelOperation(started.operation.id)).toMatchObject({ filter: null })
    } else await carryOutOperation(database)
    expect(await stored()).not.toContain(secret)
  })
})

test('a filter by failed attempts leaves out a job whose attempts are removed while it waits for the job', async () => {
  const job = await runningJob(world, { idempotencyKey: 'i', maxAttempts: 1 })
  const cause = { errorClass: 'Error', fingerprint: '00000000000000f1' }
  const failure = { lease: job.lease, error: 'failed', cause, waitMs: 0, permanent: true }
  await retryOrDeadLetterJobs(database, [failure])
  await queue.many.delete({ fingerprint: cause.fingerprint })
  const session = await world.session()
  await session.query('BEGIN')
  await session.query('SELECT FROM queue.strip_jobs($1::uuid[])', [[job.id]])
  await session.query('DELETE FROM queue.job_executions')
  const batch = carryOutOperation(database)
  await untilSomeoneWaitsFor(session, await world.session())
  await session.query('COMMIT')
  expect((await batch)?.jobs).toEqual([])
  expect(await queue.get(job.id)).toMatchObject({ id: job.id })
})
