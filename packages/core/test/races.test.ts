import { afterAll, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { makeDue, seeded } from '@queue/dev-postgres'
import { QueueError } from '../src/domain/errors.ts'
import type { Lease } from '../src/domain/job.ts'
import { cancelRunningJobs } from '../src/transitions/cancel-running-jobs.ts'
import { finishJobs } from '../src/transitions/finish-jobs.ts'
import { returnUnstartedJobs } from '../src/transitions/return-unstarted-jobs.ts'
import { pruneJobs } from '../src/transitions/prune-jobs.ts'
import { recoverJobs } from '../src/transitions/recover-jobs.ts'
import { releaseJobs } from '../src/transitions/release-jobs.ts'
import { reportProgress } from '../src/transitions/report-progress.ts'
import { retryOrDeadLetterJobs } from '../src/transitions/retry-or-dead-letter-jobs.ts'
import type { Completion } from '../src/transitions/complete-attempts.ts'
import { snoozeJobs } from '../src/transitions/snooze-jobs.ts'
import { stopWorker } from '../src/workers/stop-worker.ts'
import { claim, enqueueProbes, registered } from './support/builders.ts'
import { testScale } from './support/scale.ts'
import { openWorld } from './support/world.ts'

const world = await openWorld()
afterAll(() => world.close())

const { database, queue } = world
const jobCount = 200
const rounds = 12
const scenes = 5 * testScale

/** How often the end of each lease was recorded: how many answers named the state that the job has entered. */
const ends = new Map<string, number>()

function note(completions: readonly Completion[]): void {
  for (const { lease, status } of completions) {
    const key = `${lease.jobId}:${lease.token}`
    if (status !== null) ends.set(key, (ends.get(key) ?? 0) + 1)
  }
}

/** A refusal that an operator may get is an answer and no fault. */
const refusals = new Set(['invalid_transition', 'job_not_found', 'dead_letter_not_found'])

function unlessRefused(error: unknown): void {
  if (!(error instanceof QueueError) || !refusals.has(error.code)) throw error
}

interface Scene {
  /** Every lease that was ever handed out, so that most of them are stale. */
  readonly leases: Lease[]
  readonly ids: readonly string[]
  readonly draw: () => number
}

/** A part of a list, in an order of its own. */
function some<Item>({ draw }: Scene, items: readonly Item[], part = 0.2): Item[] {
  return items
    .map((item) => ({ item, at: draw() }))
    .filter(({ at }) => at < part)
    .toSorted((a, b) => a.at - b.at)
    .map(({ item }) => item)
}

/** The last leases, of which most are current, and some of the old ones, which are stale. */
function leasesOf(scene: Scene): Lease[] {
  const recent = scene.leases.slice(-jobCount)
  return [...recent, ...some(scene, scene.leases.slice(0, -jobCount), 0.1)]
}

/** What workers, recoveries and operators do to the same rows at the same time. */
const actors: ((scene: Scene) => Promise<unknown>)[] = [
  // Few of them succeed, since that ends the job.
  async (scene) => {
    const writes = some(scene, leasesOf(scene), 0.02).map((lease) => ({ lease, resultText: '1', note: null }))
    note(await finishJobs(database, writes))
  },
  async (scene) => {
    const failed = { error: 'e', waitMs: 60_000, permanent: scene.draw() < 0.3 }
    note(
      await retryOrDeadLetterJobs(
        database,
        some(scene, leasesOf(scene), 0.35).map((lease) => ({ lease, ...failed })),
      ),
    )
  },
  async (scene) => {
    note(
      await snoozeJobs(
        database,
        some(scene, leasesOf(scene), 0.35).map((lease) => ({ lease, waitMs: 60_000 })),
      ),
    )
  },
  async (scene) => note(await releaseJobs(database, some(scene, leasesOf(scene), 0.35))),
  async (scene) => note(await returnUnstartedJobs(database, some(scene, leasesOf(scene), 0.35))),
  async (scene) => note(await cancelRunningJobs(database, some(scene, leasesOf(scene), 0.02))),
  (scene) => {
    const progress = { percent: 50, message: null }
    return reportProgress(
      database,
      some(scene, leasesOf(scene), 0.35).map((lease) => ({ lease, ...progress })),
    )
  },
  () => recoverJobs(database),
  async (scene) => scene.draw() < 0.3 && expireLeases(),
  () => pruneJobs(database, { succeededMs: 0, cancelledMs: null, failedMs: null, keyMs: null }, null),
  async (scene) => {
    for (const id of some(scene, scene.ids, 0.12)) await queue.cancel(id).catch(unlessRefused)
  },
  async (scene) => {
    for (const id of await requeueable(scene)) await queue.requeue(id).catch(unlessRefused)
  },
  () => queue.deadLetters.requeueMany(),
  claimSome,
  claimSome,
  claimSome,
]

/** Some of those that have ended, and few of the others, which refuse it one by one. */
async function requeueable(scene: Scene): Promise<string[]> {
  const ended = await world.sql<{ id: string }>(
    `SELECT id FROM queue.jobs WHERE status IN ('succeeded', 'failed_permanent', 'cancelled') ORDER BY id`,
  )
  return [
    ...some(
      scene,
      ended.map(({ id }) => id),
      0.6,
    ),
    ...some(scene, scene.ids, 0.1),
  ]
}

/** What every live worker holds can be taken over by the next recovery; their own writes are late from then on. */
function expireLeases(): Promise<unknown> {
  return world.sql(`
    UPDATE queue.workers SET lease_expires_at = now() - interval '1 second'
     WHERE id IN (SELECT id FROM queue.workers WHERE state = 'active' FOR UPDATE SKIP LOCKED)`)
}

async function claimSome(scene: Scene): Promise<void> {
  const workerId = await registered(world)
  const claimed = await claim(world, workerId, { limit: 20 })
  scene.leases.push(...claimed.map((job) => job.lease))
  if (scene.draw() < 0.3) await stopWorker(database, workerId)
}

/** What must hold of every row, whatever has happened. */
const violations = `
  SELECT j.id, j.status::text, 'a dead letter exactly where a job has failed for good' AS law FROM queue.jobs AS j
   WHERE (j.status = 'failed_permanent') <> EXISTS (SELECT FROM queue.dead_letter_jobs AS d WHERE d.job_id = j.id)
  UNION ALL
  SELECT j.id, j.status::text, 'no cancel waits in a job that waits' FROM queue.jobs AS j
   WHERE j.cancel_requested AND j.status IN ('queued', 'retrying')
  UNION ALL
  SELECT j.id, j.status::text, 'one success at most, and it is the last attempt' FROM queue.jobs AS j
   WHERE EXISTS (SELECT FROM queue.job_executions AS x
                  WHERE x.job_id = j.id AND x.outcome = 'succeeded'
                    AND (j.status <> 'succeeded' OR x.lease_token <> j.lease_token))
  UNION ALL
  SELECT x.job_id, x.outcome, 'history of the job that it belongs to' FROM queue.job_executions AS x
   WHERE NOT EXISTS (SELECT FROM queue.jobs AS j WHERE j.id = x.job_id AND j.lease_token >= x.lease_token)`

/** The attempts whose end a worker has recorded, by the history. */
const recordedEnds = `
  SELECT x.job_id || ':' || x.lease_token AS key FROM queue.job_executions AS x
   WHERE x.outcome IN ('succeeded', 'failed', 'snoozed', 'released')`

async function playOut(draw: () => number): Promise<void> {
  await world.reset()
  ends.clear()
  const jobs = await enqueueProbes(world, jobCount, { maxAttempts: 3 })
  const scene: Scene = { leases: [], ids: jobs.map((job) => job.id), draw }
  await claimSome(scene)
  for (let round = 0; round < rounds; round += 1) {
    await Promise.all(some(scene, [...actors, ...actors], 0.7).map((act) => act(scene)))
    expect(await world.sql(violations)).toEqual([])
    await makeDue(world)
  }
  expect([...ends].filter(([, times]) => times !== 1)).toEqual([])
  const recorded = await world.sql<{ key: string }>(recordedEnds)
  expect(recorded.filter(({ key }) => !ends.has(key))).toEqual([])
}

test('whatever meets on the same rows: no statement fails or deadlocks, each attempt has one end, and every invariant holds', async () => {
  // Uniform: fast-check would otherwise prefer what is near to zero.
  const draws = fc.infiniteStream(fc.noBias(fc.nat(999_999)).map((n) => n / 1_000_000))
  await fc.assert(
    fc.asyncProperty(draws, (stream) => playOut(() => stream.next().value as number)),
    seeded('races', { numRuns: scenes }),
  )
  process.stderr.write(`races: ${jobCount * scenes} rows, 0 double ends\n`)
})
