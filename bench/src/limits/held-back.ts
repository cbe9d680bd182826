import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createQueue, type LimitRate, type LimitRule, type Queue } from '@queue/core'
import { databaseOf } from '@queue/core/internal'
import type { TestDatabases } from '@queue/dev-postgres'
import { benchJob } from '../contenders/ours.ts'
import { payload } from '../contenders/contender.ts'
import { forkProcesses, type WorkerConfig, stopProcess } from '../scale/run-scale.ts'

/** How a rate limit was kept and used while more jobs waited than it allows to start. */
export interface RateFigures {
  readonly starts: number
  /** The share of the allowed starts that was used between the first and the last start. */
  readonly used: number
  /** The most starts by which any window exceeds burst + rate × its length; 0 or less if none does. */
  readonly excess: number
}

/** How a limit of running jobs was kept and used while jobs waited. */
export interface SlotsFigures {
  /** The most jobs that ran at the same time. */
  readonly most: number
  /** The share of the slots' time that was used. */
  readonly used: number
}

export interface LimitedOptions {
  readonly databases: TestDatabases
  readonly seconds: number
}

const rate: LimitRate = { count: 100, perMs: 1_000, burst: 20 }
const perSecond = (rate.count * 1_000) / rate.perMs
const slots = 10
const slotHandlerMs = 100
const enqueueBatch = 1_000
const script = fileURLToPath(new URL('../scale/worker-process.ts', import.meta.url))

/** Measures the starts of four worker processes under a rate limit, by the database's clock. */
export async function measureRate(
  { databases, seconds }: LimitedOptions,
  rule: RuleOf,
): Promise<RateFigures> {
  const count = Math.ceil(rate.burst + perSecond * seconds * 2)
  return measureAttempts(
    databases,
    { rule: { ...rule, rate }, count, handlerMs: 0, processes: 4, seconds },
    rateFiguresOf,
  )
}

/** Measures the running jobs of two worker processes under a limit of ten. */
export async function measureSlots(
  { databases, seconds }: LimitedOptions,
  rule: RuleOf,
): Promise<SlotsFigures> {
  const count = Math.ceil(((seconds * 1_000) / slotHandlerMs) * slots * 2)
  const scenario = {
    rule: { ...rule, maxRunning: slots },
    count,
    handlerMs: slotHandlerMs,
    processes: 2,
    seconds,
  }
  return measureAttempts(databases, scenario, slotsFiguresOf)
}

/** The scope of the limit: the queue, or the one key of all jobs. */
export type RuleOf = Pick<LimitRule, 'scope'>

interface Work {
  readonly rule: Omit<LimitRule, 'queue'>
  readonly count: number
  readonly handlerMs: number
  readonly processes: number
  readonly seconds: number
}

/** The start and end of each attempt, in seconds since the first start. */
type Attempts = readonly { readonly began: number; readonly ended: number }[]

async function measureAttempts<Figures>(
  databases: TestDatabases,
  { rule, count, handlerMs, processes, seconds }: Work,
  evaluate: (attempts: Attempts) => Figures,
): Promise<Figures> {
  const database = await databases.create()
  const queue = createQueue({ connectionString: database.url })
  const config: WorkerConfig = { url: database.url, handlerMs }
  const workers = await forkProcesses(script, processes, config)
  try {
    await queue.limits.set({ queue: 'default', ...rule })
    await queue.pause('default')
    const options = rule.scope === 'queue' ? {} : { key: 'one' }
    for (let remaining = count; remaining > 0; remaining -= enqueueBatch) {
      const length = Math.min(enqueueBatch, remaining)
      await queue.enqueueMany(Array.from({ length }, () => benchJob.create(payload, options)))
    }
    await queue.resume('default')
    await sleep(seconds * 1_000)
    await queue.pause('default')
    await Promise.all(workers.map(stopProcess))
    return evaluate(await readAttempts(queue))
  } finally {
    for (const worker of workers) worker.kill('SIGKILL')
    await queue.close()
    await database.drop()
  }
}

async function readAttempts(queue: Queue): Promise<Attempts> {
  const { rows } = await databaseOf(queue).pool.query<Attempts[number]>(
    `SELECT extract(epoch FROM started_at - min(started_at) OVER ())::float8 AS began,
            extract(epoch FROM finished_at - min(started_at) OVER ())::float8 AS ended
       FROM queue.all_jobs WHERE status = 'succeeded' ORDER BY started_at`,
  )
  return rows
}

/**
 * Evaluates the starts. A window from one start to another contains both. Each start is compared with the earlier start that
 * leaves it the least room.
 */
function rateFiguresOf(attempts: Attempts): RateFigures {
  const { excess } = attempts.reduce(
    (worst, { began }, n) => ({
      excess: Math.max(worst.excess, n + 1 - began * perSecond - rate.burst - worst.least),
      least: Math.min(worst.least, n - began * perSecond),
    }),
    { excess: Number.NEGATIVE_INFINITY, least: 0 },
  )
  const lastSecond = attempts.at(-1)?.began ?? 0
  return { starts: attempts.length, used: attempts.length / (rate.burst + perSecond * lastSecond), excess }
}

/** Evaluates the time from the first start to the last, after which no job waited. */
function slotsFiguresOf(attempts: Attempts): SlotsFigures {
  const last = attempts.at(-1)?.began ?? 0
  const busy = attempts.reduce((sum, { began, ended }) => sum + Math.min(ended, last) - began, 0)
  const changes = attempts
    .flatMap(({ began, ended }) => [
      { at: began, by: 1 },
      { at: ended, by: -1 },
    ])
    .toSorted((a, b) => a.at - b.at || a.by - b.by)
  let running = 0
  let maxRunning = 0
  for (const { by } of changes) {
    running += by
    maxRunning = Math.max(maxRunning, running)
  }
  return { most: maxRunning, used: busy / (slots * last) }
}
