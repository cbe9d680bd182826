import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createQueue, migrateUp, type Queue } from '@queue/core'
import { databaseOf } from '@queue/core/internal'
import { createTestDatabases, type TestDatabases } from '@queue/dev-postgres'
import { ours } from '../contenders/ours.ts'
import { median } from '../median.ts'

/** The configuration of a worker process. */
export interface WorkerConfig {
  readonly url: string
  /** How long each handler waits; 0 for a no-op handler. */
  readonly handlerMs: number
  /** The maximum number of lines that its handlers log per second; by default 0. */
  readonly linesPerSecond?: number
}

/** The time from the start of a process's first handler to the end of its last one, on the wall clock. */
export interface Span {
  readonly jobs: number
  readonly firstMs: number
  readonly lastMs: number
}

export interface ScaleOptions {
  readonly serverUrl: string
  /** The number of jobs for each kind of handler. */
  readonly counts: Readonly<Record<HandlerKind, number>>
  readonly rounds: number
  readonly onStep: (step: string) => void
}

/** The kinds of handler: a no-op, with which PostgreSQL is the limit, and one that waits as real handlers do. */
export const handlerKinds = ['no-op', '5 ms'] as const
export type HandlerKind = (typeof handlerKinds)[number]

const handlerMs = { 'no-op': 0, '5 ms': 5 } as const satisfies Record<HandlerKind, number>
const processCounts = [1, 2] as const

/** Jobs per second by kind of handler and number of processes: medians of the rounds. */
export type ScaleFigures = Readonly<Record<HandlerKind, Readonly<Record<'1' | '2', number>>>>

/** Measures drains of the same jobs with one process and with two, by turns. */
export async function runScale(options: ScaleOptions): Promise<ScaleFigures> {
  const databases = createTestDatabases({
    serverUrl: options.serverUrl,
    templateKey: `scale ${process.pid}`,
    prepareTemplate: async (url) => void (await migrateUp({ connectionString: url })),
  })
  try {
    const figures = {} as Record<HandlerKind, Record<'1' | '2', number>>
    for (const handlerKind of handlerKinds)
      figures[handlerKind] = await measureHandlerKind(databases, handlerKind, options)
    return figures
  } finally {
    await databases.dropAll()
  }
}

async function measureHandlerKind(
  databases: TestDatabases,
  handlerKind: HandlerKind,
  { counts, rounds, onStep }: ScaleOptions,
): Promise<Record<'1' | '2', number>> {
  const results = { 1: [] as number[], 2: [] as number[] }
  for (let round = 1; round <= rounds; round += 1) {
    for (const processes of processCounts) {
      onStep(`scale, round ${round} of ${rounds}: ${handlerKind} handlers, processes: ${processes}`)
      results[processes].push(
        await measureDrain(databases, { handlerKind, processes, count: counts[handlerKind] }),
      )
    }
  }
  return { 1: median(results[1]), 2: median(results[2]) }
}

interface DrainCase {
  readonly handlerKind: HandlerKind
  readonly processes: number
  readonly count: number
}

const script = fileURLToPath(new URL('./worker-process.ts', import.meta.url))

/**
 * Starts the workers before the jobs are enqueued. The queue is paused until then, so that all workers begin at the same time.
 */
async function measureDrain(
  databases: TestDatabases,
  { handlerKind, processes, count }: DrainCase,
): Promise<number> {
  const database = await databases.create()
  const queue = createQueue({ connectionString: database.url })
  const config: WorkerConfig = { url: database.url, handlerMs: handlerMs[handlerKind] }
  const workers = await forkProcesses(script, processes, config)
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

/** Starts `count` processes of a program. Resolves when each has sent its first message. */
export async function forkProcesses(program: string, count: number, config: object): Promise<ChildProcess[]> {
  const workers = Array.from({ length: count }, () => fork(program, [JSON.stringify(config)]))
  await Promise.all(workers.map((worker) => once(worker, 'message')))
  return workers
}

export interface DrainOptions {
  readonly queue: Queue
  readonly workers: readonly ChildProcess[]
  /** Enqueues this number of jobs. */
  readonly fill: (jobs: number) => Promise<void>
  readonly count: number
}

/** The share of the jobs that each process runs before the measurement, so that V8 has compiled the code. */
const warmUpShare = 0.2

/** Measures the jobs per second of these processes, and stops them. */
export async function drainWith({ queue, workers, fill, count }: DrainOptions): Promise<number> {
  await drain(queue, () => fill(count * warmUpShare * workers.length))
  for (const worker of workers) worker.send('begin')
  await drain(queue, () => fill(count))
  return perSecond(await Promise.all(workers.map(stopProcess)), count)
}

/** Enqueues jobs while the queue is paused, and resolves when all of them have run. */
async function drain(queue: Queue, fill: () => Promise<void>): Promise<void> {
  await queue.pause('default')
  await fill()
  await queue.resume('default')
  await untilDone(queue)
}

/**
 * Resolves when no job is waiting or running. Polling costs the workers a little, so it is rare and uses indexes. The measured
 * time does not depend on it: it comes from the spans of the workers.
 */
async function untilDone(queue: Queue): Promise<void> {
  for (;;) {
    await sleep(250)
    const { rows } = await databaseOf(queue).pool.query(
      `SELECT FROM (
         (SELECT FROM queue.all_jobs WHERE queue = 'default' AND key IS NULL AND status IN ('queued', 'retrying') LIMIT 1)
         UNION ALL
         (SELECT FROM queue.all_jobs WHERE queue = 'default' AND coalesce(key, '') <> '' AND status IN ('queued', 'retrying') LIMIT 1)
         UNION ALL (SELECT FROM queue.all_jobs WHERE queue = 'default' AND locked_by IS NOT NULL LIMIT 1)) AS unfinished`,
    )
    if (rows.length === 0) return
  }
}

/** Stops a process. Resolves with the span of its jobs. */
export async function stopProcess(worker: ChildProcess): Promise<Span> {
  worker.send('stop')
  const [span] = (await once(worker, 'message')) as [Span]
  return span
}

function perSecond(spans: readonly Span[], count: number): number {
  const processed = spans.reduce((jobs, span) => jobs + span.jobs, 0)
  if (processed !== count) throw new Error(`${processed} of ${count} jobs were run`)
  const firstMs = Math.min(...spans.map((span) => span.firstMs))
  const lastMs = Math.max(...spans.map((span) => span.lastMs))
  return count / ((lastMs - firstMs) / 1_000)
}

/** The rate of two processes relative to one. */
export function scaleRatios(figures: ScaleFigures): Record<string, number> {
  return Object.fromEntries(
    handlerKinds.map((handlerKind) => [
      `drain ${handlerKind}, 2 processes vs 1`,
      figures[handlerKind][2] / figures[handlerKind][1],
    ]),
  )
}

/** Renders the figures and ratios as text. */
export function renderScale(figures: ScaleFigures): string {
  const lines = handlerKinds.map((handlerKind) => {
    const [oneProcess, twoProcesses] = [figures[handlerKind][1], figures[handlerKind][2]].map((value) =>
      String(Math.round(value)),
    )
    return `  ${`${handlerKind} handlers`.padEnd(18)}1 process ${oneProcess} jobs/s   2 processes ${twoProcesses} jobs/s`
  })
  const ratios = Object.entries(scaleRatios(figures)).map(
    ([name, ratio]) => `  ${name}: ${ratio.toFixed(2)}×`,
  )
  return `${['scale', ...lines, ...ratios].join('\n')}\n`
}
