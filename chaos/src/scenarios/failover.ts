import { setTimeout as wait } from 'node:timers/promises'
import { createQueue, migrateUp, type Queue } from '@queue/core'
import { schemaDefault } from '@queue/core/internal'
import { createTestDatabase, eventually, findBrokenInvariants, type TestDatabase } from '@queue/testing'
import pg from 'pg'
import { type EnqueueLoad, startEnqueues } from '../failover/enqueue-load.ts'
import {
  createPairTemplate,
  type ServerPair,
  type PairTemplate,
  query,
  type Replication,
} from '../failover/server-pair.ts'
import { readFailover, type FailoverCost } from '../failover/read-failover.ts'
import { chaosJob } from '../fleet/chaos-job.ts'
import { createFleet } from '../fleet/fleet.ts'
import { installEffectLog } from '../record/effect-log.ts'
import { tooFewReason, uncleanEnds } from '../run/conclude.ts'
import { watchMachineDelay } from '../run/machine-delay.ts'
import { type Scenario, type ScenarioContext, type RunResult, resultOf } from './scenario.ts'

const processes = 2
/** The maximum time from the promotion to an answered enqueue, and to the end of its job, in milliseconds. */
const resumedMsMax = 15_000
/** The primary is killed only after this many enqueues were answered. */
const acknowledgedMin = 50
/** The simulated time until the failure is noticed, in milliseconds. */
const noticeMsMax = 500
const afterwardsMs = 500
const lateJobs = 20

/**
 * The primary of a pair of servers is killed under load, the standby is promoted, and the old primary comes back with its old
 * data. No process ends. All of them find the new primary by the URL with both hosts, and none goes back. With synchronous
 * replication, no acknowledged job is lost, and no job runs again that an observer has seen as succeeded. With asynchronous
 * replication, both are only counted.
 */
export const failover: Scenario = {
  number: 25,
  name: 'failover',
  law: `a standby takes over: work resumes within ${resumedMsMax / 1_000} s, and nothing is lost that it had to have`,
  counted: 'failovers',
  full: { jobs: 0, count: 20, minutesMax: 30 },
  reduced: { jobs: 0, count: 2, minutesMax: 10 },
  run: async (context) => {
    const template = await createPairTemplate(prepare)
    const effects = await createTestDatabase({ serverUrl: context.serverUrl })
    try {
      await installEffectLog(effects.pool, effects.schema)
      return await failOverRepeatedly(context, template, effects)
    } finally {
      await effects.close()
      await template.close()
    }
  },
}

/** Prepares both servers: jobs also write to an effect log in their own transaction. */
async function prepare(url: string): Promise<void> {
  await migrateUp({ connectionString: url })
  const pool = new pg.Pool({ connectionString: url, max: 1 })
  // The server is stopped right after this, possibly before it has closed the connection.
  pool.on('error', () => undefined)
  await installEffectLog(pool, schemaDefault)
  await pool.end()
}

async function failOverRepeatedly(
  context: ScenarioContext,
  template: PairTemplate,
  effects: TestDatabase,
): Promise<RunResult> {
  const rounds: Round[] = []
  const delay = watchMachineDelay()
  try {
    for (let n = 0; n < context.size.count; n += 1) {
      context.signal.throwIfAborted()
      const replication = n % 2 === 0 ? 'synchronous' : 'asynchronous'
      const pair = await template.start(replication)
      try {
        rounds.push(await failOver(context, { pair, replication, effects, name: `failover ${n}` }))
      } finally {
        await pair.close()
      }
      context.progress(`${n + 1} of ${context.size.count} failovers`)
    }
    return evaluate(rounds, delay.allowanceMs())
  } finally {
    delay.stop()
  }
}

interface FailoverContext {
  readonly pair: ServerPair
  readonly replication: Replication
  /** The database of the effect log, on a server that is not killed. */
  readonly effects: TestDatabase
  readonly name: string
}

/** The measurements of one failover. */
interface Round extends FailoverCost {
  readonly replication: Replication
  readonly faults: readonly string[]
  /** The times from the kill to each of these events. */
  readonly promotedMs: number
  readonly enqueuedMs: number
  readonly endedMs: number
}

async function failOver(context: ScenarioContext, scene: FailoverContext): Promise<Round> {
  const { pair, effects, name } = scene
  const random = context.random.fork(name)
  const queue = createQueue({ connectionString: pair.url, acquireTimeoutMs: 2_000, queryTimeoutMs: 3_000 })
  const standby = new pg.Pool({ connectionString: pair.standbyUrl, max: 4 })
  standby.on('error', () => undefined)
  const fleet = createFleet({ url: effects.url, schema: schemaDefault }, { databaseUrl: pair.url })
  try {
    await fleet.start(processes)
    const load = startEnqueues(queue, random.fork('jobs'))
    const observer = startObserver(pair.primaryUrl)
    await eventually(async () => load.acknowledged.size >= acknowledgedMin)
    await wait(random.between(0, 1_000))
    const killedAfter = await clockOf(effects)
    const killedMs = performance.now()
    await pair.killPrimary()
    const succeeded = await observer.stop()
    const killedBefore = await clockOf(effects)
    await wait(random.between(0, noticeMsMax))
    await pair.promote()
    const promotedMs = performance.now() - killedMs
    const { enqueuedMs, endedMs } = await resumed({ queue, load, killedMs, promotedMs })
    await wait(afterwardsMs)
    await load.stop()
    await ended(standby)
    const faults = [
      ...(await comesBack({ queue, pair, standby })),
      ...(await fleet.exited()).map((end) => `a worker process exited: ${end}`),
      ...uncleanEnds(await fleet.stop()),
      ...(await findBrokenInvariants({ pool: standby, schema: schemaDefault })),
    ]
    const cost = await readFailover({
      standby,
      effects,
      acknowledged: load.acknowledged,
      succeeded,
      killed: { from: killedAfter, to: killedBefore },
    })
    return { ...cost, faults, replication: scene.replication, promotedMs, enqueuedMs, endedMs }
  } finally {
    await fleet.kill()
    await queue.close()
    await standby.end()
  }
}

async function clockOf({ pool }: TestDatabase): Promise<Date> {
  const { rows } = await pool.query<{ at: Date }>('SELECT clock_timestamp() AS at')
  if (rows[0] === undefined) throw new Error('the server returned no time')
  return rows[0].at
}

interface Resuming {
  readonly queue: Queue
  readonly load: EnqueueLoad
  readonly killedMs: number
  readonly promotedMs: number
}

/**
 * The times from the kill to the first answer to an enqueue that was sent after the promotion, and to the end of that job. An
 * earlier enqueue may have been answered by a session of the old primary that was still running. The waits are bounded,
 * because a stuck queue would wait forever.
 */
async function resumed({
  queue,
  load,
  killedMs,
  promotedMs,
}: Resuming): Promise<{ readonly enqueuedMs: number; readonly endedMs: number }> {
  const until = { deadlineMs: 4 * resumedMsMax, intervalMs: 10 }
  const first = await eventually(async () => load.firstSentAfter(killedMs + promotedMs), until)
  let status: string | undefined
  await eventually(async () => {
    const [job] = await queue.states([first.id]).catch(() => [])
    status = job?.status
    return status === 'succeeded'
  }, until).catch((cause: unknown) => {
    throw new Error(`the first job after the promotion is ${status ?? 'missing'}`, { cause })
  })
  return { enqueuedMs: first.answeredMs - killedMs, endedMs: performance.now() - killedMs }
}

/**
 * In milliseconds. A worker may need 65 s to find a job whose end was recorded only on the lost server. On a busy machine such
 * a job may then lose several of the short leases in a row, and no law says how long that takes: this is a guard against hanging.
 */
const endedMsMax = 300_000

async function ended(pool: pg.Pool): Promise<void> {
  let open: readonly unknown[] = []
  await eventually(
    async () => {
      const { rows } = await pool.query(
        `SELECT payload ->> 'key' AS key, status, attempts, run_at, locked_at, locked_by, last_error
           FROM queue.jobs WHERE status IN ('queued', 'retrying', 'running') ORDER BY id LIMIT 5`,
      )
      open = rows
      return rows.length === 0
    },
    {
      deadlineMs: endedMsMax,
      intervalMs: 50,
      what: () => `the end of every job (open: ${JSON.stringify(open)})`,
    },
  )
}

/** Observes the primary with reads only, and collects the jobs that have succeeded. */
function startObserver(url: string): { stop(): Promise<ReadonlySet<string>> } {
  const pool = new pg.Pool({ connectionString: url, max: 1 })
  pool.on('error', () => undefined)
  const succeeded = new Set<string>()
  let isOver = false
  const run = async (): Promise<void> => {
    while (!isOver) {
      const { rows } = await pool.query<{ id: string }>(
        `SELECT id FROM queue.all_jobs WHERE status = 'succeeded'`,
      )
      for (const { id } of rows) succeeded.add(id)
      await wait(20)
    }
  }
  // The observer ends with the primary.
  const running = run().catch(() => undefined)
  return {
    stop: async () => {
      isOver = true
      await running
      await pool.end()
      return succeeded
    },
  }
}

interface ComingBack {
  readonly queue: Queue
  readonly pair: ServerPair
  readonly standby: pg.Pool
}

/** A busy machine may lose several of the short leases of this suite in a row, and where a job runs does not depend on it. */
const lateAttemptsMax = 25

/** Starts the old primary beside the new one, and ends every connection, so that processes must choose the new primary again. */
async function comesBack({ queue, pair, standby }: ComingBack): Promise<string[]> {
  await pair.revivePrimary()
  const count = async (): Promise<number> =>
    Number(
      (await query<{ count: string }>(pair.primaryUrl, 'SELECT count(*) FROM queue.all_jobs')).rows[0]?.count,
    )
  const before = await count()
  await standby.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid() AND application_name LIKE 'queue%'`,
  )
  for (let n = 0; n < lateJobs; n += 1) {
    const job = { key: `late ${n}`, plan: 'succeed', ms: 0 } as const
    await eventually(() =>
      queue.enqueue(chaosJob, job, { maxAttempts: lateAttemptsMax }).catch(() => undefined),
    )
  }
  await ended(standby)
  const { rows } = await standby.query<{
    key: string
    status: string
    attempts: number
    error: string | null
  }>(
    `SELECT payload ->> 'key' AS key, status, attempts, last_error AS error FROM queue.all_jobs WHERE payload ->> 'key' LIKE 'late %'`,
  )
  const succeeded = new Set(rows.flatMap(({ key, status }) => (status === 'succeeded' ? [key] : [])))
  return [
    ...((await count()) === before ? [] : ['a process went back to the old primary']),
    ...(succeeded.size >= lateJobs
      ? []
      : [`not every late job ran on the new primary: ${JSON.stringify(rows)}`]),
  ]
}

function evaluate(rounds: readonly Round[], allowanceMs: number): RunResult {
  const late = rounds.flatMap(({ enqueuedMs, endedMs, promotedMs }) =>
    [enqueuedMs, endedMs].filter((ms) => ms - promotedMs > resumedMsMax + allowanceMs),
  )
  const broken = rounds
    .filter(({ replication }) => replication === 'synchronous')
    .flatMap(({ lost, ranAgain, tokensAgain }) => [
      ...(lost > 0 ? [`${lost} acknowledged jobs are lost`] : []),
      ...(ranAgain > 0 ? [`${ranAgain} jobs ran again although they had succeeded before`] : []),
      ...(tokensAgain > 0 ? [`${tokensAgain} lease tokens were issued twice`] : []),
    ])
  return resultOf({
    counts: {
      failovers: rounds.length,
      'allowed for delays of the machine, ms': Math.round(allowanceMs),
      ...countsOf('synchronous', rounds),
      ...countsOf('asynchronous', rounds),
    },
    faults: [
      ...rounds.flatMap(({ faults }) => faults),
      ...late.map((ms) => `work resumed ${Math.round(ms)} ms after the kill`),
      ...broken,
    ],
    voidBecause: tooFewReason({
      'jobs that were under way at a kill': {
        count: rounds.reduce((sum, { underWay }) => sum + underWay, 0),
        min: rounds.length / 2,
      },
    }),
  })
}

function countsOf(replication: Replication, all: readonly Round[]): Record<string, number> {
  const rounds = all.filter((round) => round.replication === replication)
  const maxOf = (read: (round: Round) => number): number => Math.round(Math.max(0, ...rounds.map(read)))
  const sum = (read: (round: Round) => number): number =>
    rounds.reduce((total, round) => total + read(round), 0)
  return {
    [`${replication}: jobs acknowledged`]: sum(({ acknowledged }) => acknowledged),
    [`${replication}: jobs under way at the kill`]: sum(({ underWay }) => underWay),
    [`${replication}: promoted after, ms at most`]: maxOf(({ promotedMs }) => promotedMs),
    [`${replication}: enqueued again after, ms at most`]: maxOf(({ enqueuedMs }) => enqueuedMs),
    [`${replication}: a job ended after, ms at most`]: maxOf(({ endedMs }) => endedMs),
    [`${replication}: acknowledged jobs lost`]: sum(({ lost }) => lost),
    [`${replication}: jobs run twice`]: sum(({ runTwice }) => runTwice),
    [`${replication}: run again after they were seen to have succeeded`]: sum(({ ranAgain }) => ranAgain),
    [`${replication}: lease tokens given out twice`]: sum(({ tokensAgain }) => tokensAgain),
  }
}
