import { setTimeout as wait } from 'node:timers/promises'
import { sendEmail } from '@queue/core'
import { createTestDatabase, type TestDatabase } from '@queue/testing'
import { endedAttempts } from '@queue/test-database'
import { startWorkerApp, type WorkerAppProcess } from '../fleet/worker-app-process.ts'
import { describeEnd } from '../fleet/worker-process.ts'
import type { Random } from '../nemesis/random.ts'
import { startFaultProxy } from '../proxy/fault-proxy.ts'
import { tooFewReason } from '../run/conclude.ts'
import { type RunResult, resultOf, type ScenarioContext } from '../scenarios/scenario.ts'

/** The jobs in the queue of a process. They keep it busy for about `workMs` milliseconds. */
const jobsOfProcess = 16
const workMs = 600
const latencyMs = 20
/** A process takes up to about this many statements for its start, its work, and the first polls after it. */
const statementsOfLife = 60
/** A process that has not ended this long after its signal does not end, in milliseconds. */
const endsWithinMs = 60_000

const settings = {
  WORKER_CONCURRENCY: '4',
  WORKER_SIMULATION_SPEED: '4',
  WORKER_POLL_INTERVAL_MS: '20',
  WORKER_MAX_POLL_INTERVAL_MS: '40',
  // Some handlers run longer, and their jobs are released.
  WORKER_SHUTDOWN_GRACE_MS: '50',
} as const

/** What the stops of a run have shown. */
interface Stops {
  readonly faults: string[]
  /** Stops before the process was ready, and after it. */
  whileStarting: number
  whileReady: number
}

/**
 * Processes of `apps/worker` are told to stop at random moments of their start, of their work, and after it: half of them at random
 * times, and half of them, whose connections have 20 ms of latency, at random statements. Each second one of these is stopped when
 * it sends its registration. Every process has a queue of its own, so that what it leaves behind is known: no running job, no
 * worker that counts as live, and no charge for an attempt that did not end.
 */
export async function stopWorkerApps(context: ScenarioContext): Promise<RunResult> {
  const database = await createTestDatabase({ serverUrl: context.serverUrl })
  const stops: Stops = { faults: [], whileStarting: 0, whileReady: 0 }
  try {
    const { count } = context.size
    const direct = Math.ceil(count / 2)
    await Promise.all([
      stopAtTimes(direct, { database, context, stops }),
      stopAtStatements(count - direct, { database, context, stops }),
    ])
    return resultOf({
      faults: stops.faults,
      counts: { 'stops of apps/worker': count, 'in its start': stops.whileStarting },
      voidBecause: tooFewReason({
        'stops in a start': { count: stops.whileStarting, min: count / 10 },
        'stops after a start': { count: stops.whileReady, min: count / 10 },
      }),
    })
  } finally {
    await database.close()
  }
}

interface StopsOptions {
  readonly database: TestDatabase
  readonly context: ScenarioContext
  readonly stops: Stops
}

/** Stops processes that are connected directly, each at a random time of a life as long as that of the first one. */
async function stopAtTimes(count: number, options: StopsOptions): Promise<void> {
  const random = options.context.random.fork('times')
  let startMs = 0
  for (let n = 0; n < count; n += 1) {
    await oneStop(`direct${n}`, options, async (start) => {
      const startedAtMs = performance.now()
      const app = start(options.database.url)
      if (startMs > 0) await Promise.race([app.ended, wait(random.between(0, startMs + 2 * workMs))])
      else {
        await app.settled
        startMs = performance.now() - startedAtMs
      }
      return app
    })
  }
}

/** Stops processes behind 20 ms of latency, each when it sends a random statement of its life, or its registration. */
async function stopAtStatements(count: number, options: StopsOptions): Promise<void> {
  const random = options.context.random.fork('statements')
  for (let n = 0; n < count; n += 1) {
    const isMoment = n % 2 === 0 ? isRegistration : nthStatement(random)
    const reached = Promise.withResolvers<void>()
    const proxy = await startFaultProxy({
      databaseUrl: options.database.url,
      decide: (statement) => {
        if (isMoment(statement)) reached.resolve()
        return 'pass'
      },
    })
    proxy.setNetwork({ kind: 'slow', delayMs: latencyMs })
    try {
      await oneStop(`slow${n}`, options, async (start) => {
        const app = start(proxy.url)
        await Promise.race([reached.promise, app.ended])
        return app
      })
    } finally {
      await proxy.close()
    }
  }
}

function isRegistration(statement: string): boolean {
  return statement.includes('known_queues')
}

function nthStatement(random: Random): () => boolean {
  let left = random.between(1, statementsOfLife)
  return () => (left -= 1) === 0
}

/** Starts a process for the database at this URL. */
type Start = (databaseUrl: string) => WorkerAppProcess

/** Lets `live` start a process with a queue of its own and wait for the moment of its stop. Notes what is left of it. */
async function oneStop(
  name: string,
  { database, context, stops }: StopsOptions,
  live: (start: Start) => Promise<WorkerAppProcess>,
): Promise<void> {
  context.signal.throwIfAborted()
  await enqueueJobs(database, name)
  let app: WorkerAppProcess | undefined
  try {
    app = await live((databaseUrl) => {
      app = startWorkerApp(
        { ...settings, DATABASE_URL: databaseUrl, WORKER_QUEUES: name, WORKER_ID_PREFIX: name },
        context.defect,
      )
      return app
    })
    if (app.isReady) stops.whileReady += 1
    else stops.whileStarting += 1
    app.signal('SIGTERM')
    stops.faults.push(...(await faultsOfStop(name, app, database)))
    const done = stops.whileStarting + stops.whileReady
    context.progress(
      `${done} of ${context.size.count} stops of apps/worker, with ${stops.faults.length} faults`,
    )
  } finally {
    app?.signal('SIGKILL')
  }
}

/** Every second job has one attempt, so that a charge without a run makes it a dead letter. */
async function enqueueJobs({ queue }: TestDatabase, name: string): Promise<void> {
  const payload = { to: 'a@example.com', subject: 's', body: 'b' }
  await queue.enqueueMany(
    Array.from({ length: jobsOfProcess }, (_, n) =>
      sendEmail.create(payload, { queue: name, maxAttempts: n % 2 === 0 ? 1 : 5 }),
    ),
  )
}

/** A signal ends a process that has not yet begun to watch for signals. What it left behind is told with its last warnings. */
async function faultsOfStop(name: string, app: WorkerAppProcess, database: TestDatabase): Promise<string[]> {
  const end = await Promise.race([app.ended, wait(endsWithinMs, undefined, { ref: false })])
  const left = await leftovers(database, name)
  if (end === undefined) return [`${name} did not end within ${endsWithinMs} ms of its signal`, ...left]
  const isClean = end.code === 0 || (end.signal === 'SIGTERM' && !app.isReady)
  const told = [...(isClean ? [] : [`${name} did not stop cleanly`]), ...left]
  return told.map((fault) => `${fault}; ${describeEnd(end)}`)
}

/** What a process has left behind, as faults. */
async function leftovers({ pool }: TestDatabase, name: string): Promise<string[]> {
  const jobs = await pool.query<{ id: string; status: string; attempts: number; ended: number }>(
    `SELECT j.id, j.status, j.attempts, x.ended
       FROM queue.all_jobs AS j,
            LATERAL (SELECT count(*)::int AS ended FROM ${endedAttempts('queue')} AS x
                      WHERE x.job_id = j.id AND x.outcome IN ('succeeded', 'failed')) AS x
      WHERE j.queue = $1 AND (j.status = 'running' OR j.attempts <> x.ended)`,
    [name],
  )
  const workers = await pool.query<{ id: string }>(
    `SELECT id FROM queue.workers WHERE state = 'active' AND queues = ARRAY[$1]`,
    [name],
  )
  return [
    ...jobs.rows.map(
      ({ id, status, attempts, ended }) =>
        `${name} left job ${id} as ${status}, with ${attempts} attempts charged, of which ${ended} ended`,
    ),
    ...workers.rows.map(({ id }) => `${name} left the worker ${id} registered as active`),
  ]
}
