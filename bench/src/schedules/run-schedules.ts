import { setTimeout as sleep } from 'node:timers/promises'
import { createQueue, defineJob, migrateUp, type NewSchedule, type Queue } from '@queue/core'
import { nextDueMs } from '@queue/core/workers'
import { createTestDatabases } from '@queue/dev-postgres'
import { createWorker, handle } from '@queue/worker'
import pg from 'pg'
import { z } from 'zod'
import { median } from '../median.ts'

export interface SchedulesOptions {
  readonly serverUrl: string
  /** How many schedules, each of which fires once a minute. */
  readonly count: number
  /** For how long they fire, of each case. */
  readonly seconds: number
  readonly onStep: (step: string) => void
}

/** Milliseconds from the instant of a run to the insert of its job, by the database's clock. */
export interface Lateness {
  readonly runs: number
  readonly p50: number
  readonly p99: number
  readonly max: number
}

export interface SchedulesFigures {
  /** The instants spread over the minute. */
  readonly spread: Lateness
  /** All instants of a minute at once. */
  readonly atOnce: Lateness
  /** What a worker asks every 5 s while none is due: the round trip in milliseconds. */
  readonly idleQueryMs: number
}

const minuteMs = 60_000
/** As many as one sync takes. */
const syncMax = 1_000
const idleQueries = 200
const job = defineJob({ kind: 'tick', payload: z.object({}), queue: 'unserved' })

/** Lets one worker fire so many schedules, and reads from the jobs how late they came. */
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
  way: 'spread' | 'at once',
): Promise<{ readonly lateness: Lateness; readonly idleQueryMs: number }> {
  const queue = createQueue({ connectionString })
  // Nothing is due before all of them are there.
  const beginMs = Date.now() + 4 * count
  const handlers = [handle(job, () => undefined)]
  const worker = createWorker({ connectionString, handlers, queues: ['served'] })
  try {
    const stepMs = way === 'spread' ? minuteMs / count : 0
    await makeSchedules(queue, { count, startsAtMs: (n) => Math.floor(beginMs + n * stepMs) })
    const idleQueryMs = await measureIdle(queue)
    await worker.start()
    await sleep(beginMs - Date.now() + seconds * 1_000)
    await worker.stop()
    return { lateness: await readLateness(connectionString), idleQueryMs }
  } finally {
    await queue.close()
  }
}

interface ManySchedules {
  readonly count: number
  readonly startsAtMs: (n: number) => number
}

async function makeSchedules(queue: Queue, { count, startsAtMs }: ManySchedules): Promise<void> {
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
  for (let from = 0; from < count; from += syncMax) {
    await queue.schedules.sync(all.slice(from, from + syncMax), { source: `bench${from}`, revision: 1 })
  }
}

async function measureIdle({ database }: Queue): Promise<number> {
  const taken: number[] = []
  for (let n = 0; n < idleQueries; n += 1) {
    const beganMs = performance.now()
    await nextDueMs(database)
    taken.push(performance.now() - beganMs)
  }
  return median(taken)
}

async function readLateness(connectionString: string): Promise<Lateness> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    const { rows } = await client.query<{ runs: number; late: [number, number, number] }>(
      `SELECT count(*)::int AS runs, percentile_cont('{0.5,0.99,1}'::float8[]) WITHIN GROUP (ORDER BY
                extract(epoch FROM created_at - split_part(idempotency_key, '@', 2)::timestamptz)::float8 * 1000) AS late
         FROM queue.jobs WHERE queue = 'unserved'`,
    )
    const [p50, p99, max] = rows[0]?.late ?? [Number.NaN, Number.NaN, Number.NaN]
    return { runs: rows[0]?.runs ?? 0, p50, p99, max }
  } finally {
    await client.end()
  }
}

/** The figures as lines. */
export function renderSchedules({ spread, atOnce, idleQueryMs }: SchedulesFigures): string {
  const line = (name: string, { runs, p50, p99, max }: Lateness): string =>
    `  ${name.padEnd(17)} ${runs} runs, late by ${p50.toFixed(0)} ms at p50, ${p99.toFixed(0)} at p99, ${max.toFixed(0)} at most\n`
  const idle = `  idle query        ${idleQueryMs.toFixed(2)} ms\n`
  return `schedules\n${line('spread', spread)}${line('at once', atOnce)}${idle}`
}
