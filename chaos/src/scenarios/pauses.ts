import { eventually, findBrokenInvariants } from '@queue/testing'
import { finishJobs, databaseOf } from '@queue/core/internal'
import { deadlocks } from '../checker/check-limits.ts'
import { chaosJob } from '../fleet/chaos-job.ts'
import { type Claimers, openClaimers } from '../run/claimers.ts'
import { databaseNowMs } from '../run/database-now.ts'
import { watchMachineDelay } from '../run/machine-delay.ts'
import { withWorld, type World } from '../run/world.ts'
import { type Scenario, type ScenarioContext, type RunResult, resultOf } from './scenario.ts'

const claimers = 8
const limit = 5
const enqueueMax = 1_000
/** How many claims are answered during a pause, so that each claimer has claimed several times. */
const claimsPerPause = 4 * claimers
/** A job starts at most this long after its limit has room: the longest time between two polls of a worker. */
const waitMsMax = 2_000
/** A claimer that claims all the time has a job by then, unless others were faster. In milliseconds. */
const claimWithinMs = 10_000
/** The share of rounds in which a worker frees a limit and then does nothing more. */
const strandedShare = 0.2

const queue = 'paused'
/** What is paused in turn, and the SQL condition of the jobs that the pause holds back. */
const pausable = [
  { rule: { queue, scope: 'kind', name: chaosJob.kind }, holds: 'true' },
  { rule: { queue, scope: 'key', name: 'k1' }, holds: "j.key = 'k1'" },
  { rule: { queue, scope: 'queue' }, holds: 'true' },
] as const

/**
 * A kind, a key and a queue are paused while eight workers claim at the same time: after the answer to a pause, none of their
 * claims commits a start. Also, workers without notifications find the jobs that a limit lets start, whichever worker has made
 * room for them.
 */
export const pauses: Scenario = {
  number: 34,
  name: 'pauses',
  law: 'no claim commits a start after a pause was answered, and what a limit lets start starts within 2 s',
  counted: 'pauses',
  full: { jobs: 0, count: 500, minutesMax: 60 },
  reduced: { jobs: 0, count: 15, minutesMax: 10 },
  run: (context) => {
    // The default settings, but without notifications.
    const fleet = {
      queues: ['freed'],
      notifications: false,
      pollIntervalMs: 500,
      maxPollIntervalMs: waitMsMax,
    }
    return withWorld(context, { name: 'pauses', fleet }, (world) => pauseAndFree(world, context))
  },
}

async function pauseAndFree(world: World, context: ScenarioContext): Promise<RunResult> {
  const { database } = world
  const { size, signal, progress } = context
  const faults: string[] = []
  const crew = await openClaimers(database, { count: claimers, queue, limit })
  let isOver = false
  const working = crew.claimUntil(() => isOver)
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
  const starts = crew.claims.reduce((sum, { jobs }) => sum + jobs.length, 0)
  return resultOf({
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

/** Pauses once while claims run. Resolves with the starts that were committed between the answer and the end of the pause. */
async function pauseOnce({ database }: World, crew: Claimers, round: number): Promise<string[]> {
  const { rule, holds } = pausable[round % pausable.length] ?? pausable[0]
  const requests = Array.from({ length: enqueueMax }, (_, n) => {
    const key = n % 3 === 0 ? {} : { key: `k${n % 3}` }
    return chaosJob.create({ key: '', plan: 'succeed', ms: 0 }, { queue, ...key })
  })
  await database.queue.enqueueMany(requests)
  const begun = crew.claims.length
  await eventually(() => crew.claims.slice(begun).some(({ jobs }) => jobs.length > 0), { intervalMs: 1 })
  await database.queue.limits.set({ ...rule, paused: true })
  const answered = await readSnapshot(database)
  const paused = crew.claims.length
  await eventually(() => crew.claims.length >= paused + claimsPerPause, { intervalMs: 1 })
  const ended = await readSnapshot(database)
  await database.queue.limits.delete(rule)
  const { rows } = await database.pool.query<{ id: string }>(
    `SELECT j.id FROM chaos.audit AS a JOIN "${database.schema}".all_jobs AS j ON j.id = a.job_id
      WHERE a.to_status = 'running' AND j.queue = $3 AND ${holds}
        AND NOT pg_visible_in_snapshot(a.xid, $1::pg_snapshot) AND pg_visible_in_snapshot(a.xid, $2::pg_snapshot)`,
    [answered, ended, queue],
  )
  return rows.map(({ id }) => `${rule.scope}: job ${id} was started after its pause had been answered`)
}

/** A snapshot of the transactions that have committed. */
async function readSnapshot({ pool }: World['database']): Promise<string> {
  const { rows } = await pool.query<{ text: string }>('SELECT pg_current_snapshot()::text AS text')
  return rows[0]?.text ?? ''
}

/**
 * A job waits behind a key. A worker frees its only place and does nothing more, as if it was killed while it wrote the end.
 * Other processes have been idle long enough to poll at their longest interval. Measures when they start the job.
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
    const request = chaosJob.create({ key, plan: 'succeed', ms: 0 }, { queue: rule.queue, key })
    const crew = await openClaimers(database, { count: 1, queue: rule.queue, limit: 1, end: leaveRunning })
    try {
      const untilMs = performance.now() + claimWithinMs
      const claiming = crew.claimUntil(
        (claims) => claims.some(({ jobs }) => jobs.length > 0) || performance.now() > untilMs,
      )
      await database.queue.enqueueMany([request, request])
      await claiming
      if (round === 0) await fleet.start(2)
      const [heldJob] = crew.claims.flatMap(({ jobs }) => jobs)
      // The other processes polled at this moment and ran both jobs.
      if (heldJob === undefined && round > 0) continue
      if (heldJob === undefined) throw new Error('no job was claimed')
      await finishJobs(databaseOf(database.queue), [{ lease: heldJob.lease, resultText: 'null', note: null }])
      const freedMs = await databaseNowMs(database)
      const started = await eventually(() => startOf(database, key, heldJob.id), { intervalMs: 20 })
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

async function leaveRunning(): Promise<void> {}

/** When the other job of the key was started, on the database's clock in milliseconds; undefined if it was not. */
async function startOf(
  { pool, schema }: World['database'],
  key: string,
  heldId: string,
): Promise<number | undefined> {
  const { rows } = await pool.query<{ ms: number }>(
    `SELECT (extract(epoch FROM a.taken_at) * 1000)::float8 AS ms
       FROM chaos.audit AS a JOIN "${schema}".all_jobs AS j ON j.id = a.job_id
      WHERE a.to_status = 'running' AND j.key = $1 AND j.id <> $2`,
    [key, heldId],
  )
  return rows[0]?.ms
}
