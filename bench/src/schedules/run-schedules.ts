import { setTimeout as sleep } from 'node:timers/promises'
import { createQueue, defineJob, migrateUp, type NewSchedule, type Queue } from '@queue/core'
import { databaseOf, nextDueMs } from '@queue/core/internal'
import { createTestDatabases } from '@queue/dev-postgres'
import { createWorker, handle } from '@queue/worker'
import pg from 'pg'
import { z } from 'zod'
import { median } from '../median.ts'

export interface SchedulesOptions {
  readonly serverUrl: string
  /** The number of schedules, each of which fires once a minute. */
  readonly count: number
  /** How long they fire in each case. */
  readonly seconds: number
  readonly onStep: (step: string) => void
}

/** The time from a schedule's instant to the insert of its job, in milliseconds, by the database's clock. */
export interface Lateness {
  readonly runs: number
  readonly p50: number
  readonly p99: number
  readonly max: number
}

export interface SchedulesFigures {
  /** With the instants spread over the minute. */
  readonly spread: Lateness
  /** With all instants at the same time of the minute. */
  readonly atOnce: Lateness
  /** The round trip of the query that a worker sends every 5 s while no schedule is due, in milliseconds. */
  readonly idleQueryMs: number
}

const minuteMs = 60_000
/** The most schedules that one sync accepts. */
const syncMax = 1_000
const idleQueries = 200
const job = defineJob({ kind: 'tick', payload: z.object({}), queue: 'unserved' })

/** Lets one worker fire the schedules, and measures how late their jobs were inserted. */
export async function runSchedules(options: SchedulesOptions): Promise<SchedulesFigures> {
  const databases = createTestDatabases({
    serverUrl: options.serverUrl,
    templateKey: `schedules ${process.pid}`,
    prepareTemplate: async (connectionString) => void (await migrateUp({ connectionString })),
  })
  try {
    options.onStep(`schedules: ${options.count}, spread over a minute`)
    const spread = await fireAll((await databases.create()).url, options, 'spread')
    options.onStep(`schedules: ${options.count}, all at once`)
    const atOnce = await fireAll((await databases.create()).url, options, 'at once')
    return { spread: spread.lateness, atOnce: atOnce.lateness, idleQueryMs: spread.idleQueryMs }
  } finally {
    await databases.dropAll()
  }
}

async function fireAll(
  connectionString: string,
  { count, seconds }: SchedulesOptions,
  timing: 'spread' | 'at once',
): Promise<{ readonly lateness: Lateness; readonly idleQueryMs: number }> {
  const queue = createQueue({ connectionString })
  // The schedules are due only after all of them have been created.
  const beginMs = Date.now() + 4 * count
  const handlers = [handle(job, () => undefined)]
  const worker = createWorker({ connectionString, handlers, queues: ['served'] })
  try {
    const stepMs = timing === 'spread' ? minuteMs / count : 0
    await createSchedules(queue, { count, startsAtMs: (n) => Math.floor(beginMs + n * stepMs) })
    const idleQueryMs = await measureIdle(queue)
    await worker.start()
    await sleep(beginMs - Date.now() + seconds * 1_000)
    await worker.stop()
    return { lateness: await readLateness(connectionString), idleQueryMs }
  } finally {
    await queue.close()
  }
}

interface ScheduleSet {
  readonly count: number
  readonly startsAtMs: (n: number) => number
}

async function createSchedules(queue: Queue, { count, startsAtMs }: ScheduleSet): Promise<void> {
  const all = Array.from(
    { length: count },
    (_, n): NewSchedule => ({
      name: `s${n}`,
      everyMs: minuteMs,
      startsAt: new Date(startsAtMs(n)),
      definition: job,
      payload: {},
    }),
  )
  for (let start = 0; start < count; start += syncMax) {
    await queue.schedules.sync(all.slice(start, start + syncMax), { source: `bench${start}`, revision: 1 })
  }
}

async function measureIdle(queue: Queue): Promise<number> {
  const database = databaseOf(queue)
  const durationsMs: number[] = []
  for (let n = 0; n < idleQueries; n += 1) {
    const startedMs = performance.now()
    await nextDueMs(database)
    durationsMs.push(performance.now() - startedMs)
  }
  return median(durationsMs)
}

async function readLateness(connectionString: string): Promise<Lateness> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    const { rows } = await client.query<{ runs: number; late: [number, number, number] }>(
      `SELECT count(*)::int AS runs, percentile_cont('{0.5,0.99,1}'::float8[]) WITHIN GROUP (ORDER BY
                extract(epoch FROM created_at - split_part(idempotency_key, '@', 2)::timestamptz)::float8 * 1000) AS late
         FROM queue.all_jobs WHERE queue = 'unserved'`,
    )
    const [p50, p99, max] = rows[0]?.late ?? [Number.NaN, Number.NaN, Number.NaN]
    return { runs: rows[0]?.runs ?? 0, p50, p99, max }
  } finally {
    await client.end()
  }
}

/** Renders the figures as text. */
export function renderSchedules({ spread, atOnce, idleQueryMs }: SchedulesFigures): string {
  const line = (name: string, { runs, p50, p99, max }: Lateness): string =>
    `  ${name.padEnd(17)} ${runs} runs, late by ${p50.toFixed(0)} ms at p50, ${p99.toFixed(0)} at p99, ${max.toFixed(0)} at most\n`
  const idle = `  idle query        ${idleQueryMs.toFixed(2)} ms\n`
  return `schedules\n${line('spread', spread)}${line('at once', atOnce)}${idle}`
}
