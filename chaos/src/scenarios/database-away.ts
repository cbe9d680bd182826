import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@queue/dev-postgres'
import { eventually } from '@queue/testing'
import pg from 'pg'
import { checkRun, describeFaults } from '../checker/check-run.ts'
import { type FaultProxy, startFaultProxy } from '../proxy/fault-proxy.ts'
import { createClient, type Client } from '../run/client.ts'
import { tooFewReason } from '../run/conclude.ts'
import { untilDrained } from '../run/drain.ts'
import { watchMachineDelay } from '../run/machine-delay.ts'
import { withWorld, type World } from '../run/world.ts'
import { type Scenario, type ScenarioContext, type RunResult, resultOf } from './scenario.ts'

const processes = 2
const jobsPerFault = 40
/** The maximum time from the end of the fault to the end of a job that was enqueued after it, in milliseconds. */
const resumedMsMax = 15_000
const maxAttempts = 25

/**
 * The database becomes unavailable while jobs run: an operator ends every connection, the server restarts, the server is killed,
 * or the network is silent. No worker process exits, and work resumes.
 */
export const databaseAway: Scenario = {
  number: 6,
  name: 'database-away',
  law: `the database goes away: no process exits, and work resumes within ${resumedMsMax / 1_000} s`,
  counted: 'faults',
  full: { jobs: 0, count: 100, minutesMax: 60 },
  reduced: { jobs: 0, count: 4, minutesMax: 10 },
  run: async (context) => {
    const restartable = await startRestartableServer()
    try {
      const ownContext = { ...context, serverUrl: restartable.server.url }
      return await withWorld(ownContext, { name: 'database-away' }, (world) =>
        causeFaults(world, restartable, ownContext),
      )
    } finally {
      await restartable.server.stop()
      await rm(restartable.directory, { recursive: true, force: true })
    }
  },
}

/** A server that can be restarted: its data stays, and it keeps its port. */
export interface RestartableServer {
  server: EmbeddedPostgres
  readonly directory: string
}

/** A kill of the server loses nothing without fsync, because the operating system keeps running. */
const settings = { fsync: 'off' }

export async function startRestartableServer(): Promise<RestartableServer> {
  const directory = await mkdtemp(path.join(tmpdir(), 'queue-chaos-server-'))
  return { server: await startEmbeddedPostgres({ directory, persistent: true, settings }), directory }
}

export async function restartServer(home: RestartableServer): Promise<void> {
  const { port, directory } = home.server
  home.server = await startEmbeddedPostgres({ directory, port, persistent: true, settings })
}

interface FaultContext extends World {
  readonly home: RestartableServer
  readonly proxy: FaultProxy
}

/** The faults. Each function resolves when its fault is over. */
const faults: Readonly<Record<string, (scene: FaultContext) => Promise<void>>> = {
  terminate: async ({ home }) => {
    const client = new pg.Client({ connectionString: home.server.url })
    await client.connect()
    await client.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()')
    await client.end()
  },
  restart: async ({ home }) => {
    await home.server.stop()
    await restartServer(home)
  },
  'immediate stop': async ({ home }) => {
    const [pid] = (await readFile(path.join(home.server.directory, 'data', 'postmaster.pid'), 'utf8')).split(
      '\n',
    )
    process.kill(Number(pid), 'SIGQUIT')
    await home.server.ended
    await home.server.stop()
    await restartServer(home)
  },
  'half-open': async ({ proxy }) => {
    proxy.setNetwork({ kind: 'blackhole' })
    await wait(silentMs)
    proxy.setNetwork({ kind: 'clear' })
  },
}
/** In milliseconds. Longer than the leases of the workers. */
const silentMs = 3_000

async function causeFaults(
  world: World,
  home: RestartableServer,
  context: ScenarioContext,
): Promise<RunResult> {
  const proxy = await startFaultProxy({ databaseUrl: world.database.url })
  const delay = watchMachineDelay()
  const { fleet, history, database } = world
  const client = createClient(database.queue, history)
  const slowest: Record<string, number> = {}
  let exits = 0
  try {
    for (let n = 0; n < processes; n += 1) await fleet.add({ databaseUrl: proxy.url }).started
    for (let n = 0; n < context.size.count; n += 1) {
      context.signal.throwIfAborted()
      const name = faultNames[n % faultNames.length] ?? ''
      await enqueueLoad(client, context, n)
      history.write({ type: 'nemesis', act: name })
      await faults[name]?.({ ...world, home, proxy })
      slowest[name] = Math.max(slowest[name] ?? 0, await resumedMs(world, client, `after ${n}`))
      exits = processes - fleet.members.length
      context.progress(`${n + 1} of ${context.size.count} faults`)
    }
    await untilDrained(database, context)
    const uncleanProcessEnds = await fleet.stop()
    const allowanceMs = delay.allowanceMs()
    return await evaluate(world, {
      slowest,
      allowanceMs,
      exits,
      uncleanProcessEnds,
      faults: context.size.count,
    })
  } finally {
    delay.stop()
    await fleet.kill()
    await proxy.close()
  }
}

const faultNames = Object.keys(faults)

async function enqueueLoad(client: Client, { random }: ScenarioContext, n: number): Promise<void> {
  const draws = random.fork(`load ${n}`)
  await client.enqueue(
    Array.from({ length: jobsPerFault }, (_, job) => ({
      key: `k${n} ${job}`,
      plan: draws.pick(['succeed', 'succeed', 'fail_once', 'transact', 'linger']),
      ms: draws.between(0, 100),
      options: { maxAttempts },
    })),
  )
}

/** The time until a job is enqueued and has ended. The wait is bounded, because a stuck queue would wait forever. */
async function resumedMs({ database }: World, client: Client, key: string): Promise<number> {
  const startedMs = performance.now()
  const until = { deadlineMs: 4 * resumedMsMax, intervalMs: 50 }
  const ids = await eventually(
    () => client.enqueue([{ key, plan: 'succeed', ms: 0, options: { maxAttempts } }]),
    until,
  )
  await eventually(async () => {
    const [job] = await database.queue.states(ids).catch(() => [])
    return job?.status === 'succeeded'
  }, until)
  return performance.now() - startedMs
}

interface Measurements {
  /** Milliseconds until work resumed, the slowest of each fault. */
  readonly slowest: Readonly<Record<string, number>>
  /** How much of that the machine may have caused. */
  readonly allowanceMs: number
  readonly exits: number
  readonly uncleanProcessEnds: readonly string[]
  readonly faults: number
}

async function evaluate(world: World, measured: Measurements): Promise<RunResult> {
  await world.history.close()
  const checked = await checkRun(world.database, world.history.path)
  const slow = Object.entries(measured.slowest).filter(([, ms]) => ms > resumedMsMax + measured.allowanceMs)
  const resumed = Object.entries(measured.slowest).map(([name, ms]) => [
    `resumed after ${name}, ms at most`,
    Math.round(ms),
  ])
  return resultOf({
    counts: {
      jobs: checked.jobs,
      faults: measured.faults,
      'allowed for delays of the machine, ms': Math.round(measured.allowanceMs),
      ...(Object.fromEntries(resumed) as Record<string, number>),
      recovered: checked.evidence.recovered,
      'enqueues of unknown end that took effect': checked.evidence.unknownKept,
    },
    faults: [
      ...describeFaults(checked),
      ...slow.map(([name, ms]) => `work resumed ${Math.round(ms)} ms after: ${name}`),
      ...(measured.exits > 0 ? [`${measured.exits} worker processes exited`] : []),
      ...measured.uncleanProcessEnds.map((end) => `a worker did not stop cleanly: ${end}`),
    ],
    voidBecause: tooFewReason({
      'faults, each kind once': { count: measured.faults, min: faultNames.length },
      // With few faults, all of them may meet idle workers.
      'attempts recovered': { count: checked.evidence.recovered, min: Math.floor(measured.faults / 20) },
    }),
  })
}
