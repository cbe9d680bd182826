import { setTimeout as wait } from 'node:timers/promises'
import { eventually, type TestDatabase } from '@queue/testing'
import { busyMember } from '../fleet/busy-members.ts'
import { describeEnd, type WorkerProcess } from '../fleet/worker-process.ts'
import type { Random } from '../nemesis/random.ts'
import { createClient } from '../run/client.ts'
import { conclude, tooFewReason, uncleanEnds } from '../run/conclude.ts'
import { untilDrained } from '../run/drain.ts'
import { createLoad } from '../run/load.ts'
import { withWorld, type World } from '../run/world.ts'
import type { Scenario, ScenarioContext } from './scenario.ts'

const processes = 2
/** One worker process is killed for this many killed backends. */
const backendsPerProcess = 20
const load = {
  mix: ['abandon', 'abandon', 'transact', 'transact_late'],
  msMax: 20,
  // Each kill of a backend costs an attempt, and so does each way to abandon a transaction.
  maxAttempts: 50,
} as const

/**
 * Handlers do not await their transactions: they return while one is open, before it has begun or after it has failed, or begin
 * one after they have ended. Meanwhile backends are killed in the middle of such transactions, and worker processes, too. The
 * writes of a transaction exist exactly once if its attempt is recorded as succeeded, and not otherwise.
 */
export const handlerTransactions: Scenario = {
  number: 21,
  name: 'handler-transactions',
  law: 'what a handler writes through ctx.transaction is there exactly where its attempt has succeeded, awaited or not',
  counted: 'backends killed',
  full: { jobs: 20_000, count: 2_000, minutesMax: 40 },
  reduced: { jobs: 200, count: 15, minutesMax: 10 },
  run: (context) =>
    withWorld(context, { name: 'handler-transactions' }, async (world) => {
      const members = createWatchedMembers(world)
      const killed = await killWhileTheyWrite(world, context, members)
      await untilDrained(world.database, context)
      members.close()
      const faults = [...members.endedBySelf, ...uncleanEnds(await world.fleet.stop())]
      const notAwaited = await countNotAwaited(world.database)
      const { count, jobs } = context.size
      return conclude(world, {
        faults,
        counts: ({ evidence }) => ({
          'backends killed': killed,
          'attempts without await': notAwaited,
          recovered: evidence.recovered,
        }),
        voidBecause: () =>
          tooFewReason({
            'backends killed in a transaction': { count: killed, min: count / 2 },
            'attempts without await': { count: notAwaited, min: jobs / 2 },
          }),
      })
    }),
}

/** The worker processes, and the ends of those that ended although they were not killed. */
interface WatchedMembers {
  add(): WorkerProcess
  kill(member: WorkerProcess): Promise<void>
  readonly endedBySelf: readonly string[]
  /** From now on the processes may end. */
  close(): void
}

function createWatchedMembers({ fleet, history }: World): WatchedMembers {
  const killed = new Set<WorkerProcess>()
  const endedBySelf: string[] = []
  let closed = false
  return {
    endedBySelf,
    add: () => {
      const member = fleet.add()
      void member.ended.then((end) => {
        if (!closed && !killed.has(member)) endedBySelf.push(`a worker ended by itself: ${describeEnd(end)}`)
      })
      return member
    },
    kill: async (member) => {
      killed.add(member)
      history.write({ type: 'nemesis', act: 'SIGKILL', target: member.idPrefix })
      member.signal('SIGKILL')
      await member.ended
    },
    close: () => {
      closed = true
    },
  }
}

/** Kills backends in the middle of a handler's transaction, and resolves with their number. */
async function killWhileTheyWrite(
  world: World,
  { size, random, signal, progress }: ScenarioContext,
  members: WatchedMembers,
): Promise<number> {
  const client = createClient(world.database.queue, world.history)
  const { feed } = createLoad(client, { ...load, jobs: size.jobs, random: random.fork('jobs') })
  const draws = random.fork('kills')
  await Promise.all(Array.from({ length: processes }, () => members.add().started))
  let killed = 0
  for (let kills = 1; kills <= size.count; kills += 1) {
    signal.throwIfAborted()
    if (members.endedBySelf.length > 0) return killed
    await feed(kills / size.count)
    if (await killBackend(world.database, draws)) killed += 1
    if (kills % backendsPerProcess === 0) {
      await members.kill(await busyMember(world, draws))
      await members.add().started
    }
    progress(`${kills} of ${size.count} kills`)
  }
  return killed
}

/** Kills the backend of a handler's transaction at a random moment. Resolves with false if there was none. */
async function killBackend({ pool }: TestDatabase, random: Random): Promise<boolean> {
  const inTransaction = async (): Promise<number[]> => {
    const { rows } = await pool.query<{ pid: number }>(
      `SELECT pid FROM pg_stat_activity
        WHERE datname = current_database() AND application_name = 'queue-handler' AND xact_start IS NOT NULL`,
    )
    return rows.map(({ pid }) => pid)
  }
  const pids = await eventually(
    async () => {
      const openPids = await inTransaction()
      return openPids.length > 0 && openPids
    },
    { deadlineMs: 5_000, intervalMs: 1 },
  ).catch(() => [])
  if (pids.length === 0) return false
  await wait(random.between(0, 2))
  await pool.query('SELECT pg_terminate_backend($1)', [random.pick(pids)])
  return true
}

/** The number of attempts that failed because their handler had not awaited its transaction. */
async function countNotAwaited({ pool, schema }: TestDatabase): Promise<number> {
  const { rows } = await pool.query<{ failed: number }>(
    `SELECT count(*)::int AS failed FROM "${schema}".job_executions
      WHERE outcome = 'failed' AND error LIKE '%await ctx.transaction%'`,
  )
  return rows[0]?.failed ?? 0
}
