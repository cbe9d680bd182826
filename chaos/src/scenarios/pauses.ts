import { eventually, findBrokenInvariants } from '@queue/testing'
import { finishJobs } from '@queue/core/runtime'
import { deadlocks } from '../checker/check-limits.ts'
import { chaosJob } from '../fleet/chaos-job.ts'
import { type Claimers, openClaimers } from '../run/claimers.ts'
import { databaseNowMs } from '../run/database-now.ts'
import { watchMachineDelay } from '../run/machine-delay.ts'
import { withWorld, type World } from '../run/world.ts'
import { type Scenario, type ScenarioContext, type Verdict, verdictOf } from './scenario.ts'

const claimers = 8
const limit = 5
const enqueueMax = 1_000
/** So many claims are answered while a pause holds: each claimer has looked several times. */
const claimsPerPause = 4 * claimers
/** A job behind a limit that has room starts so much later at most: the longest that a worker waits between its polls. */
const waitMsMax = 2_000
/** Whoever claims all the time has a job by then, unless others were sooner. */
const claimWithinMs = 10_000
/** In how many of the rounds a limit is made free by a worker that is gone with the same breath. */
const strandedShare = 0.2

const queue = 'paused'
/** What is paused in turn, and which jobs it holds back. */
const pausable = [
  { rule: { queue, scope: 'kind', name: chaosJob.kind }, holds: 'true' },
  { rule: { queue, scope: 'key', name: 'k1' }, holds: "j.key = 'k1'" },
  { rule: { queue, scope: 'queue' }, holds: 'true' },
] as const

/**
 * A kind, a key and a queue are paused while eight workers claim beside each other: once a pause has been answered, none of their
 * claims commits a start. And workers that hear of nothing find what a limit lets start, whoever has made room for it.
 */
export const pauses: Scenario = {
  number: 34,
  name: 'pauses',
  law: 'no claim commits a start after a pause was answered, and what a limit lets start starts within 2 s',
  counted: 'pauses',
  full: { jobs: 0, count: 500, minutesMax: 60 },
  reduced: { jobs: 0, count: 15, minutesMax: 10 },
  run: (context) => {
    // As they are by default, but that nobody tells them anything.
    const fleet = {
      queues: ['freed'],
      notifications: false,
      pollIntervalMs: 500,
      maxPollIntervalMs: waitMsMax,
    }
    return withWorld(context, { name: 'pauses', fleet }, (world) => pauseAndFree(world, context))
  },
}

async function pauseAndFree(world: World, context: ScenarioContext): Promise<Verdict> {
  const { database } = world
  const { size, signal, progress } = context
  const faults: string[] = []
  const crew = await openClaimers(database, { count: claimers, queue, limit })
  let isOver = false
  const working = crew.work(() => isOver)
  try {
    for (let round = 0; round < size.count; round += 1) {
      signal.throwIfAborted()
      faults.push(...(await pauseOnce(world, crew, round)))
      progress(`${round + 1} of ${size.count} pauses`)
    }
  } finally {
    isOver = true
    await working
    await crew.close()
  }
  const freed = await freeAndWait(world, Math.ceil(size.count * strandedShare))
  const unclean = await world.fleet.stop()
  const starts = crew.taken.reduce((sum, { jobs }) => sum + jobs.length, 0)
  return verdictOf({
    faults: [
      ...faults,
      ...freed.faults,
      ...unclean,
      ...(await deadlocks(database)),
      ...(await findBrokenInvariants(database)),
    ],
    counts: {
      pauses: size.count,
      starts,
      'longest wait behind a free limit, ms': Math.round(freed.longestMs),
    },
    ...(starts < size.count * limit
      ? { voidBecause: `only ${starts} jobs were started between the pauses` }
      : {}),
  })
}

/** Pauses one thing while claims are under way, and gives the starts that were committed between the answer and the end of it. */
async function pauseOnce({ database }: World, crew: Claimers, round: number): Promise<string[]> {
  const { rule, holds } = pausable[round % pausable.length] ?? pausable[0]
  const requests = Array.from({ length: enqueueMax }, (_, n) => {
    const key = n % 3 === 0 ? {} : { key: `k${n % 3}` }
    return chaosJob.create({ key: '', plan: 'succeed', ms: 0 }, { queue, ...key })
  })
  await database.queue.enqueueMany(requests)
  const begun = crew.taken.length
  await eventually(() => crew.taken.slice(begun).some(({ jobs }) => jobs.length > 0), { intervalMs: 1 })
  await database.queue.limits.set({ ...rule, paused: true })
  const answered = await readSnapshot(database)
  const paused = crew.taken.length
  await eventually(() => crew.taken.length >= paused + claimsPerPause, { intervalMs: 1 })
  const ended = await readSnapshot(database)
  await database.queue.limits.delete(rule)
  const { rows } = await database.pool.query<{ id: string }>(
    `SELECT j.id FROM chaos.audit AS a JOIN "${database.schema}".jobs AS j ON j.id = a.job_id
      WHERE a.to_status = 'running' AND j.queue = $3 AND ${holds}
        AND NOT pg_visible_in_snapshot(a.xid, $1::pg_snapshot) AND pg_visible_in_snapshot(a.xid, $2::pg_snapshot)`,
    [answered, ended, queue],
  )
  return rows.map(({ id }) => `${rule.scope}: job ${id} was started after its pause had been answered`)
}

/** Which transactions have committed by now. */
async function readSnapshot({ pool }: World['database']): Promise<string> {
  const { rows } = await pool.query<{ text: string }>('SELECT pg_current_snapshot()::text AS text')
  return rows[0]?.text ?? ''
}

/**
 * A job waits behind a key whose one place a worker has made free that does nothing more, as one that was killed as it wrote its
 * end. Other processes have been idle for as long as it takes to poll as seldom as they do.
 */
async function freeAndWait(
  { database, fleet }: World,
  rounds: number,
): Promise<{ readonly faults: readonly string[]; readonly longestMs: number }> {
  const rule = { queue: 'freed', scope: 'each_key', maxRunning: 1 } as const
  await database.queue.limits.set(rule)
  const delay = watchMachineDelay()
  let longestMs = 0
  for (let round = 0; round < rounds; round += 1) {
    const key = `key ${round}`
    const own = chaosJob.create({ key, plan: 'succeed', ms: 0 }, { queue: rule.queue, key })
    const crew = await openClaimers(database, { count: 1, queue: rule.queue, limit: 1, finishes: false })
    try {
      const untilMs = performance.now() + claimWithinMs
      const claiming = crew.work(
        (taken) => taken.some(({ jobs }) => jobs.length > 0) || performance.now() > untilMs,
      )
      await database.queue.enqueueMany([own, own])
      await claiming
      if (round === 0) await fleet.start(2)
      const [held] = crew.taken.flatMap(({ jobs }) => jobs)
      // The others have polled just then, and run both.
      if (held === undefined && round > 0) continue
      if (held === undefined) throw new Error('no job was claimed')
      await finishJobs(database.queue.database, [{ lease: held.lease, resultText: 'null', note: null }])
      const freedMs = await databaseNowMs(database)
      const started = await eventually(() => startOf(database, key, held.id), { intervalMs: 20 })
      longestMs = Math.max(longestMs, started - freedMs)
    } finally {
      await crew.close()
    }
  }
  const allowedMs = waitMsMax + delay.allowanceMs()
  delay.stop()
  const late = `a job behind a limit that had become free waited for ${Math.round(longestMs)} ms`
  return { longestMs, faults: longestMs > allowedMs ? [late] : [] }
}

/** When the other job of the key was started, on the database's clock; undefined as long as it was not. */
async function startOf(
  { pool, schema }: World['database'],
  key: string,
  held: string,
): Promise<number | undefined> {
  const { rows } = await pool.query<{ ms: number }>(
    `SELECT (extract(epoch FROM a.taken_at) * 1000)::float8 AS ms
       FROM chaos.audit AS a JOIN "${schema}".jobs AS j ON j.id = a.job_id
      WHERE a.to_status = 'running' AND j.key = $1 AND j.id <> $2`,
    [key, held],
  )
  return rows[0]?.ms
}
