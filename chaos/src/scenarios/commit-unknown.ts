import { createQueue, type Enqueued, type Queue, QueueError } from '@queue/core'
import pg from 'pg'
import { checkRun, describeFaults } from '../checker/check-run.ts'
import { chaosJob } from '../fleet/chaos-job.ts'
import { createCuts, type Cuts } from '../proxy/cuts.ts'
import { startFaultProxy } from '../proxy/fault-proxy.ts'
import type { History } from '../record/history.ts'
import { tooFewReason } from '../run/conclude.ts'
import { untilDrained } from '../run/drain.ts'
import { withWorld, type World } from '../run/world.ts'
import { type Scenario, type ScenarioContext, type RunResult, resultOf } from './scenario.ts'

const callers = 8
const cutShare = 0.3
/** With this share of cuts, the probability that so many tries in a row are cut is less than one in a billion. */
const triesMax = 40

/**
 * Callers enqueue through a network that breaks before and after the commit. Each repeats its enqueue with the same key until
 * it has an answer. Every key must then have exactly one job.
 */
export const commitUnknown: Scenario = {
  number: 4,
  name: 'commit-unknown',
  law: 'an enqueue whose reply was lost, sent again, is one job',
  counted: 'cuts',
  full: { jobs: 0, count: 5_000, minutesMax: 20 },
  reduced: { jobs: 0, count: 50, minutesMax: 10 },
  run: (context) =>
    withWorld(context, { name: 'commit-unknown' }, async (world) => {
      const cuts = createCuts({
        random: context.random.fork('cuts'),
        count: context.size.count,
        share: cutShare,
        kindOf: enqueueKind,
        needed: ['insert', 'commit'],
      })
      const tally = await enqueueWhileCut(world, context, cuts)
      await world.fleet.start(1)
      await untilDrained(world.database, context)
      await world.fleet.stop()
      return evaluate(world, cuts, tally)
    }),
}

function enqueueKind(statement: string): string | undefined {
  if (statement === 'COMMIT') return 'commit'
  return statement.includes('INSERT INTO') ? 'insert' : undefined
}

/** Counts of the requests and their outcomes. */
interface Tally {
  readonly keys: number
  /** Answers with the job of an earlier try, whose commit had taken effect although its reply was lost. */
  readonly replayed: number
  readonly givenUp: number
}

async function enqueueWhileCut(world: World, context: ScenarioContext, cuts: Cuts): Promise<Tally> {
  const { database, history } = world
  const proxy = await startFaultProxy({ databaseUrl: database.url, decide: cuts.decide })
  const pool = new pg.Pool({ connectionString: proxy.url, max: callers })
  pool.on('error', ignore)
  const queue = createQueue({ pool, schema: database.schema })
  const tally = { keys: 0, replayed: 0, givenUp: 0 }
  const call = async (random: ScenarioContext['random']): Promise<void> => {
    while (!cuts.done) {
      context.signal.throwIfAborted()
      const key = `k${(tally.keys += 1)}`
      const enqueueOnce = random.chance(0.5) ? inOneStatement(queue) : inOwnTransaction(queue, pool)
      const answer = await untilAnswered(key, history, enqueueOnce)
      if (answer === undefined) tally.givenUp += 1
      else if (answer.replayed) tally.replayed += 1
      context.progress(`${cuts.total} of ${context.size.count} cuts, ${tally.keys} keys`)
    }
  }
  try {
    await Promise.all(
      Array.from({ length: callers }, (_, caller) => call(context.random.fork(`caller ${caller}`))),
    )
  } finally {
    await queue.close()
    await pool.end()
    await proxy.close()
  }
  return tally
}

type EnqueueOnce = (key: string) => Promise<Enqueued>

function requestOf(key: string) {
  return chaosJob.create({ key, plan: 'succeed', ms: 0 }, { idempotencyKey: key })
}

function inOneStatement(queue: Queue): EnqueueOnce {
  return async (key) => first(await queue.enqueueMany([requestOf(key)]))
}

/** Enqueues in a transaction of the caller, which the caller commits. */
function inOwnTransaction(queue: Queue, pool: pg.Pool): EnqueueOnce {
  return async (key) => {
    const client = await pool.connect()
    // A connection that breaks between two statements emits this event, and the next statement fails.
    client.on('error', ignore)
    try {
      await client.query('BEGIN')
      const enqueued = first(await queue.enqueueMany([requestOf(key)], { transaction: client }))
      await client.query('COMMIT')
      client.off('error', ignore).release()
      return enqueued
    } catch (error) {
      client.release(true)
      throw error
    }
  }
}

function ignore(): void {}

function first([enqueued]: readonly Enqueued[]): Enqueued {
  if (enqueued === undefined) throw new Error('an enqueue of one job gave no answer')
  return enqueued
}

/** Enqueues with one key until there is an answer; undefined if there is none after all tries. */
async function untilAnswered(
  key: string,
  history: History,
  once: EnqueueOnce,
): Promise<Enqueued | undefined> {
  for (let tries = 0; tries < triesMax; tries += 1) {
    history.write({ type: 'invoke', op: 'enqueue', keys: [key] })
    try {
      const enqueued = await once(key)
      history.write({ type: 'ok', op: 'enqueue', keys: [key], ids: [enqueued.job.id] })
      return enqueued
    } catch (error) {
      if (!isLostConnection(error)) throw error
      history.write({ type: 'unknown', op: 'enqueue', keys: [key], note: String(error) })
    }
  }
  return undefined
}

/** The error of the queue for its own statements, or of node-postgres for those of the caller. */
function isLostConnection(error: unknown): boolean {
  if (error instanceof QueueError) return error.code === 'database_unavailable'
  return error instanceof Error && /Connection terminated|ECONNRESET|not queryable/.test(error.message)
}

async function evaluate(world: World, cuts: Cuts, tally: Tally): Promise<RunResult> {
  await world.history.close()
  const checked = await checkRun(world.database, world.history.path)
  const missing = checked.jobs === tally.keys ? [] : [`${tally.keys} keys have ${checked.jobs} jobs`]
  const givenUp = tally.givenUp === 0 ? [] : [`${tally.givenUp} keys never had an answer`]
  return resultOf({
    counts: { keys: tally.keys, jobs: checked.jobs, ...cuts.counts, 'found by their key': tally.replayed },
    faults: [...describeFaults(checked), ...missing, ...givenUp],
    voidBecause: tooFewReason({
      'answers that found the job of an earlier try': { count: tally.replayed, min: cuts.total / 50 },
      ...cuts.minimums,
    }),
  })
}
