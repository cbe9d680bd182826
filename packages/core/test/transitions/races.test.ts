import { afterAll, expect, test } from '@jest/globals'
import { endedAttempts, makeDue, seeded } from '@queue/dev-postgres'
import fc from 'fast-check'
import { QueueError } from '../../src/domain/errors.ts'
import type { Lease } from '../../src/domain/job.ts'
import { cancelRunningJobs } from '../../src/transitions/cancel-running-jobs.ts'
import type { Completion } from '../../src/transitions/complete-attempts.ts'
import { finishJobs } from '../../src/transitions/finish-jobs.ts'
import { pruneJobs } from '../../src/transitions/prune-jobs.ts'
import { recoverJobs } from '../../src/transitions/recover-jobs.ts'
import { releaseJobs } from '../../src/transitions/release-jobs.ts'
import { reportProgress } from '../../src/transitions/report-progress.ts'
import { retryOrDeadLetterJobs } from '../../src/transitions/retry-or-dead-letter-jobs.ts'
import { returnUnstartedJobs } from '../../src/transitions/return-unstarted-jobs.ts'
import { snoozeJobs } from '../../src/transitions/snooze-jobs.ts'
import { stopWorker } from '../../src/workers/stop-worker.ts'
import { claim, enqueueProbes, newWorker } from '../support/builders.ts'
import { testScale } from '../support/scale.ts'
import { openWorld } from '../support/world.ts'

const world = await openWorld()
afterAll(() => world.close())

const { database, queue } = world
const jobCount = 200
const rounds = 12
const runs = 5 * testScale

/** How often each lease was ended: how many answers named the new state of the job. */
const endCounts = new Map<string, number>()

function countEnds(completions: readonly Completion[]): void {
  for (const { lease, status } of completions) {
    const key = `${lease.jobId}:${lease.token}`
    if (status !== null) endCounts.set(key, (endCounts.get(key) ?? 0) + 1)
  }
}

/** Refusals that an operator may get; they are answers and not failures. */
const refusals = new Set(['invalid_transition', 'job_not_found', 'dead_letter_not_found'])

function ignoreRefusal(error: unknown): void {
  if (!(error instanceof QueueError) || !refusals.has(error.code)) throw error
}

interface Race {
  /** Every lease that was ever given, so that most of them are stale. */
  readonly leases: Lease[]
  readonly ids: readonly string[]
  readonly draw: () => number
}

/** A random part of a list, in random order. */
function sample<Item>({ draw }: Race, items: readonly Item[], part = 0.2): Item[] {
  return items
    .map((item) => ({ item, at: draw() }))
    .filter(({ at }) => at < part)
    .toSorted((a, b) => a.at - b.at)
    .map(({ item }) => item)
}

/** Random leases: mostly recent ones, which are current, and some old ones, which are stale. */
function leasesOf(race: Race): Lease[] {
  const recent = race.leases.slice(-jobCount)
  return [...recent, ...sample(race, race.leases.slice(0, -jobCount), 0.1)]
}

/** The acts of workers, recoveries and operators on the same rows at the same time. */
const actors: ((race: Race) => Promise<unknown>)[] = [
  // Few attempts succeed, because a success ends the job.
  async (race) => {
    const writes = sample(race, leasesOf(race), 0.02).map((lease) => ({ lease, resultText: '1', note: null }))
    countEnds(await finishJobs(database, writes))
  },
  async (race) => {
    const failure = { error: 'e', waitMs: 60_000, permanent: race.draw() < 0.3 }
    countEnds(
      await retryOrDeadLetterJobs(
        database,
        sample(race, leasesOf(race), 0.35).map((lease) => ({ lease, ...failure })),
      ),
    )
  },
  async (race) => {
    countEnds(
      await snoozeJobs(
        database,
        sample(race, leasesOf(race), 0.35).map((lease) => ({ lease, waitMs: 60_000 })),
      ),
    )
  },
  async (race) => countEnds(await releaseJobs(database, sample(race, leasesOf(race), 0.35))),
  async (race) => countEnds(await returnUnstartedJobs(database, sample(race, leasesOf(race), 0.35))),
  async (race) => countEnds(await cancelRunningJobs(database, sample(race, leasesOf(race), 0.02))),
  (race) => {
    const progress = { percent: 50, message: null }
    return reportProgress(
      database,
      sample(race, leasesOf(race), 0.35).map((lease) => ({ lease, ...progress })),
    )
  },
  () => recoverJobs(database),
  async (race) => race.draw() < 0.3 && expireLeases(),
  () => pruneJobs(database, { succeededMs: 0, cancelledMs: null, failedMs: null, keyMs: null }, null),
  async (race) => {
    for (const id of sample(race, race.ids, 0.12)) await queue.cancel(id).catch(ignoreRefusal)
  },
  async (race) => {
    for (const id of await requeueable(race)) await queue.requeue(id).catch(ignoreRefusal)
  },
  () => queue.deadLetters.requeueMany({}, { all: true }),
  claimSome,
  claimSome,
  claimSome,
]

/** Many of the ended jobs, and a few of all jobs, whose requeue may be refused. */
async function requeueable(race: Race): Promise<string[]> {
  const ended = await world.sql<{ id: string }>(
    `SELECT id FROM queue.all_jobs WHERE status IN ('succeeded', 'failed_permanent', 'cancelled') ORDER BY id`,
  )
  return [
    ...sample(
      race,
      ended.map(({ id }) => id),
      0.6,
    ),
    ...sample(race, race.ids, 0.1),
  ]
}

/** Expires the leases of all live workers: the next recovery takes over their jobs, and their own writes come too late. */
function expireLeases(): Promise<unknown> {
  return world.sql(`
    UPDATE queue.workers SET lease_expires_at = now() - interval '1 second'
     WHERE id IN (SELECT id FROM queue.workers WHERE state = 'active' FOR UPDATE SKIP LOCKED)`)
}

async function claimSome(race: Race): Promise<void> {
  const workerId = await newWorker(world)
  const claimed = await claim(world, workerId, { limit: 20 })
  race.leases.push(...claimed.map((job) => job.lease))
  if (race.draw() < 0.3) await stopWorker(database, workerId)
}

/** Rows that break an invariant. */
const violations = `
  SELECT j.id, j.status::text, 'a dead letter exactly where a job has failed for good' AS law FROM queue.all_jobs AS j
   WHERE (j.status = 'failed_permanent') <> EXISTS (SELECT FROM queue.dead_letter_jobs AS d WHERE d.job_id = j.id)
  UNION ALL
  SELECT j.id, j.status::text, 'no cancel waits in a job that waits' FROM queue.all_jobs AS j
   WHERE j.cancel_requested AND j.status IN ('queued', 'retrying')
  UNION ALL
  SELECT j.id, j.status::text, 'one success at most, and it is the last attempt' FROM queue.all_jobs AS j
   WHERE EXISTS (SELECT FROM ${endedAttempts('queue')} AS x
                  WHERE x.job_id = j.id AND x.outcome = 'succeeded'
                    AND (j.status <> 'succeeded' OR x.lease_token <> j.lease_token))
  UNION ALL
  SELECT x.job_id, x.outcome, 'history of the job that it belongs to' FROM ${endedAttempts('queue')} AS x
   WHERE NOT EXISTS (SELECT FROM queue.all_jobs AS j WHERE j.id = x.job_id AND j.lease_token >= x.lease_token)`

/** The attempts whose end a worker has recorded, from the history. */
const recordedEnds = `
  SELECT x.job_id || ':' || x.lease_token AS key FROM ${endedAttempts('queue')} AS x
   WHERE x.outcome IN ('succeeded', 'failed', 'snoozed', 'released')`

async function runRace(draw: () => number): Promise<void> {
  await world.reset()
  endCounts.clear()
  const jobs = await enqueueProbes(world, jobCount, { maxAttempts: 3 })
  const race: Race = { leases: [], ids: jobs.map((job) => job.id), draw }
  await claimSome(race)
  for (let round = 0; round < rounds; round += 1) {
    await Promise.all(sample(race, [...actors, ...actors], 0.7).map((act) => act(race)))
    expect(await world.sql(violations)).toEqual([])
    await makeDue(world)
  }
  expect([...endCounts].filter(([, times]) => times !== 1)).toEqual([])
  const recorded = await world.sql<{ key: string }>(recordedEnds)
  expect(recorded.filter(({ key }) => !endCounts.has(key))).toEqual([])
}

test('with any acts on the same rows, no statement fails or deadlocks, each attempt ends once, and every invariant holds', async () => {
  // Uniform draws: by default fast-check prefers numbers near zero.
  const draws = fc.infiniteStream(fc.noBias(fc.nat(999_999)).map((n) => n / 1_000_000))
  await fc.assert(
    fc.asyncProperty(draws, (stream) => runRace(() => stream.next().value as number)),
    seeded('races', { numRuns: runs }),
  )
  process.stderr.write(`races: ${jobCount * runs} rows, 0 double ends\n`)
})
