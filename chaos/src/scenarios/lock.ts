import { setTimeout as wait } from 'node:timers/promises'
import { eventually } from '@queue/testing'
import { type ApiProcess, startApiProcess } from '../fleet/api-process.ts'
import { withApplicationName } from '../fleet/fleet.ts'
import { type SessionCount, watchSessions } from '../record/watch-sessions.ts'
import { pollApi } from '../run/poll-api.ts'
import { createClient } from '../run/client.ts'
import { conclude, tooFewReason, uncleanEnds } from '../run/conclude.ts'
import { untilDrained } from '../run/drain.ts'
import { withWorld, type World } from '../run/world.ts'
import type { Scenario, ScenarioContext } from './scenario.ts'

const workers = 6
const poolMax = 3
const concurrency = 2
/** The documented maximum for a worker: its pool, its lease thread, its listener, and the transactions of handlers. */
const workerConnectionsMax = poolMax + 1 + 1 + concurrency
/** The documented maximum for the API: its pool. */
const apiConnectionsMax = 2
/** More than the API has connections. */
const apiClients = 6

/**
 * The default time that a worker waits for a statement, in milliseconds. For a short lock it is less than half of the lock, but still
 * enough for every statement of a worker's start on a busy machine.
 */
const queryTimeoutMsMax = 10_000
/** In seconds. The API waits for 25 s; under a shorter lock it would hardly give up anything. */
const lockSecondsOfApi = 50

/** A process: the name of its connections, and how many of them it may have. */
interface Member {
  readonly name: string
  readonly connectionsMax: number
}

/**
 * The jobs table is locked for longer than a process waits for a statement, while handlers are in the midst of their transactions
 * and clients send requests to the API. No process ever has more connections to the server than the table of processes in the
 * documentation gives for it, and all of them continue when the lock is released.
 */
export const lock: Scenario = {
  number: 22,
  name: 'lock',
  law: 'behind a lock no process has more connections than its line says',
  counted: 'seconds of lock',
  full: { jobs: 600, count: 90, minutesMax: 15 },
  reduced: { jobs: 60, count: 5, minutesMax: 10 },
  run: (context) => {
    const queryTimeoutMs = Math.min(queryTimeoutMsMax, context.size.count * 400)
    const fleet = { concurrency, poolMax, queryTimeoutMs, leaseMs: 10_000, heartbeatMs: 1_000 }
    return withWorld(context, { name: 'lock', fleet }, async (world) => {
      const members = await startWorkers(world)
      if (context.size.count < lockSecondsOfApi) return holdLockAndCheck(world, context, { members })
      const name = 'api'
      const api = await startApiProcess({
        env: {
          DATABASE_URL: withApplicationName(world.database.url, name),
          DATABASE_POOL_MAX: String(apiConnectionsMax),
        },
      })
      try {
        return await holdLockAndCheck(world, context, {
          members: [...members, { name, connectionsMax: apiConnectionsMax }],
          api,
        })
      } finally {
        await api.stop()
      }
    })
  },
}

/** Starts the workers. Half of them end their statements by the server's timeout, half by cancel requests. */
async function startWorkers({ database, fleet }: World): Promise<Member[]> {
  const names = Array.from({ length: workers }, (_, n) => `worker ${n}`)
  for (const [n, name] of names.entries()) {
    const databaseUrl = withApplicationName(database.url, name)
    // One after the other: what is tested is the lock, and not six starts at once on a machine of two processors.
    await fleet.add({ databaseUrl, preparedStatements: n % 2 === 0 }).started
  }
  return names.map((name) => ({ name, connectionsMax: workerConnectionsMax }))
}

interface Processes {
  readonly members: readonly Member[]
  readonly api?: ApiProcess
}

async function holdLockAndCheck(world: World, context: ScenarioContext, { members, api }: Processes) {
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
    isEnough: () => members.every((member) => waitedOf(member.name, watch.counts()) >= waitedMin(member)),
    meanwhile: async (signal) => {
      if (api === undefined) return []
      return Promise.all(Array.from({ length: apiClients }, () => pollApi(api.url, signal)))
    },
  })
  await untilDrained(database, context)
  const unclean = uncleanEnds(await fleet.stop())
  const counts = await watch.stop()
  return conclude(world, {
    faults: [...unclean, ...answers.flat(), ...members.flatMap((member) => excessOf(member, counts))],
    counts: () => ({
      'seconds of lock': context.size.count,
      ...Object.fromEntries(
        members.map(({ name, connectionsMax }) => [
          `most of ${name}, of ${connectionsMax}`,
          maxSessionsOf(name, counts),
        ]),
      ),
      'statements that waited': members.reduce((sum, { name }) => sum + waitedOf(name, counts), 0),
    }),
    voidBecause: ({ evidence }) =>
      tooFewReason({
        'handlers that began': { count: evidence.begun, min: context.size.jobs },
        ...Object.fromEntries(
          members.map(({ name, connectionsMax }) => [
            `statements of ${name} that waited`,
            { count: waitedOf(name, counts), min: waitedMin({ name, connectionsMax }) },
          ]),
        ),
      }),
  })
}

type SessionCounts = ReadonlyMap<string, SessionCount>

function excessOf({ name, connectionsMax }: Member, counts: SessionCounts): string[] {
  const sessions = maxSessionsOf(name, counts)
  return sessions > connectionsMax
    ? [`${name} had ${sessions} connections at once; its maximum is ${connectionsMax}`]
    : []
}

/** With this many waiting statements, a process would exceed its maximum if it did not keep their connections. */
function waitedMin({ connectionsMax }: Member): number {
  return connectionsMax + 1
}

function maxSessionsOf(name: string, counts: SessionCounts): number {
  return counts.get(name)?.max ?? 0
}

function waitedOf(name: string, counts: SessionCounts): number {
  return counts.get(name)?.waited ?? 0
}

interface BehindLock<Result> {
  /** Runs while the lock is held. The signal aborts when the lock is released. */
  readonly meanwhile: (lockReleased: AbortSignal) => Promise<Result>
  /** Whether enough statements have waited, so that the lock can be released. */
  readonly isEnough: () => boolean
}

/** Locks the jobs for the time of the scenario, and until enough statements have waited. */
async function behindLock<Result>(
  { database, history }: World,
  { size, signal }: ScenarioContext,
  { meanwhile, isEnough }: BehindLock<Result>,
): Promise<Result> {
  const holder = await database.pool.connect()
  const lockReleased = new AbortController()
  try {
    await holder.query(`BEGIN; LOCK TABLE "${database.schema}".jobs IN ACCESS EXCLUSIVE MODE`)
    history.write({ type: 'nemesis', act: 'lock' })
    const acting = meanwhile(lockReleased.signal)
    await wait(size.count * 1_000, undefined, { signal })
    await eventually(isEnough, { what: 'enough waiting statements' })
    await holder.query('COMMIT')
    lockReleased.abort()
    return await acting
  } finally {
    lockReleased.abort()
    holder.release(true)
  }
}
