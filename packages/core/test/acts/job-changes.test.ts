import { afterAll, beforeEach, describe, expect, test } from '@jest/globals'
import { untilSomeoneWaitsFor } from '@queue/dev-postgres'
import type { ManyResult } from '../../src/acts/acts-on-many.ts'
import type { JobOptions } from '../../src/domain/job-definition.ts'
import type { ClaimedJob } from '../../src/domain/job.ts'
import { cancelRunningJobs } from '../../src/transitions/cancel-running-jobs.ts'
import { expireJobs } from '../../src/transitions/expire-jobs.ts'
import { finishJobs } from '../../src/transitions/finish-jobs.ts'
import { recoverJobs } from '../../src/transitions/recover-jobs.ts'
import { releaseJobs } from '../../src/transitions/release-jobs.ts'
import { reportProgress } from '../../src/transitions/report-progress.ts'
import { retryOrDeadLetterJobs } from '../../src/transitions/retry-or-dead-letter-jobs.ts'
import { returnUnstartedJobs } from '../../src/transitions/return-unstarted-jobs.ts'
import { snoozeJobs } from '../../src/transitions/snooze-jobs.ts'
import { claim, enqueueProbe, newWorker, probe, runningJob } from '../support/builders.ts'
import { openWorld } from '../support/world.ts'

const world = await openWorld()
const { queue, database } = world
afterAll(() => world.close())
beforeEach(() => world.reset())

const hourMs = 3_600_000
const inAnHour = () => new Date(Date.now() + hourMs)
const waitingKey = (onConflict: 'replace' | 'reschedule') =>
  ({ unique: { key: 'u', scope: 'waiting', onConflict } }) as const

const waiting = async (options: JobOptions = {}) => (await enqueueProbe(world, options)).id
const running = (options: JobOptions = {}) => runningJob(world, options)
const failed = async () => {
  const { id, lease } = await running()
  await retryOrDeadLetterJobs(database, [{ lease, error: 'e', waitMs: 0, permanent: true }])
  return id
}
const cancelled = async (options: JobOptions = {}) => {
  const id = await waiting(options)
  await queue.cancel(id)
  return id
}

/** A change of a job, whose row says that it was changed an hour later than now. */
interface Change {
  readonly change: string
  readonly seed: () => Promise<string | ClaimedJob>
  readonly make: (id: string, job: ClaimedJob) => Promise<unknown>
}
const ofWaiting = (change: string, make: Change['make'], options?: JobOptions): Change => ({
  change,
  seed: () => waiting(options),
  make,
})
const ofRunning = (change: string, make: (job: ClaimedJob) => Promise<unknown>): Change => ({
  change,
  seed: () => running(),
  make: (_, job) => make(job),
})
const claimIt = async () => claim(world, await newWorker(world))

const changes: readonly Change[] = [
  ofWaiting('an edit', (id) => queue.edit(id, { priority: 1 })),
  ofWaiting('a run now', (id) => queue.runNow(id), { delayMs: hourMs }),
  ofWaiting('a reschedule', () => queue.many.reschedule({}, { all: true, runAt: inAnHour() })),
  ofWaiting('a cancel', (id) => queue.cancel(id)),
  ofWaiting('a cancel of many', () => queue.many.cancel({}, { all: true })),
  ofWaiting('a cancel in SQL', (id) => world.sql('SELECT queue.cancel($1)', [id])),
  ofWaiting('a claim', claimIt),
  ofWaiting('a claim in a lane', claimIt, { key: 'k' }),
  ofWaiting('an expiry', () => expireAll(), { expiresInMs: hourMs }),
  ofWaiting('a replacement', () => queue.enqueue(probe, 2, waitingKey('replace')), waitingKey('replace')),
  ofWaiting(
    'a reschedule by the unique key',
    () => queue.enqueue(probe, 2, waitingKey('reschedule')),
    waitingKey('reschedule'),
  ),
  { change: 'a requeue', seed: cancelled, make: (id) => queue.requeue(id) },
  { change: 'a requeue of many', seed: cancelled, make: () => queue.many.requeue({}, { all: true }) },
  {
    change: 'a requeue of dead letters',
    seed: failed,
    make: () => queue.deadLetters.requeueMany({}, { all: true }),
  },
  {
    change: 'a receipt',
    seed: () => cancelled({ idempotencyKey: 'i' }),
    make: (id) => world.sql('SELECT queue.strip_jobs($1::uuid[])', [[id]]),
  },
  ofRunning('a request of a cancel', ({ id }) => queue.cancel(id)),
  ofRunning('a request of a cancel in SQL', ({ id }) => world.sql('SELECT queue.cancel($1)', [id])),
  ofRunning('a report', ({ lease }) => reportProgress(database, [{ lease, percent: 1, message: null }])),
  ofRunning('a success', ({ lease }) => finishJobs(database, [{ lease, resultText: null, note: null }])),
  ofRunning('a failure', ({ lease }) =>
    retryOrDeadLetterJobs(database, [{ lease, error: 'e', waitMs: 0, permanent: false }]),
  ),
  ofRunning('a snooze', ({ lease }) => snoozeJobs(database, [{ lease, waitMs: 0 }])),
  ofRunning('a release', ({ lease }) => releaseJobs(database, [lease])),
  ofRunning('a return', ({ lease }) => returnUnstartedJobs(database, [lease])),
  ofRunning('a cancel by the worker', ({ lease }) => cancelRunningJobs(database, [lease])),
  ofRunning('a recovery', async () => {
    await world.sql(`UPDATE queue.workers SET lease_expires_at = now() - interval '1 hour'`)
    await recoverJobs(database)
  }),
]

async function expireAll(): Promise<void> {
  await world.sql(`UPDATE queue.jobs SET expires_at = now() - interval '1 second'`)
  await expireJobs(database)
}

async function updatedAtOf(id: string): Promise<number> {
  const [row] = await world.sql<{ ms: number }>(
    `SELECT floor(extract(epoch FROM updated_at) * 1000)::float8 AS ms FROM queue.all_jobs WHERE id = $1`,
    [id],
  )
  return row?.ms ?? 0
}

describe('a change moves updated_at by a millisecond at least, so that entity tags differ:', () => {
  test.each(changes)('$change', async ({ seed, make }) => {
    const seeded = await seed()
    const id = typeof seeded === 'string' ? seeded : seeded.id
    await world.sql(`UPDATE queue.jobs SET updated_at = clock_timestamp() + interval '1 hour'`)
    const before = await updatedAtOf(id)
    await make(id, seeded as ClaimedJob)
    expect(await updatedAtOf(id)).toBeGreaterThan(before)
  })

  test('an edit refuses what was read before another change, however close the two are', async () => {
    const id = await waiting({ delayMs: hourMs })
    await world.sql(`UPDATE queue.jobs SET updated_at = clock_timestamp() + interval '1 hour'`)
    const { job } = await queue.edit(id, { priority: 1 })
    await queue.runNow(id)
    await expect(queue.edit(id, { priority: 2 }, { ifUpdatedAt: job.updatedAt })).rejects.toMatchObject({
      code: 'job_changed',
    })
  })
})

describe('a run now', () => {
  test('makes a job due whose attempt fails while it waits for the row', async () => {
    const { id } = await running()
    const ending = await world.session()
    await ending.query('BEGIN')
    await ending.query(
      `UPDATE queue.jobs SET status = 'retrying', locked_by = NULL, locked_at = NULL, run_at = now() + interval '1 hour'
        WHERE id = $1`,
      [id],
    )
    const made = queue.runNow(id)
    await untilSomeoneWaitsFor(ending, await world.session())
    await ending.query('COMMIT')
    const job = await made
    expect(job.status).toBe('retrying')
    expect(job.runAt.getTime()).toBeLessThan(Date.now() + hourMs / 2)
  })

  test('describes the row that it has locked', async () => {
    const id = await waiting()
    const claiming = await world.session()
    await claiming.query('BEGIN')
    await claiming.query(
      `UPDATE queue.jobs SET status = 'running', locked_by = 'w', locked_at = now() WHERE id = $1`,
      [id],
    )
    const refused = expect(queue.runNow(id)).rejects.toThrow('is running and cannot be run now')
    await untilSomeoneWaitsFor(claiming, await world.session())
    await claiming.query('COMMIT')
    await refused
  })
})

describe('a job that must start before its expiry', () => {
  const expiring = (options: JobOptions = {}) => waiting({ expiresInMs: hourMs, ...options })
  const afterExpiry = () => new Date(Date.now() + 2 * hourMs)

  test('is not moved behind it by an edit', async () => {
    const id = await expiring()
    await expect(queue.edit(id, { runAt: afterExpiry() })).rejects.toMatchObject({
      code: 'invalid_job',
      issues: [{ path: ['run_at'], message: 'must be before the expiry of the job' }],
    })
    await queue.edit(id, { runAt: new Date(Date.now() + hourMs / 2) })
  })

  test('is left alone by a reschedule behind it, which counts only the others', async () => {
    const id = await expiring()
    const other = await waiting()
    const runAt = afterExpiry()
    expect(await queue.operations.dryRun('reschedule', {}, { runAt })).toMatchObject({ count: 1 })
    expect(await queue.many.reschedule({}, { all: true, runAt })).toMatchObject({
      jobIds: [other],
      skipped: 0,
    })
    expect((await queue.get(id))?.runAt.getTime()).toBeLessThanOrEqual(Date.now())
  })

  test.each(['replace', 'reschedule'] as const)(
    'is not moved behind it by an enqueue with its unique key: %s',
    async (onConflict) => {
      const id = await expiring({ delayMs: hourMs / 2, ...waitingKey(onConflict) })
      const request = { runAt: afterExpiry(), ...waitingKey(onConflict) }
      const enqueued = queue.enqueue(probe, 2, request)
      if (onConflict === 'replace') {
        expect((await enqueued).job).toMatchObject({ id, expiresAt: null })
      } else {
        await expect(enqueued).rejects.toMatchObject({ code: 'invalid_job' })
      }
    },
  )

  test('is neither edited, run nor moved once that is past', async () => {
    const id = await expiring()
    await world.sql(`UPDATE queue.jobs SET expires_at = now() - interval '1 second'`)
    const reason = 'its expiry is past, so it never starts'
    await expect(queue.edit(id, { priority: 1 })).rejects.toThrow(reason)
    await expect(queue.runNow(id)).rejects.toThrow(reason)
    expect(await queue.many.reschedule({}, { all: true, runAt: new Date() })).toMatchObject({ jobIds: [] })
  })

  test('has no expiry any more once it has started', async () => {
    const { id, lease } = await running({ expiresInMs: hourMs })
    await retryOrDeadLetterJobs(database, [{ lease, error: 'e', waitMs: hourMs, permanent: false }])
    await queue.edit(id, { runAt: afterExpiry() })
    const moved: ManyResult = await queue.many.reschedule({}, { all: true, runAt: afterExpiry() })
    expect(moved).toMatchObject({ jobIds: [id] })
  })
})
