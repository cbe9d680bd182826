import { setTimeout as wait } from 'node:timers/promises'
import { createQueue, type Queue } from '@queue/core'
import { createTestDatabase, type TestDatabase } from '@queue/testing'
import { createWorker, handle, type Worker } from '@queue/worker'
import { chaosJob } from '../fleet/chaos-job.ts'
import { holdJobs } from '../migrations/migration-path.ts'
import { nextRelease, rehearsalIndex } from '../migrations/next-release.ts'
import { type LockWatch, waitFaults, watchLocks } from '../migrations/observer.ts'
import { type Scenario, type ScenarioContext, type RunResult, resultOf } from './scenario.ts'

const enqueuesPerSecond = 300
/** At most this many enqueues run at once, so that a slow machine is not overloaded. */
const enqueuesAtOnceMax = 100
/** A long timeout, so that no enqueue fails only because the machine is slow. */
const patienceMs = 60_000
/** The longest time that a migration may stall others, in milliseconds. */
const stallMsMax = 500
/** From this many rows on, the run is expected to have the machine for itself, so that a late answer counts as a stall. */
const rowsAlone = 500_000
const beforeMs = 3_000
/** How often a transaction blocks exclusive locks, and for how long, in milliseconds. */
const heldEveryMs = 2_000
const heldMs = 400

/**
 * A schema with a million jobs is migrated to the next release while 300 jobs per second are enqueued and run, and other
 * transactions block the migration. Then the new index is built again in a transaction, which must cause a visible stall.
 */
export const migrationStalls: Scenario = {
  number: 18,
  name: 'migration-stalls',
  law: `the longest stall of others while a large table is migrated is at most ${stallMsMax} ms`,
  counted: 'runs',
  full: { jobs: 1_000_000, count: 3, minutesMax: 30 },
  reduced: { jobs: 20_000, count: 1, minutesMax: 10 },
  run: async (context) => {
    const database = await createTestDatabase({ serverUrl: context.serverUrl })
    try {
      await fill(database, context.size.jobs)
      return await migrateUnderLoad(database, context)
    } finally {
      await database.close()
    }
  },
}

/** Inserts ended jobs that are older than all later ones. */
async function fill({ pool, schema }: TestDatabase, rows: number): Promise<void> {
  await pool.query(
    `INSERT INTO "${schema}".jobs (id, kind, payload, status, attempts, finished_at, created_at, run_at, lease_token)
     SELECT ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 'chaos_job',
            jsonb_build_object('key', 'old ' || n, 'text', repeat('x', 150)), 'succeeded', 1,
            now() - interval '1 hour', now() - interval '1 hour', now() - interval '1 hour', 1
       FROM generate_series(1, $1::integer) AS n`,
    [rows],
  )
  await pool.query(`ANALYZE "${schema}".jobs`)
}

async function migrateUnderLoad(database: TestDatabase, context: ScenarioContext): Promise<RunResult> {
  const { size, signal, progress } = context
  const queue = createQueue({
    connectionString: database.url,
    poolMax: 20,
    schema: database.schema,
    acquireTimeoutMs: patienceMs,
    queryTimeoutMs: patienceMs,
  })
  const worker = startWorker(database)
  await worker.start()
  const load = startLoad(queue)
  const watch = await watchLocks(database.url)
  const stalls: LongestStalls = { during: 0, plainIndex: 0, took: new Map() }
  try {
    await wait(beforeMs, undefined, { signal })
    const before = load.longestMs()
    for (let n = 0; n < size.count; n += 1) {
      signal.throwIfAborted()
      await runOnce(database, load, stalls)
      progress(`${n + 1} of ${size.count} runs`)
    }
    return evaluate({ stalls, watch, before, rows: size.jobs, failures: load.failures() })
  } finally {
    await load.stop()
    await watch.close()
    await worker.stop()
    await queue.close()
  }
}

interface LongestStalls {
  /** The longest enqueue during the migration, and while the index was built in a transaction. */
  during: number
  plainIndex: number
  /** The longest time of each step. */
  readonly took: Map<string, number>
}

/** Migrates to the next release and back, and builds one index in a transaction. */
async function runOnce(database: TestDatabase, load: Load, stalls: LongestStalls): Promise<void> {
  const { url: connectionString, schema, pool } = database
  const { migrator } = nextRelease()
  const blockers = startBlockingTransactions(database)
  load.reset()
  let sinceMs = performance.now()
  await migrator.up({
    connectionString,
    schema,
    onProgress: (event) => {
      if (event.type !== 'applied') return
      const tookMs = performance.now() - sinceMs
      sinceMs = performance.now()
      stalls.took.set(event.name, Math.max(stalls.took.get(event.name) ?? 0, tookMs))
    },
  })
  await blockers.stop()
  stalls.during = Math.max(stalls.during, load.reset())
  await pool.query(`DROP INDEX "${schema}".${rehearsalIndex}`)
  load.reset()
  await pool.query(`CREATE INDEX ${rehearsalIndex} ON "${schema}".jobs (rehearsal_note)`)
  stalls.plainIndex = Math.max(stalls.plainIndex, load.reset())
  await migrator.down({ connectionString, schema, to: 1 })
}

interface MigrationFindings {
  readonly stalls: LongestStalls
  readonly watch: LockWatch
  readonly before: number
  readonly rows: number
  readonly failures: readonly string[]
}

function evaluate({ stalls, watch, before, rows, failures }: MigrationFindings): RunResult {
  const isAlone = rows >= rowsAlone
  return resultOf({
    counts: {
      rows,
      'longest enqueue before, ms': Math.round(before),
      'longest enqueue during the migration, ms': Math.round(stalls.during),
      'longest enqueue during a plain index, ms': Math.round(stalls.plainIndex),
      'longest wait for a lock of a runner, ms': Math.round(watch.longestMs),
      'longest delay of the machine, ms': Math.round(watch.delayMs),
      ...Object.fromEntries([...stalls.took].map(([name, ms]) => [`${name}, ms`, Math.round(ms)])),
    },
    faults: [
      ...failures,
      ...waitFaults(watch, stallMsMax),
      // On a busy machine, only a wait for a lock is certainly caused by the migration.
      ...(isAlone && stalls.during > stallMsMax ? [`an enqueue took ${Math.round(stalls.during)} ms`] : []),
    ],
    voidBecause:
      watch.waits === 0
        ? 'no session had to wait for a migration'
        : isAlone && stalls.plainIndex < stallMsMax
          ? 'even an index in a transaction caused no stall, so the run could not have shown one'
          : undefined,
  })
}

function startWorker({ url: connectionString, schema }: TestDatabase): Worker {
  const ignore = (): void => undefined
  return createWorker({
    connectionString,
    schema,
    concurrency: 20,
    logger: { debug: ignore, info: ignore, warn: ignore, error: ignore },
    handlers: [handle(chaosJob, async () => undefined)],
  })
}

/** Enqueues at a steady rate. A late enqueue is measured from the time at which it was due. */
interface Load {
  /** The longest time from when an enqueue was due to its answer, or to now if it still waits. */
  longestMs(): number
  /** Returns the longest time, and starts a new measurement. */
  reset(): number
  failures(): readonly string[]
  stop(): Promise<void>
}

function startLoad(queue: Queue): Load {
  const everyMs = 1_000 / enqueuesPerSecond
  const waiting = new Map<number, number>()
  const failures: string[] = []
  let longestMs = 0
  let isOver = false
  let sent = 0
  const note = (dueMs: number): void => void (longestMs = Math.max(longestMs, performance.now() - dueMs))
  const send = async (number: number, dueMs: number): Promise<void> => {
    waiting.set(number, dueMs)
    try {
      await queue.enqueue(chaosJob, { key: `k${number}`, plan: 'succeed', ms: 0 })
    } catch (error) {
      failures.push(`an enqueue failed: ${String(error)}`)
    }
    waiting.delete(number)
    note(dueMs)
  }
  const run = async (): Promise<void> => {
    const startedMs = performance.now()
    while (!isOver) {
      const dueMs = startedMs + sent * everyMs
      if (dueMs > performance.now()) await wait(Math.max(1, dueMs - performance.now()))
      while (waiting.size >= enqueuesAtOnceMax) await wait(1)
      void send((sent += 1), dueMs)
    }
  }
  const running = run()
  const read = (): number => {
    for (const dueMs of waiting.values()) note(dueMs)
    return longestMs
  }
  return {
    longestMs: read,
    reset: () => {
      const longest = read()
      longestMs = 0
      return longest
    },
    failures: () => failures.slice(0, 5),
    stop: async () => {
      isOver = true
      await running
      while (waiting.size > 0) await wait(5)
    },
  }
}

/** Runs other transactions that use the jobs, one after the other. */
function startBlockingTransactions({ url, schema }: TestDatabase): { stop(): Promise<void> } {
  let isOver = false
  const run = async (): Promise<void> => {
    while (!isOver) {
      const release = await holdJobs(url, schema)
      await wait(heldMs)
      await release()
      await wait(heldEveryMs - heldMs)
    }
  }
  const running = run()
  return {
    stop: async () => {
      isOver = true
      await running
    },
  }
}
