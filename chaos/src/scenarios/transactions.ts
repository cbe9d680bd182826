import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { eventually, type TestDatabase } from '@queue/testing'
import { checkRun, describeFaults } from '../checker/check-run.ts'
import { type ProducerConfig, producerName } from '../producer/producer-config.ts'
import { tooFewReason } from '../run/conclude.ts'
import { untilDrained } from '../run/drain.ts'
import { forkProgram } from '../run/fork-program.ts'
import { withWorld, type World } from '../run/world.ts'
import { type Scenario, type ScenarioContext, type RunResult, resultOf } from './scenario.ts'

const producers = 2
/** The number of transactions of each process. Half are rolled back. Some processes are done before their kill. */
const transactionsPerProcess = 100
/** The start of a process takes longer than its work, so in a large run each process has more work. */
const processesMax = 200
/** A process that has placed enough orders is killed within this time, in milliseconds. */
const killWithinMs = 10

/**
 * Services place orders and enqueue a job for each in one transaction. Half of the transactions are rolled back. The services
 * are killed at random, and workers run the jobs. Exactly the committed orders have jobs.
 */
export const transactions: Scenario = {
  number: 12,
  name: 'transactions',
  law: 'an enqueue in a transaction is there exactly when the transaction committed',
  counted: 'transactions',
  full: { jobs: 0, count: 100_000, minutesMax: 40 },
  reduced: { jobs: 0, count: 1_000, minutesMax: 10 },
  run: (context) =>
    withWorld(context, { name: 'transactions' }, async (world) => {
      await world.database.pool.query(
        'CREATE TABLE chaos.orders (key text PRIMARY KEY, job_id uuid NOT NULL)',
      )
      await world.fleet.start(1)
      const produced = await produceAndKill(world, context)
      await recordOrders(world)
      await untilDrained(world.database, context)
      await world.fleet.stop()
      return evaluate(world, context, produced)
    }),
}

interface Produced {
  readonly processes: number
  /** How many of them were killed. */
  readonly kills: number
}

/** Starts producers one after the other, a few at a time, and kills most of them before they are done. */
async function produceAndKill(world: World, context: ScenarioContext): Promise<Produced> {
  const { size, random, signal, progress } = context
  const processes = Math.min(processesMax, Math.ceil(size.count / transactionsPerProcess))
  const share = Math.ceil(size.count / processes)
  let started = 0
  let kills = 0
  const produce = async (): Promise<void> => {
    while (started < processes) {
      signal.throwIfAborted()
      started += 1
      const draws = random.fork(`producer ${started}`)
      const seed = draws.between(0, 2 ** 31)
      if (await runAndKill(world.database, { prefix: `p${started}`, seed, draws, share })) kills += 1
      progress(`${started} of ${processes} producers, ${kills} killed`)
    }
  }
  await Promise.all(Array.from({ length: producers }, produce))
  return { processes, kills }
}

const program = new URL('../producer/producer-program.ts', import.meta.url)

interface Producer {
  readonly prefix: string
  readonly seed: number
  readonly draws: ScenarioContext['random']
  /** The number of its transactions. */
  readonly share: number
}

/** Runs a producer. Resolves with true if it was killed, and false if it was done before. */
async function runAndKill(
  { url, schema, pool }: TestDatabase,
  { prefix, seed, draws, share }: Producer,
): Promise<boolean> {
  const config: ProducerConfig = { url, schema, prefix, seed, transactions: share }
  const child = forkProgram({ program, config, stderr: 'inherit' })
  const ended = once(child, 'exit')
  const orders = draws.between(1, Math.ceil(share / 2))
  await ordersPlaced({ pool, prefix, orders, alive: () => isAlive(child) })
  await Promise.race([ended, wait(draws.between(0, killWithinMs))])
  const killed = isAlive(child)
  child.kill('SIGKILL')
  await ended
  if (!killed && child.exitCode !== 0) throw new Error(`producer ${prefix} exited ${child.exitCode}`)
  return killed
}

function isAlive(child: ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null
}

interface Progress {
  readonly pool: TestDatabase['pool']
  readonly prefix: string
  /** How many orders to wait for. */
  readonly orders: number
  readonly alive: () => boolean
}

/** Resolves when this many orders of a producer are committed, or when it has ended. */
async function ordersPlaced({ pool, prefix, orders, alive }: Progress): Promise<void> {
  while (alive()) {
    const { rows } = await pool.query<{ placed: number }>(
      "SELECT count(*)::int AS placed FROM chaos.orders WHERE starts_with(key, $1 || ' ')",
      [prefix],
    )
    if ((rows[0]?.placed ?? 0) >= orders) return
    await wait(10)
  }
}

/** Records the committed orders as acknowledged enqueues, because a killed producer cannot record them. */
async function recordOrders({ database, history }: World): Promise<void> {
  await eventually(() => allGone(database.pool), { intervalMs: 20 })
  const { rows } = await database.pool.query<{ key: string; job_id: string }>(
    'SELECT key, job_id FROM chaos.orders',
  )
  for (const { key, job_id: id } of rows) history.write({ type: 'ok', op: 'enqueue', keys: [key], ids: [id] })
}

/** Whether no connection of a producer is left. A commit that was sent takes effect even if its sender is dead. */
async function allGone(pool: TestDatabase['pool']): Promise<boolean> {
  const { rows } = await pool.query('SELECT FROM pg_stat_activity WHERE application_name = $1 LIMIT 1', [
    producerName,
  ])
  return rows.length === 0
}

async function evaluate(
  world: World,
  { size }: ScenarioContext,
  { processes, kills }: Produced,
): Promise<RunResult> {
  await world.history.close()
  const checked = await checkRun(world.database, world.history.path)
  return resultOf({
    counts: { 'committed orders': checked.acknowledged, jobs: checked.jobs, kills },
    faults: describeFaults(checked),
    voidBecause: tooFewReason({
      'producers killed': { count: kills, min: processes / 4 },
      'committed orders': { count: checked.acknowledged, min: size.count / 10 },
    }),
  })
}
