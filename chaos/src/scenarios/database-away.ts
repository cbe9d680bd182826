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
import { tooSeldom } from '../run/conclude.ts'
import { drained } from '../run/drain.ts'
import { watchMachineDelay } from '../run/machine-delay.ts'
import { withWorld, type World } from '../run/world.ts'
import { type Scenario, type ScenarioContext, type Verdict, verdictOf } from './scenario.ts'

const processes = 2
const jobsPerFault = 40
/** From the end of the fault to the end of a job that was enqueued after it. */
const resumedMsMax = 15_000
const maxAttempts = 25

/**
 * The database goes away while work is under way: every connection ended by an operator, the server restarted, the server
 * killed at once, the network silent. No worker process exits, and work resumes.
 */
export const databaseAway: Scenario = {
  number: 6,
  name: 'database-away',
  law: `the database goes away: no process exits, and work resumes within ${resumedMsMax / 1_000} s`,
  counted: 'faults',
  full: { jobs: 0, count: 100, minutesMax: 60 },
  reduced: { jobs: 0, count: 4, minutesMax: 10 },
  run: async (context) => {
    const home = await startHome()
    try {
      const here = { ...context, serverUrl: home.server.url }
      return await withWorld(here, { name: 'database-away' }, (world) => breakAndJudge(world, home, here))
    } finally {
      await home.server.stop()
      await rm(home.directory, { recursive: true, force: true })
    }
  },
}

/** A server that can go away: its data stays, and it comes back on its port. */
export interface Home {
  server: EmbeddedPostgres
  readonly directory: string
}

/** What a restart must not lose is kept by the operating system, which stays up. */
const settings = { fsync: 'off' }

export async function startHome(): Promise<Home> {
  const directory = await mkdtemp(path.join(tmpdir(), 'queue-chaos-server-'))
  return { server: await startEmbeddedPostgres({ directory, persistent: true, settings }), directory }
}

export async function startAgain(home: Home): Promise<void> {
  const { port, directory } = home.server
  home.server = await startEmbeddedPostgres({ directory, port, persistent: true, settings })
}

interface Scene extends World {
  readonly home: Home
  readonly proxy: FaultProxy
}

/** Each resolves when the fault is over. */
const faults: Readonly<Record<string, (scene: Scene) => Promise<void>>> = {
  terminate: async ({ home }) => {
    const client = new pg.Client({ connectionString: home.server.url })
    await client.connect()
    await client.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()')
    await client.end()
  },
  restart: async ({ home }) => {
    await home.server.stop()
    await startAgain(home)
  },
  'immediate stop': async ({ home }) => {
    const [pid] = (await readFile(path.join(home.server.directory, 'data', 'postmaster.pid'), 'utf8')).split(
      '\n',
    )
    process.kill(Number(pid), 'SIGQUIT')
    await home.server.ended
    await home.server.stop()
    await startAgain(home)
  },
  'half-open': async ({ proxy }) => {
    proxy.setWeather({ kind: 'blackhole' })
    await wait(silentMs)
    proxy.setWeather({ kind: 'clear' })
  },
}
/** Longer than the workers' leases. */
const silentMs = 3_000

async function breakAndJudge(world: World, home: Home, context: ScenarioContext): Promise<Verdict> {
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
    await drained(database, context)
    const badEnds = await fleet.stop()
    const allowanceMs = delay.allowanceMs()
    return await judge(world, { slowest, allowanceMs, exits, badEnds, faults: context.size.count })
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

/** How long it takes until a job is enqueued and has ended. The wait is bounded: a queue that is stuck stays stuck. */
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

interface Seen {
  /** Milliseconds until work resumed, the slowest of each fault. */
  readonly slowest: Readonly<Record<string, number>>
  /** How much of that may be the machine's. */
  readonly allowanceMs: number
  readonly exits: number
  readonly badEnds: readonly string[]
  readonly faults: number
}

async function judge(world: World, seen: Seen): Promise<Verdict> {
  await world.history.close()
  const checked = await checkRun(world.database, world.history.path)
  const slow = Object.entries(seen.slowest).filter(([, ms]) => ms > resumedMsMax + seen.allowanceMs)
  const resumed = Object.entries(seen.slowest).map(([name, ms]) => [
    `resumed after ${name}, ms at most`,
    Math.round(ms),
  ])
  return verdictOf({
    counts: {
      jobs: checked.jobs,
      faults: seen.faults,
      'allowed for delays of the machine, ms': Math.round(seen.allowanceMs),
      ...(Object.fromEntries(resumed) as Record<string, number>),
      recovered: checked.signs.recovered,
      'enqueues of unknown end that took effect': checked.signs.unknownKept,
    },
    faults: [
      ...describeFaults(checked),
      ...slow.map(([name, ms]) => `work resumed ${Math.round(ms)} ms after: ${name}`),
      ...(seen.exits > 0 ? [`${seen.exits} worker processes have exited`] : []),
      ...seen.badEnds.map((end) => `a worker did not stop cleanly: ${end}`),
    ],
    voidBecause: tooSeldom({
      'faults, each kind once': { seen: seen.faults, min: faultNames.length },
      // A few faults may all meet workers that hold nothing.
      'attempts recovered': { seen: checked.signs.recovered, min: Math.floor(seen.faults / 20) },
    }),
  })
}
