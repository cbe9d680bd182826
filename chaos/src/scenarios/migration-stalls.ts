import { setTimeout as wait } from 'node:timers/promises'
import { createQueue, type Queue } from '@queue/core'
import { createTestDatabase, type TestDatabase } from '@queue/testing'
import { createWorker, handle, type Worker } from '@queue/worker'
import { chaosJob } from '../fleet/chaos-job.ts'
import { holdJobs } from '../migrations/migration-path.ts'
import { nextRelease, rehearsalIndex } from '../migrations/next-release.ts'
import { type LockWatch, waitFaults, watchLocks } from '../migrations/observer.ts'
import { type Scenario, type ScenarioContext, type Verdict, verdictOf } from './scenario.ts'

const enqueuesPerSecond = 300
/** No more enqueues are on their way at once: a machine that does not keep up is not asked for more. */
const enqueuesAtOnceMax = 100
/** No enqueue fails only because the machine is slow. */
const patienceMs = 60_000
/** Nobody may stand still for longer because of a migration. */
const stallMsMax = 500
/** From so many rows on the run has the machine for itself, and an answer that is late is the migration's. */
const rowsAlone = 500_000
const beforeMs = 3_000
/** Transactions that no exclusive lock can pass come so often, and stay so long. */
const heldEveryMs = 2_000
const heldMs = 400

/**
 * A schema with a million jobs is brought to the next release while 300 jobs a second are enqueued and run, and other
 * transactions stand in the migration's way. Then the index that it has built is built as it was before, in a transaction:
 * a stall that is to be seen.
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

/** Jobs that have ended, older than any that comes. */
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

async function migrateUnderLoad(database: TestDatabase, context: ScenarioContext): Promise<Verdict> {
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
  const seen: Seen = { during: 0, plain: 0, took: new Map() }
  try {
    await wait(beforeMs, undefined, { signal })
    const before = load.longestMs()
    for (let n = 0; n < size.count; n += 1) {
      signal.throwIfAborted()
      await runOnce(database, load, seen)
      progress(`${n + 1} of ${size.count} runs`)
    }
    return verdict({ seen, watch, before, rows: size.jobs, failures: load.failures() })
  } finally {
    await load.stop()
    await watch.close()
    await worker.stop()
    await queue.close()
  }
}

interface Seen {
  /** The longest enqueue while the migration went on, and while the index was built in a transaction. */
  during: number
  plain: number
  /** The longest time of each step. */
  readonly took: Map<string, number>
}

/** To the next release and back, and then one index as it was built before. */
async function runOnce(database: TestDatabase, load: Load, seen: Seen): Promise<void> {
  const { url: connectionString, schema, pool } = database
  const { migrator } = nextRelease()
  const standing = startStanding(database)
  load.reset()
  let sinceMs = performance.now()
  await migrator.up({
    connectionString,
    schema,
    onProgress: (event) => {
      if (event.type !== 'applied') return
      const tookMs = performance.now() - sinceMs
      sinceMs = performance.now()
      seen.took.set(event.name, Math.max(seen.took.get(event.name) ?? 0, tookMs))
    },
  })
  await standing.stop()
  seen.during = Math.max(seen.during, load.reset())
  await pool.query(`DROP INDEX "${schema}".${rehearsalIndex}`)
  load.reset()
  await pool.query(`CREATE INDEX ${rehearsalIndex} ON "${schema}".jobs (rehearsal_note)`)
  seen.plain = Math.max(seen.plain, load.reset())
  await migrator.down({ connectionString, schema, to: 1 })
}

interface Found {
  readonly seen: Seen
  readonly watch: LockWatch
  readonly before: number
  readonly rows: number
  readonly failures: readonly string[]
}

function verdict({ seen, watch, before, rows, failures }: Found): Verdict {
  const isAlone = rows >= rowsAlone
  return verdictOf({
    counts: {
      rows,
      'longest enqueue before, ms': Math.round(before),
      'longest enqueue during the migration, ms': Math.round(seen.during),
      'longest enqueue during a plain index, ms': Math.round(seen.plain),
      'longest wait for a lock of a runner, ms': Math.round(watch.longestMs),
      'longest delay of the machine, ms': Math.round(watch.delayMs),
      ...Object.fromEntries([...seen.took].map(([name, ms]) => [`${name}, ms`, Math.round(ms)])),
    },
    faults: [
      ...failures,
      ...waitFaults(watch, stallMsMax),
      // On a machine that does other things as well, only a lock that is waited for is the migration's for certain.
      ...(isAlone && seen.during > stallMsMax ? [`an enqueue took ${Math.round(seen.during)} ms`] : []),
    ],
    voidBecause:
      watch.waits === 0
        ? 'nobody had to wait for a migration'
        : isAlone && seen.plain < stallMsMax
          ? 'an index in a transaction stalled nobody: neither would this have shown'
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

/** Enqueues at a steady rate. One that is late is measured from when it was due. */
interface Load {
  /** The longest time from when an enqueue was due to its answer, of those that have been answered or wait since. */
  longestMs(): number
  /** The same, to begin anew. */
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

/** Transactions of others that use the jobs, one after the other. */
function startStanding({ url, schema }: TestDatabase): { stop(): Promise<void> } {
  let isOver = false
  const run = async (): Promise<void> => {
    while (!isOver) {
      const letGo = await holdJobs(url, schema)
      await wait(heldMs)
      await letGo()
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
