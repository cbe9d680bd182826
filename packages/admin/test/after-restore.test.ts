import { afterAll, afterEach, describe, expect, test } from '@jest/globals'
import { expireLease, makeDue } from '@queue/dev-postgres'
import { finishJobs, recoverJobs, releaseJobs, retryOrDeadLetterJobs } from '@queue/core/internal'
import { afterRestore, afterRestorePlan } from '../src/restore/after-restore.ts'
import { leaseTokenStep } from '../src/restore/raise-tokens.ts'
import { claim, enqueueProbe, enqueueProbes, openWorld, registered, running } from './support/world.ts'

const world = await openWorld()
afterAll(() => world.close())
afterEach(() => world.reset())

const target = { connectionString: world.directUrl }
const tables = ['jobs', 'ended_jobs', 'job_executions', 'dead_letter_jobs', 'workers', 'queues']

/** Copies the tables as they are now, and returns a function that restores them. */
async function backUp(): Promise<() => Promise<unknown>> {
  await world.sql('DROP SCHEMA IF EXISTS backup CASCADE; CREATE SCHEMA backup')
  await world.sql(tables.map((table) => `CREATE TABLE backup.${table} AS TABLE queue.${table};`).join(''))
  return () =>
    world.sql(
      tables
        .map(
          (table) => `DELETE FROM queue.${table}; INSERT INTO queue.${table} SELECT * FROM backup.${table};`,
        )
        .join(''),
    )
}

const contents = async () =>
  Promise.all(tables.map((table) => world.sql(`SELECT t::text AS row FROM queue.${table} AS t ORDER BY 1`)))

/** Acts as another system that fences by the lease token: it refuses a token lower than the highest it has seen. */
function externalFence(): (token: number) => boolean {
  let highest = 0
  return (token) => {
    if (token < highest) return false
    highest = token
    return true
  }
}

/** Claims the job, releases it without counting the attempt, and returns the token of that attempt. */
async function attempt(workerId: string): Promise<number> {
  const [job] = await claim(world, workerId)
  if (job === undefined) throw new Error('nothing was claimed')
  await releaseJobs(world.database, [job.lease])
  await makeDue(world)
  return job.lease.token
}

async function deadLetter(): Promise<string> {
  const job = await running(world, { maxAttempts: 1 })
  await retryOrDeadLetterJobs(world.database, [{ lease: job.lease, error: 'x', waitMs: 0, permanent: true }])
  return job.id
}

test('the report is the same, whatever a setting of the server says about the digits of numbers', async () => {
  await enqueueProbe(world)
  await running(world)
  const url = new URL(world.directUrl)
  url.searchParams.set('options', '-c extra_float_digits=-15')
  expect(await afterRestorePlan({ connectionString: url.href })).toEqual(await afterRestorePlan(target))
})

describe('the lease tokens', () => {
  test('are raised above all that were given out since the backup, so that a fence outside goes on working', async () => {
    await enqueueProbe(world)
    const worker = await registered(world)
    const passes = externalFence()
    expect(passes(await attempt(worker))).toBe(true)
    const restore = await backUp()
    for (let n = 0; n < 3; n += 1) expect(passes(await attempt(worker))).toBe(true)
    await restore()
    // A token that was used before the restore is used again, and refused.
    expect(passes(await attempt(worker))).toBe(false)
    await restore()
    await afterRestore(target)
    await world.queue.resume('default')
    expect(passes(await attempt(worker))).toBe(true)
  })

  test('of whoever runs still are not those of their jobs any more', async () => {
    const job = await running(world)
    await afterRestore(target)
    const [completed] = await finishJobs(world.database, [{ lease: job.lease, resultText: '1', note: null }])
    expect(completed?.outcome).toBe('lease_lost')
    const [{ locked_by: worker } = { locked_by: '' }] = await world.sql<{ locked_by: string }>(
      'SELECT locked_by FROM queue.all_jobs',
    )
    await expireLease(world, worker)
    await recoverJobs(world.database)
    expect(await world.queue.get(job.id)).toMatchObject({ status: 'retrying', crashes: 1 })
  })

  test('of jobs and of their dead letters stay the same, so that both can be requeued', async () => {
    const [kept, pruned] = [await deadLetter(), await deadLetter()]
    await world.sql('DELETE FROM queue.jobs WHERE id = $1', [pruned])
    expect((await afterRestore(target)).leaseTokens).toEqual({
      step: leaseTokenStep,
      jobs: 1,
      deadLetters: 2,
    })
    const requeued = await world.queue.deadLetters.requeueMany({ kind: 'probe' })
    expect(requeued.map(({ id }) => id).toSorted()).toEqual([kept, pruned].toSorted())
    await world.queue.resume('default')
    const claimed = await claim(world, await registered(world))
    expect(claimed).toHaveLength(2)
    for (const { lease } of claimed) expect(lease.token).toBeGreaterThan(leaseTokenStep)
  })

  test('of succeeded jobs stay the same, because they never run again', async () => {
    const job = await running(world)
    await finishJobs(world.database, [{ lease: job.lease, resultText: '1', note: null }])
    expect((await afterRestore(target)).leaseTokens).toMatchObject({ jobs: 0 })
    expect(await world.sql('SELECT lease_token::int FROM queue.all_jobs')).toEqual([{ lease_token: 1 }])
  })
})

test('every queue is paused, those too that no worker has served, and goes on one by one', async () => {
  await enqueueProbe(world, { queue: 'unserved' })
  await enqueueProbe(world)
  await world.sql(`INSERT INTO queue.queues (name, paused_at) VALUES ('paused', now())`)
  const { queues } = await afterRestore(target)
  expect(queues).toEqual({ paused: ['default', 'unserved'], alreadyPaused: ['paused'] })
  const worker = await registered(world, { queues: ['default', 'unserved'] })
  const claimed = async () =>
    (await claim(world, worker, { queues: ['default', 'unserved'] })).map(({ queue }) => queue)
  expect(await claimed()).toEqual([])
  await world.queue.resume('unserved')
  expect(await claimed()).toEqual(['unserved'])
})

test('a run that was killed leaves every queue paused, and the next one completes it', async () => {
  await enqueueProbes(world, 1_000)
  await enqueueProbes(world, 1_000)
  await enqueueProbes(world, 500)
  const killer = await world.session()
  // On a busy machine the kill may come late: without this lock the run could end before it.
  await killer.query('BEGIN')
  await killer.query('SELECT FROM queue.jobs ORDER BY id DESC LIMIT 1 FOR UPDATE')
  const killed = afterRestore({
    ...target,
    onProgress: (raised) => {
      if (raised !== 1_000) return
      void killer.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE application_name = 'queue-migrate' AND datname = current_database()`,
      )
    },
  })
  await expect(killed).rejects.toMatchObject({ code: 'database_unavailable' })
  await killer.query('ROLLBACK')
  expect(await claim(world, await registered(world))).toEqual([])
  const raised = `SELECT count(*)::int AS count FROM queue.all_jobs WHERE lease_token >= ${leaseTokenStep}`
  const [{ count } = { count: 0 }] = await world.sql<{ count: number }>(raised)
  expect(count).toBeGreaterThanOrEqual(1_000)
  expect(count).toBeLessThan(2_500)
  expect(await afterRestore(target)).toMatchObject({ leaseTokens: { jobs: 2_500 } })
  expect(await world.sql(raised)).toEqual([{ count: 2_500 }])
})

test('the jobs that will run again are reported, and a plan changes nothing', async () => {
  await enqueueProbe(world, { queue: 'mail' })
  await enqueueProbe(world, { delayMs: 60_000 })
  const first = await running(world, { maxAttempts: 2 })
  const last = await running(world, { maxAttempts: 1 })
  const before = await contents()
  const plan = await afterRestorePlan(target)
  expect(await contents()).toEqual(before)
  const oldestCreatedAt = expect.any(Date)
  const expectedRun = ({ id }: typeof first, maxAttempts: number) => ({
    id,
    queue: 'default',
    kind: 'probe',
    workerId: expect.any(String),
    claimedAt: expect.any(Date),
    attempts: 1,
    maxAttempts,
  })
  expect(plan).toEqual({
    schema: 'queue',
    queues: { paused: ['default', 'mail'], alreadyPaused: [] },
    leaseTokens: { step: leaseTokenStep, jobs: 4, deadLetters: 0 },
    runsAgain: {
      waiting: [
        { queue: 'default', kind: 'probe', due: 0, scheduled: 1, oldestCreatedAt },
        { queue: 'mail', kind: 'probe', due: 1, scheduled: 0, oldestCreatedAt },
      ],
      running: [expectedRun(first, 2), expectedRun(last, 1)],
      runningCount: 2,
      exhaustedCount: 1,
    },
  })
  expect(await afterRestore(target)).toEqual(plan)
})

test('a schema of another version is refused', async () => {
  await world.sql(`INSERT INTO queue.migrations (version, name, min_code) VALUES (99, 'future', 1)`)
  try {
    await expect(afterRestore(target)).rejects.toMatchObject({ code: 'schema_mismatch' })
    await expect(afterRestorePlan(target)).rejects.toMatchObject({ code: 'schema_mismatch' })
  } finally {
    await world.sql('DELETE FROM queue.migrations WHERE version = 99')
  }
})
