import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import type { KeyRole } from '@queue/core'
import { createKey, digestSecret, formatApiKey, keyRoles, databaseOf } from '@queue/core/internal'
import { createTestDatabase, type TestDatabase } from '@queue/testing'
import type { AbuserReport, AbuserSettings } from '../abuse/abuser.ts'
import { type AbusedRoute, abusedRoutes } from '../abuse/routes.ts'
import { p99Ms, runVictim, type VictimOptions } from '../abuse/victim.ts'
import { type ApiProcess, builtApi, startApiProcess } from '../fleet/api-process.ts'
import { type Scenario, type ScenarioContext, type RunResult, resultOf } from './scenario.ts'

const connections = 200
/** How long each route is abused, and how long the other client is alone before that, where times are judged … */
const timed = { secondsOfEach: 2, secondsAlone: 10 }
/** … and where they are not. */
const untimed = { secondsOfEach: 1, secondsAlone: 1 }
/**
 * How long a route beside which the other client was slow is abused again, and how long that is alone again before. In two
 * seconds it sends twenty requests, so one pause of the machine would decide; these measurements do.
 */
const secondsAgain = 10
/** The 99th percentile beside an abuser may be this many times that of the other client alone. */
const slowerMax = 5
/** Below this, a difference comes from the machine: the abuser needs its processors too. */
const slowMsMin = 100
/** The memory of the API in the chart, less a fifth. */
const memoryBytesMax = 0.8 * 512 * 1_048_576

interface Case {
  readonly route: AbusedRoute
  readonly role: KeyRole
}

/**
 * One key repeats a request on 200 connections, each route with each role, while another key sends ten requests a second. Nobody's
 * connection ends without an answer, nothing that the other was told exists is lost, and the other is not much slower than alone.
 */
export const abuse: Scenario = {
  number: 39,
  name: 'abuse',
  law: 'whatever one key repeats on 200 connections, another is served, and soon',
  counted: 'routes with a role',
  full: { jobs: 200_000, count: 1_000, minutesMax: 60 },
  reduced: { jobs: 2_000, count: 3, minutesMax: 10 },
  run: async (context) => {
    const database = await createTestDatabase({ serverUrl: context.serverUrl })
    // As much as V8 takes for its heap where the process has the memory of the chart; elsewhere it collects later.
    const NODE_OPTIONS = '--max-old-space-size=256'
    const api = await startApiProcess({
      program: builtApi,
      env: { DATABASE_URL: database.urlAs('api'), API_KEYS: 'yes', NODE_OPTIONS },
    })
    try {
      return await abuseEach(context, { database, api })
    } finally {
      await api.stop()
      await database.close()
    }
  },
}

interface Deployment {
  readonly database: TestDatabase
  readonly api: ApiProcess
}

async function abuseEach(context: ScenarioContext, { database, api }: Deployment): Promise<RunResult> {
  const { size, progress, signal } = context
  // In a small size, times say more about the machine.
  const isTimed = size.jobs >= abuse.full.jobs
  const { secondsOfEach, secondsAlone } = isTimed ? timed : untimed
  const id = await insertJobs(database, size.jobs)
  const keys = new Map<KeyRole, string>()
  for (const role of keyRoles) keys.set(role, await makeKey(database, role, 'abuser'))
  const victim = { url: api.url, key: await makeKey(database, 'admin', 'victim'), id }
  const measured = new Measurements({ api, victim, keys, progress })
  const aloneMs = await measured.alone(secondsAlone)
  const cases = await casesOf(context, id)
  let slowestMs = 0
  for (const each of cases) {
    signal.throwIfAborted()
    const slowMs = await measured.beside(each, secondsOfEach)
    const isSlow = isTimed && slowMs > atMostMs(aloneMs)
    slowestMs = Math.max(slowestMs, isSlow ? await measured.again(each) : slowMs)
  }
  const { answers, enqueued, faults, peakBytes } = measured
  if (peakBytes > memoryBytesMax) faults.push(`the API occupied ${peakBytes} bytes`)
  const lost = await countLost(database, enqueued)
  if (lost > 0) faults.push(`${lost} acknowledged jobs do not exist`)
  return resultOf({
    faults,
    counts: {
      'routes with a role': cases.length,
      'answers to abusers': answers,
      'jobs of the other': enqueued.length,
      'p99 alone in ms': Math.round(aloneMs),
      'highest p99 beside an abuser in ms': Math.round(slowestMs),
      'memory of the API in MiB': Math.round(peakBytes / 1_048_576),
    },
    voidBecause: answers < cases.length * connections ? 'the abusers had too few answers' : undefined,
  })
}

/** Routes that once took all connections from others. Every size has them. */
const knownCases = ['read GET /queues', 'operate POST /jobs/cancel']

/** Each route with each role; in a smaller size the known ones, and others by chance. */
async function casesOf({ size, random }: ScenarioContext, id: string): Promise<Case[]> {
  const routes = await abusedRoutes({ id, queue: 'abused' })
  const all = routes.flatMap((route) => keyRoles.map((role) => ({ route, role })))
  if (size.count >= all.length) return all
  const known = all.filter((each) => knownCases.includes(nameOf(each)))
  const others = Array.from({ length: size.count - known.length }, () => random.pick(all))
  return [...known, ...others]
}

/** The largest 99th percentile that is no fault beside an abuser. */
function atMostMs(aloneMs: number): number {
  return Math.max(slowMsMin, aloneMs * slowerMax)
}

interface MeasurementsOptions {
  readonly api: ApiProcess
  readonly victim: VictimOptions
  readonly keys: ReadonlyMap<KeyRole, string>
  readonly progress: ScenarioContext['progress']
}

/** Measures the other client, alone and beside an abuser, and collects what the whole run is judged by. */
class Measurements {
  readonly faults: string[] = []
  /** The ids of the jobs that the other client was told exist. */
  readonly enqueued: string[] = []
  /** How many answers the abusers had. */
  answers = 0
  peakBytes = 0
  readonly #options: MeasurementsOptions

  constructor(options: MeasurementsOptions) {
    this.#options = options
  }

  /** The 99th percentile of the other client alone, in milliseconds. */
  alone(seconds: number): Promise<number> {
    return this.#victim(seconds, 'alone')
  }

  /** The same beside this abuser. */
  async beside({ route, role }: Case, seconds: number): Promise<number> {
    const { api, keys, progress } = this.#options
    const name = nameOf({ route, role })
    const abuser = startAbuser({ url: api.url, key: keys.get(role) ?? '', route, connections })
    const slowMs = await this.#victim(seconds, `beside ${name}`)
    const { statuses, resets } = await abuser.stop()
    const bytes = await memoryBytes(api.pid)
    this.peakBytes = Math.max(this.peakBytes, bytes)
    this.answers += Object.values(statuses).reduce((sum, count) => sum + count, 0)
    if (resets > 0) this.faults.push(`${resets} connections of ${name} ended without an answer`)
    const mebibytes = Math.round(bytes / 1_048_576)
    progress(`${name}: ${JSON.stringify(statuses)}, p99 ${slowMs.toFixed(0)} ms, ${mebibytes} MiB`)
    return slowMs
  }

  /** Measures longer, and finds a fault where the other client is too slow again. */
  async again(each: Case): Promise<number> {
    const aloneMs = await this.alone(secondsAgain)
    const slowMs = await this.beside(each, secondsAgain)
    if (slowMs > atMostMs(aloneMs)) {
      const times = `${slowMs.toFixed(0)} ms, and ${aloneMs.toFixed(0)} ms alone`
      this.faults.push(`beside ${nameOf(each)}, the p99 of the other was ${times}`)
    }
    return slowMs
  }

  async #victim(seconds: number, situation: string): Promise<number> {
    const report = await during(seconds * 1_000, (until) => runVictim(this.#options.victim, until))
    this.faults.push(...report.faults.map((fault) => `${situation}: ${fault}`))
    this.enqueued.push(...report.enqueued)
    return p99Ms(report.latenciesMs)
  }
}

function nameOf({ route, role }: Case): string {
  return `${role} ${route.name}`
}

/** The result of `work`, whose signal aborts after `ms`. */
async function during<Result>(ms: number, work: (until: AbortSignal) => Promise<Result>): Promise<Result> {
  const until = new AbortController()
  const working = work(until.signal)
  await wait(ms)
  until.abort()
  return working
}

function startAbuser(settings: AbuserSettings): { stop(): Promise<AbuserReport> } {
  const thread = new Worker(new URL('../abuse/abuser.ts', import.meta.url), { workerData: settings })
  return {
    stop: async () => {
      const reported = once(thread, 'message') as Promise<[AbuserReport]>
      thread.postMessage('stop')
      const [report] = await reported
      await thread.terminate()
      return report
    },
  }
}

async function makeKey({ queue }: TestDatabase, role: KeyRole, name: string): Promise<string> {
  const secret = randomBytes(32)
  const id = `${name.slice(0, 2)}${role.slice(0, 6).padEnd(6, '0')}`
  await createKey(databaseOf(queue), { id, digest: digestSecret(secret), name, role, permissions: [] })
  return formatApiKey(id, secret)
}

/** Inserts waiting jobs, and returns the id of one. */
async function insertJobs({ pool, schema }: TestDatabase, count: number): Promise<string> {
  const { rows } = await pool.query<{ id: string }>(
    `INSERT INTO "${schema}".jobs (id, kind, payload, queue)
     SELECT ('01900000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 'send_email', '{}', 'abused'
       FROM generate_series(1, $1::int) AS n RETURNING id`,
    [count],
  )
  await pool.query(`ANALYZE "${schema}".jobs`)
  return rows[0]?.id ?? ''
}

async function countLost({ pool, schema }: TestDatabase, ids: readonly string[]): Promise<number> {
  const { rows } = await pool.query<{ lost: number }>(
    `SELECT count(*)::int AS lost FROM unnest($1::uuid[]) AS e (id)
      WHERE NOT EXISTS (SELECT FROM "${schema}".all_jobs AS j WHERE j.id = e.id)`,
    [ids],
  )
  return rows[0]?.lost ?? 0
}

/** The resident memory of a process; 0 where this system does not tell it. */
async function memoryBytes(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/statm`, 'utf8').catch(() => '')
  return Number(text.split(' ')[1] ?? 0) * 4_096
}
