import { setTimeout as wait } from 'node:timers/promises'
import { eventually } from '@queue/testing'
import { type ApiProcess, startApiProcess } from '../fleet/api-process.ts'
import { named } from '../fleet/fleet.ts'
import { type Sighting, watchSessions } from '../record/watch-sessions.ts'
import { askApi } from '../run/ask-api.ts'
import { createClient } from '../run/client.ts'
import { conclude, tooSeldom, uncleanEnds } from '../run/conclude.ts'
import { drained } from '../run/drain.ts'
import { withWorld, type World } from '../run/world.ts'
import type { Scenario, ScenarioContext } from './scenario.ts'

const workers = 6
const poolMax = 3
const concurrency = 2
/** A worker's line in the table of processes: its pool, its lease thread, its listener, and what handlers take. */
const workerLine = poolMax + 1 + 1 + concurrency
/** That of the API: its pool. */
const apiLine = 2
/** More than it has connections. */
const apiClients = 6

/** A worker waits so long for a statement by default; in a short lock it waits a fifth of that. */
const queryTimeoutMsMax = 10_000
/** The API waits for 25 s. In a lock that is not held for twice as long it has hardly anything to give up. */
const lockSecondsOfApi = 50

/** A process, by the name that its connections have, and how many of them it may have. */
interface Member {
  readonly name: string
  readonly line: number
}

/**
 * The table of the jobs is locked for longer than statements are waited for, while handlers are in the midst of their
 * transactions and clients ask the API. No process ever has more connections on the server than its line in the table of
 * processes, and all of them go on when the lock is let go of.
 */
export const lock: Scenario = {
  number: 22,
  name: 'lock',
  law: 'behind a lock no process has more connections than its line says',
  counted: 'seconds of lock',
  full: { jobs: 600, count: 90, minutesMax: 15 },
  reduced: { jobs: 60, count: 5, minutesMax: 10 },
  run: (context) => {
    const queryTimeoutMs = Math.min(queryTimeoutMsMax, context.size.count * 200)
    const fleet = { concurrency, poolMax, queryTimeoutMs, leaseMs: 10_000, heartbeatMs: 1_000 }
    return withWorld(context, { name: 'lock', fleet }, async (world) => {
      const members = await startWorkers(world)
      if (context.size.count < lockSecondsOfApi) return holdAndJudge(world, context, { members })
      const name = 'api'
      const api = await startApiProcess({
        DATABASE_URL: named(world.database.url, name),
        DATABASE_POOL_MAX: String(apiLine),
      })
      try {
        return await holdAndJudge(world, context, { members: [...members, { name, line: apiLine }], api })
      } finally {
        await api.stop()
      }
    })
  },
}

/** Half of them end their statements by the server's own limit, half by requests to cancel them. */
async function startWorkers({ database, fleet }: World): Promise<Member[]> {
  const names = Array.from({ length: workers }, (_, n) => `worker ${n}`)
  const processes = names.map((name, n) =>
    fleet.add({ databaseUrl: named(database.url, name), preparedStatements: n % 2 === 0 }),
  )
  await Promise.all(processes.map(({ started }) => started))
  return names.map((name) => ({ name, line: workerLine }))
}

interface Cast {
  readonly members: readonly Member[]
  readonly api?: ApiProcess
}

async function holdAndJudge(world: World, context: ScenarioContext, { members, api }: Cast) {
  const { database, fleet, history } = world
  const watch = watchSessions(database)
  await createClient(database.queue, history).enqueue(
    Array.from({ length: context.size.jobs }, (_, n) => ({
      key: `k${n}`,
      plan: 'transact' as const,
      ms: 50,
      options: { maxAttempts: 100 },
    })),
  )
  const answers = await behindLock(world, context, {
    isEnough: () => members.every((member) => waitedOf(member.name, watch.seen()) >= waitedMin(member)),
    meanwhile: async (signal) => {
      if (api === undefined) return []
      return Promise.all(Array.from({ length: apiClients }, () => askApi(api.url, signal)))
    },
  })
  await drained(database, context)
  const unclean = uncleanEnds(await fleet.stop())
  const seen = await watch.stop()
  return conclude(world, {
    faults: [...unclean, ...answers.flat(), ...members.flatMap((member) => excessOf(member, seen))],
    counts: () => ({
      'seconds of lock': context.size.count,
      ...Object.fromEntries(
        members.map(({ name, line }) => [`most of ${name}, of ${line}`, mostOf(name, seen)]),
      ),
      'statements that waited': members.reduce((sum, { name }) => sum + waitedOf(name, seen), 0),
    }),
    voidBecause: ({ signs }) =>
      tooSeldom({
        'handlers that began': { seen: signs.begun, min: context.size.jobs },
        ...Object.fromEntries(
          members.map(({ name, line }) => [
            `statements of ${name} that waited`,
            { seen: waitedOf(name, seen), min: waitedMin({ name, line }) },
          ]),
        ),
      }),
  })
}

type Sightings = ReadonlyMap<string, Sighting>

function excessOf({ name, line }: Member, seen: Sightings): string[] {
  const most = mostOf(name, seen)
  return most > line ? [`${name} had ${most} connections at once; its line says ${line}`] : []
}

/** As many statements as would have taken more connections than there may be, were those not kept. */
function waitedMin({ line }: Member): number {
  return line + 1
}

function mostOf(name: string, seen: Sightings): number {
  return seen.get(name)?.most ?? 0
}

function waitedOf(name: string, seen: Sightings): number {
  return seen.get(name)?.waited ?? 0
}

interface BehindLock<Result> {
  /** What goes on meanwhile; it is told when the lock is gone. */
  readonly meanwhile: (over: AbortSignal) => Promise<Result>
  /** Whether enough has waited for the lock to let it go. */
  readonly isEnough: () => boolean
}

/** Nobody can read or write a job for as long as the scenario says, and until enough has waited. */
async function behindLock<Result>(
  { database, history }: World,
  { size, signal }: ScenarioContext,
  { meanwhile, isEnough }: BehindLock<Result>,
): Promise<Result> {
  const holder = await database.pool.connect()
  const over = new AbortController()
  try {
    await holder.query(`BEGIN; LOCK TABLE "${database.schema}".jobs IN ACCESS EXCLUSIVE MODE`)
    history.write({ type: 'nemesis', act: 'lock' })
    const acting = meanwhile(over.signal)
    await wait(size.count * 1_000, undefined, { signal })
    await eventually(isEnough, { what: 'that enough statements wait' })
    await holder.query('COMMIT')
    over.abort()
    return await acting
  } finally {
    over.abort()
    holder.release(true)
  }
}
