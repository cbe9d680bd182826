import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createQueue, migrateUp, type Queue } from '@queue/core'
import { createTestDatabases, type TestDatabases } from '@queue/dev-postgres'
import { ours } from '../contenders/ours.ts'
import { median } from '../median.ts'

/** What a worker process of this part is to do. */
export interface ScaleOrder {
  readonly url: string
  /** How long each handler takes; 0 does nothing. */
  readonly handlerMs: number
  /** How many lines its handlers log in a second, at most; by default none. */
  readonly linesPerSecond?: number
}

/** When the jobs of one process were: from the start of its first handler to the end of its last, on the wall clock. */
export interface Span {
  readonly jobs: number
  readonly firstMs: number
  readonly lastMs: number
}

export interface ScaleOptions {
  readonly serverUrl: string
  /** Jobs for each kind of handler. */
  readonly counts: Readonly<Record<ScaleWork, number>>
  readonly rounds: number
  readonly onStep: (step: string) => void
}

/** The two kinds of handler: one that leaves PostgreSQL as the limit, and one that waits as real handlers do. */
export const scaleWorks = ['no-op', '5 ms'] as const
export type ScaleWork = (typeof scaleWorks)[number]

const handlerMs = { 'no-op': 0, '5 ms': 5 } as const satisfies Record<ScaleWork, number>
const processCounts = [1, 2] as const

/** Jobs per second by kind of handler and number of processes, medians of the rounds. */
export type ScaleFigures = Readonly<Record<ScaleWork, Readonly<Record<'1' | '2', number>>>>

/** Drains the same jobs with one process and with two, in turn. */
export async function runScale(options: ScaleOptions): Promise<ScaleFigures> {
  const databases = createTestDatabases({
    serverUrl: options.serverUrl,
    templateKey: `scale ${process.pid}`,
    prepareTemplate: async (url) => void (await migrateUp({ connectionString: url })),
  })
  try {
    const figures = {} as Record<ScaleWork, Record<'1' | '2', number>>
    for (const work of scaleWorks) figures[work] = await measureWork(databases, work, options)
    return figures
  } finally {
    await databases.dropAll()
  }
}

async function measureWork(
  databases: TestDatabases,
  work: ScaleWork,
  { counts, rounds, onStep }: ScaleOptions,
): Promise<Record<'1' | '2', number>> {
  const results = { 1: [] as number[], 2: [] as number[] }
  for (let round = 1; round <= rounds; round += 1) {
    for (const processes of processCounts) {
      onStep(`scale, round ${round} of ${rounds}: ${work} handlers, processes: ${processes}`)
      results[processes].push(await measureDrain(databases, { work, processes, count: counts[work] }))
    }
  }
  return { 1: median(results[1]), 2: median(results[2]) }
}

interface Drain {
  readonly work: ScaleWork
  readonly processes: number
  readonly count: number
}

const script = fileURLToPath(new URL('./worker-process.ts', import.meta.url))

/** The workers are there before the jobs, and the queue is paused until all jobs are, so that all begin at once. */
async function measureDrain(databases: TestDatabases, { work, processes, count }: Drain): Promise<number> {
  const database = await databases.create()
  const queue = createQueue({ connectionString: database.url })
  const order: ScaleOrder = { url: database.url, handlerMs: handlerMs[work] }
  const workers = await forkProcesses(script, processes, order)
  const fill = async (jobs: number): Promise<void> => {
    const producer = await ours.produce(database.url)
    await producer.addMany(jobs)
    await producer.close()
  }
  try {
    return await drainWith({ queue, workers, fill, count })
  } finally {
    for (const worker of workers) worker.kill('SIGKILL')
    await queue.close()
    await database.drop()
  }
}

/** Starts so many processes of a program, and resolves when each has told that it works. */
export async function forkProcesses(program: string, count: number, order: object): Promise<ChildProcess[]> {
  const workers = Array.from({ length: count }, () => fork(program, [JSON.stringify(order)]))
  await Promise.all(workers.map((worker) => once(worker, 'message')))
  return workers
}

export interface DrainOptions {
  readonly queue: Queue
  readonly workers: readonly ChildProcess[]
  /** Adds so many jobs. */
  readonly fill: (jobs: number) => Promise<void>
  readonly count: number
}

/** What each process does beforehand, so that V8 has compiled what is measured. */
const warmUpShare = 0.2

/** Jobs per second of these processes, which are ended. */
export async function drainWith({ queue, workers, fill, count }: DrainOptions): Promise<number> {
  await drain(queue, () => fill(count * warmUpShare * workers.length))
  for (const worker of workers) worker.send('begin')
  await drain(queue, () => fill(count))
  return perSecond(await Promise.all(workers.map(stopProcess)), count)
}

/** Resolves when jobs that were all there at once have been run. */
async function drain(queue: Queue, fill: () => Promise<void>): Promise<void> {
  await queue.pause('default')
  await fill()
  await queue.resume('default')
  await untilDone(queue)
}

/**
 * Looking costs the workers a little, so it is done seldom, and by indexes, whatever else the table holds; the workers' own spans tell
 * the time.
 */
async function untilDone(queue: Queue): Promise<void> {
  for (;;) {
    await sleep(250)
    const { rows } = await queue.database.pool.query(
      `SELECT FROM (
         (SELECT FROM queue.jobs WHERE queue = 'default' AND key IS NULL AND status IN ('queued', 'retrying') LIMIT 1)
         UNION ALL
         (SELECT FROM queue.jobs WHERE queue = 'default' AND coalesce(key, '') <> '' AND status IN ('queued', 'retrying') LIMIT 1)
         UNION ALL (SELECT FROM queue.jobs WHERE queue = 'default' AND locked_by IS NOT NULL LIMIT 1)) AS unfinished`,
    )
    if (rows.length === 0) return
  }
}

/** Stops a process, which tells when its jobs were. */
export async function stopProcess(worker: ChildProcess): Promise<Span> {
  worker.send('stop')
  const [span] = (await once(worker, 'message')) as [Span]
  return span
}

function perSecond(spans: readonly Span[], count: number): number {
  const done = spans.reduce((jobs, span) => jobs + span.jobs, 0)
  if (done !== count) throw new Error(`${done} of ${count} jobs were run`)
  const firstMs = Math.min(...spans.map((span) => span.firstMs))
  const lastMs = Math.max(...spans.map((span) => span.lastMs))
  return count / ((lastMs - firstMs) / 1_000)
}

/** How many times as fast two processes are as one. */
export function scaleRatios(figures: ScaleFigures): Record<string, number> {
  return Object.fromEntries(
    scaleWorks.map((work) => [`drain ${work}, 2 processes vs 1`, figures[work][2] / figures[work][1]]),
  )
}

/** The figures and ratios as lines. */
export function renderScale(figures: ScaleFigures): string {
  const lines = scaleWorks.map((work) => {
    const [one, two] = [figures[work][1], figures[work][2]].map((value) => String(Math.round(value)))
    return `  ${`${work} handlers`.padEnd(18)}1 process ${one} jobs/s   2 processes ${two} jobs/s`
  })
  const ratios = Object.entries(scaleRatios(figures)).map(
    ([name, ratio]) => `  ${name}: ${ratio.toFixed(2)}×`,
  )
  return `${['scale', ...lines, ...ratios].join('\n')}\n`
}
