import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createQueue, type LimitRate, type LimitRule, type Queue } from '@queue/core'
import type { TestDatabases } from '@queue/dev-postgres'
import { benchJob } from '../contenders/ours.ts'
import { payload } from '../contenders/contender.ts'
import { forkProcesses, type ScaleOrder, stopProcess } from '../scale/run-scale.ts'

/** How a rate was kept while more waited than it lets start. */
export interface RateFigures {
  readonly starts: number
  /** Of the starts that it allows from the first to the last. */
  readonly used: number
  /** By how many starts the worst window is above burst + rate × its length; 0 or less: never. */
  readonly excess: number
}

/** How slots were used while jobs waited for them. */
export interface SlotsFigures {
  readonly most: number
  readonly used: number
}

export interface HeldBackOptions {
  readonly databases: TestDatabases
  readonly seconds: number
}

const rate: LimitRate = { count: 100, perMs: 1_000, burst: 20 }
const perSecond = (rate.count * 1_000) / rate.perMs
const slots = 10
const slotHandlerMs = 100
const enqueueBatch = 1_000
const script = fileURLToPath(new URL('../scale/worker-process.ts', import.meta.url))

/** The starts of four worker processes under a rate, by the database's clock. */
export async function measureRate(
  { databases, seconds }: HeldBackOptions,
  rule: RuleOf,
): Promise<RateFigures> {
  const count = Math.ceil(rate.burst + perSecond * seconds * 2)
  return work(databases, { rule: { ...rule, rate }, count, handlerMs: 0, processes: 4, seconds }, ratesOf)
}

/** The running jobs of two worker processes under a limit of ten. */
export async function measureSlots(
  { databases, seconds }: HeldBackOptions,
  rule: RuleOf,
): Promise<SlotsFigures> {
  const count = Math.ceil(((seconds * 1_000) / slotHandlerMs) * slots * 2)
  const how = { rule: { ...rule, maxRunning: slots }, count, handlerMs: slotHandlerMs, processes: 2, seconds }
  return work(databases, how, slotsOf)
}

/** What the limit is about: the queue, or the one key that all jobs have. */
export type RuleOf = Pick<LimitRule, 'scope'>

interface Work {
  readonly rule: Omit<LimitRule, 'queue'>
  readonly count: number
  readonly handlerMs: number
  readonly processes: number
  readonly seconds: number
}

/** When the attempts began and ended, in seconds since the first. */
type Attempts = readonly { readonly began: number; readonly ended: number }[]

async function work<Figures>(
  databases: TestDatabases,
  { rule, count, handlerMs, processes, seconds }: Work,
  read: (attempts: Attempts) => Figures,
): Promise<Figures> {
  const database = await databases.create()
  const queue = createQueue({ connectionString: database.url })
  const order: ScaleOrder = { url: database.url, handlerMs }
  const workers = await forkProcesses(script, processes, order)
  try {
    await queue.limits.set({ queue: 'default', ...rule })
    await queue.pause('default')
    const options = rule.scope === 'queue' ? {} : { key: 'one' }
    for (let left = count; left > 0; left -= enqueueBatch) {
      const length = Math.min(enqueueBatch, left)
      await queue.enqueueMany(Array.from({ length }, () => benchJob.create(payload, options)))
    }
    await queue.resume('default')
    await sleep(seconds * 1_000)
    await queue.pause('default')
    await Promise.all(workers.map(stopProcess))
    return read(await readAttempts(queue))
  } finally {
    for (const worker of workers) worker.kill('SIGKILL')
    await queue.close()
    await database.drop()
  }
}

async function readAttempts({ database }: Queue): Promise<Attempts> {
  const { rows } = await database.pool.query<Attempts[number]>(
    `SELECT extract(epoch FROM started_at - min(started_at) OVER ())::float8 AS began,
            extract(epoch FROM finished_at - min(started_at) OVER ())::float8 AS ended
       FROM queue.job_executions ORDER BY started_at`,
  )
  return rows
}

/** The window from one start to another holds both: each start is compared with the one before it that leaves it the least room. */
function ratesOf(attempts: Attempts): RateFigures {
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

/** From the first start to the last, after which no job waited. */
function slotsOf(attempts: Attempts): SlotsFigures {
  const last = attempts.at(-1)?.began ?? 0
  const busy = attempts.reduce((sum, { began, ended }) => sum + Math.min(ended, last) - began, 0)
  const changes = attempts
    .flatMap(({ began, ended }) => [
      { at: began, by: 1 },
      { at: ended, by: -1 },
    ])
    .toSorted((a, b) => a.at - b.at || a.by - b.by)
  let running = 0
  let most = 0
  for (const { by } of changes) {
    running += by
    most = Math.max(most, running)
  }
  return { most, used: busy / (slots * last) }
}
