import { setTimeout as wait } from 'node:timers/promises'
import type { Operation } from '@queue/core'
import { createKey, databaseOf } from '@queue/core/internal'
import { eventually, findBrokenInvariants, type TestDatabase } from '@queue/testing'
import { withApplicationName } from '../fleet/fleet.ts'
import type { WorkerProcess } from '../fleet/worker-process.ts'
import type { Random } from '../nemesis/random.ts'
import { tooFewReason, uncleanEnds } from '../run/conclude.ts'
import { withWorld, type World } from '../run/world.ts'
import { type Scenario, type ScenarioContext, type RunResult, resultOf } from './scenario.ts'

const processes = 3
const requesterId = 'asker000'
/** Batches of 500 jobs, ten per second. Any process may run the next one. */
const rate = 5_000
/** The time to complete the operations after the last kill, in milliseconds. */
const endsWithinMs = 120_000
const batchWithin = { deadlineMs: 10_000, intervalMs: 2 }
/** About the time that the change of a batch takes, in milliseconds. */
const intoChangeMsMax = 10

/** A bulk action on all jobs of a queue that no worker serves. Each job makes this one transition. */
interface Act {
  readonly name: string
  readonly queue: string
  readonly from: string
  readonly to: string
  /** The share of the scenario's jobs. */
  readonly share: number
  readonly request: (world: World, queue: string) => Promise<unknown>
}

const acts: readonly Act[] = [
  {
    name: 'requeue of dead letters',
    queue: 'dead',
    from: 'failed_permanent',
    to: 'queued',
    share: 2 / 3,
    request: ({ database }, queue) => actsOf(database).requeueDeadLetters({ queue }, { rate }),
  },
  {
    name: 'cancel',
    queue: 'waiting',
    from: 'queued',
    to: 'cancelled',
    share: 1 / 3,
    request: ({ database }, queue) => actsOf(database).cancel({ queue }, { rate }),
  },
]
/**
 * Operations on dead letters and waiting jobs, while the process that runs a batch is killed in the middle of it. A sequence
 * keeps its value when a transaction is rolled back, so the gaps in the audit's sequence are the changes that kills undid.
 */
export const operations: Scenario = {
  number: 30,
  name: 'operations',
  law: 'an operation changes each job once, counts exactly and ends, whatever is killed',
  counted: 'kills',
  full: { jobs: 150_000, count: 60, minutesMax: 30 },
  reduced: { jobs: 5_000, count: 4, minutesMax: 10 },
  run: (context) =>
    withWorld(context, { name: 'operations' }, async (world) => {
      const { database, fleet } = world
      const key = {
        id: requesterId,
        name: requesterId,
        digest: Buffer.alloc(32, requesterId),
        permissions: [],
      } as const
      await createKey(databaseOf(database.queue), { ...key, role: 'admin' })
      for (const act of acts) await insertJobs(database, act, Math.round(context.size.jobs * act.share))
      await killAtBatches(world, context)
      await eventually(async () => (await runningOf(database)).length === 0, {
        deadlineMs: endsWithinMs,
        what: 'the end of every operation',
      }).catch(() => undefined)
      return evaluate(world, context, uncleanEnds(await fleet.stop()))
    }),
}

function actsOf({ queue }: TestDatabase) {
  return queue.actAs({ type: 'key', id: requesterId }).many
}

async function insertJobs({ pool }: TestDatabase, { queue, from }: Act, count: number): Promise<void> {
  const hasFailed = from === 'failed_permanent'
  await pool.query(
    `INSERT INTO queue.jobs (id, kind, payload, queue, status, attempts, lease_token, finished_at)
     SELECT gen_random_uuid(), 'chaos_job', '{}', $1, $2::queue.job_status, $3::int, $3::int, CASE WHEN $3::int = 1 THEN now() END
       FROM generate_series(1, $4::int)`,
    [queue, from, hasFailed ? 1 : 0, count],
  )
  if (!hasFailed) return
  await pool.query(
    `INSERT INTO queue.dead_letter_jobs (job_id, lease_token, created_at, dead_lettered_at, attempts, max_attempts, priority,
       crashes, queue, kind, payload, execution_history)
     SELECT id, 1, created_at, now(), 1, 3, 4, 0, queue, kind, payload, '[{"lease_token": 1}]' FROM queue.all_jobs WHERE queue = $1`,
    [queue],
  )
}

/** Kills a process each time its share of the jobs has been changed, so that each kill meets an operation. */
async function killAtBatches(world: World, context: ScenarioContext): Promise<void> {
  const { database, fleet, history } = world
  const { random, size, signal, progress } = context
  const draws = random.fork('kills')
  const names = new Map<string, WorkerProcess>()
  const add = (): WorkerProcess => {
    const name = `member-${names.size}`
    const member = fleet.add({ databaseUrl: withApplicationName(database.url, name) })
    names.set(name, member)
    return member
  }
  await Promise.all(Array.from({ length: processes }, () => add().started))
  for (const { request, queue } of acts) await request(world, queue)
  for (let kills = 1; kills <= size.count; kills += 1) {
    signal.throwIfAborted()
    await changedSoFar(database, ((kills - 1) / size.count) * size.jobs, signal)
    const victim = await memberAtBatch(database, names, draws)
    await wait(draws.between(0, intoChangeMsMax))
    history.write({ type: 'nemesis', act: 'SIGKILL', target: victim.idPrefix })
    victim.signal('SIGKILL')
    await victim.ended
    add()
    progress(`${kills} of ${size.count} kills`)
  }
}

/** Waits until operations have changed this many jobs or have ended. */
async function changedSoFar(database: TestDatabase, count: number, signal: AbortSignal): Promise<void> {
  for (;;) {
    const running = await runningOf(database)
    const { operations: all } = await database.queue.operations.list()
    if (running.length === 0 || all.reduce((sum, { changed }) => sum + changed, 0) >= count) return
    await wait(batchWithin.intervalMs, undefined, { signal })
  }
}

async function runningOf({ queue }: TestDatabase): Promise<readonly Operation[]> {
  return (await queue.operations.list({ state: 'running' })).operations
}

/** The process that runs a batch, found by the locks and the name of its session; a random process if there is none. */
async function memberAtBatch(
  { pool }: TestDatabase,
  names: ReadonlyMap<string, WorkerProcess>,
  random: Random,
): Promise<WorkerProcess> {
  const atBatch = async () => {
    const { rows } = await pool.query<{ name: string }>(
      `SELECT a.application_name AS name FROM pg_locks AS l JOIN pg_stat_activity AS a USING (pid)
        WHERE (l.relation, l.mode) IN (('queue.operations'::regclass, 'RowShareLock'), ('queue.jobs'::regclass, 'RowExclusiveLock'))
        GROUP BY a.application_name HAVING count(DISTINCT l.relation) = 2`,
    )
    return rows.map(({ name }) => names.get(name)).find((member) => member?.alive)
  }
  const member = await eventually(async () => (await atBatch()) ?? false, batchWithin).catch(() => undefined)
  return member ?? random.pick([...names.values()].filter(({ alive }) => alive))
}

async function evaluate(
  world: World,
  { size }: ScenarioContext,
  unclean: readonly string[],
): Promise<RunResult> {
  const { database } = world
  const effects = await Promise.all(acts.map((act) => readEffect(database, act)))
  const { rows } = await database.pool.query<{ undone: number }>(
    'SELECT (coalesce(max(seq), 0) - count(*))::int AS undone FROM chaos.audit',
  )
  const undone = rows[0]?.undone ?? 0
  return resultOf({
    counts: {
      jobs: effects.reduce((sum, { jobs }) => sum + jobs, 0),
      operations: effects.length,
      kills: size.count,
      'changes undone': undone,
    },
    faults: [...unclean, ...effects.flatMap(faultsOf), ...(await findBrokenInvariants(database))],
    // A kill may happen just before the first change of a batch or just after its end.
    voidBecause: tooFewReason({ 'changes that a kill has undone': { count: undone, min: size.count } }),
  })
}

/** The effect of a bulk action on its jobs. */
interface OperationEffect {
  readonly name: string
  readonly jobs: number
  /** Jobs in the final state, their transitions in the audit, and the distinct jobs of those. */
  readonly done: number
  readonly touches: number
  readonly touched: number
  /** The counts of the operation, and the number of jobs that the entries of its batches name. */
  readonly changed: number
  readonly skipped: number
  readonly noted: number
  readonly state: string
}

async function readEffect({ pool }: TestDatabase, { name, queue, from, to }: Act): Promise<OperationEffect> {
  const { rows } = await pool.query<Omit<OperationEffect, 'name'>>(
    `SELECT o.state, o.changed::int AS changed, o.skipped::int AS skipped, n.noted, j.jobs, j.done, a.touches, a.touched
       FROM queue.operations AS o,
            LATERAL (SELECT coalesce(sum(cardinality(l.job_ids)), 0)::int AS noted FROM queue.audit_log AS l
                      WHERE l.target = o.id::text) AS n,
            (SELECT count(*)::int AS jobs, count(*) FILTER (WHERE status::text = $3)::int AS done FROM queue.all_jobs
              WHERE queue = $1) AS j,
            (SELECT count(*)::int AS touches, count(DISTINCT a.job_id)::int AS touched
               FROM chaos.audit AS a JOIN queue.all_jobs AS j ON j.id = a.job_id
              WHERE j.queue = $1 AND a.from_status = $2 AND a.to_status = $3) AS a
      WHERE o.filter ->> 'queue' = $1`,
    [queue, from, to],
  )
  const [row] = rows
  if (row === undefined) throw new Error(`there is no operation of the ${name}`)
  return { name, ...row }
}

function faultsOf(effect: OperationEffect): string[] {
  const { name, jobs, done, touches, touched, changed, skipped, noted, state } = effect
  const summary = `${name}: ${JSON.stringify(effect)}`
  return [
    ...(state === 'succeeded' ? [] : [`an operation did not succeed: ${summary}`]),
    ...(done === jobs && touched === jobs ? [] : [`an operation missed jobs: ${summary}`]),
    ...(touches === touched ? [] : [`an operation changed a job twice: ${summary}`]),
    ...(changed === touches && skipped === 0 ? [] : [`an operation miscounted its jobs: ${summary}`]),
    ...(noted === touches ? [] : [`the entries of an operation name other jobs: ${summary}`]),
  ]
}
