import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { migrateUp } from '@queue/core'
import { createTestDatabases } from '@queue/dev-postgres'
import pg from 'pg'
import { median } from '../median.ts'
import { fillHistory } from './fill-history.ts'
import { type ExistingIds, type PageRequest, pageRequests, viewedPages } from './pages.ts'

export interface DashboardOptions {
  readonly serverUrl: string
  readonly jobs: number
  readonly viewers: number
  /** How long the viewers poll. */
  readonly seconds: number
  readonly onStep: (step: string) => void
}

export interface RequestFigure extends PageRequest {
  readonly p50Ms: number
  readonly maxMs: number
  /** Its slowest query; undefined if it made none. */
  readonly query: QueryFigure | undefined
  /** The response or error if the request failed. Its durations mean nothing then. */
  readonly fault: string | undefined
}

/** A query as the database measured it. */
export interface QueryFigure {
  readonly maxMs: number
  /** The tables that it uses, such as `jobs, workers`. */
  readonly tables: string
}

export interface ViewersFigure {
  readonly count: number
  readonly seconds: number
  readonly answersPerSecond: number
  /** Requests that failed. */
  readonly refused: number
  /** Processor time of the API divided by the elapsed time. */
  readonly coreShare: number
  /** Queries that the database received. */
  readonly queriesPerSecond: number
}

export interface DashboardFigures {
  readonly jobs: number
  readonly requests: readonly RequestFigure[]
  readonly viewers: ViewersFigure
}

const script = fileURLToPath(new URL('../http/server-process.ts', import.meta.url))
/** The first rounds fill caches and are not counted. */
const warmUpRounds = 3
const samples = 10

/** Measures the requests of the pages with so many jobs in the database, alone and with many viewers. */
export async function runDashboard(options: DashboardOptions): Promise<DashboardFigures> {
  const { serverUrl, jobs, onStep } = options
  const databases = createTestDatabases({
    serverUrl,
    templateKey: `dashboard ${process.pid}`,
    prepareTemplate: async (connectionString) => void (await migrateUp({ connectionString })),
  })
  const { url } = await databases.create()
  const pool = new pg.Pool({ connectionString: url, max: 1 })
  let server: ChildProcess | undefined
  try {
    await pool.query('CREATE EXTENSION IF NOT EXISTS pg_stat_statements')
    await fillHistory({ pool, jobs, onStep })
    server = spawn(
      process.execPath,
      [...process.execArgv, script, JSON.stringify({ variant: 'grouped inserts', url })],
      { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] },
    )
    const api: Api = { process: server, base: `http://127.0.0.1:${await portOf(server)}` }
    const requests = pageRequests(await readExistingIds(pool))
    const figures: RequestFigure[] = []
    for (const request of requests) {
      onStep(`dashboard: ${request.path}`)
      figures.push(await measureRequest({ api, pool }, request))
    }
    onStep(`dashboard: ${options.viewers} viewers`)
    const viewers = await measureViewers({ api, pool, requests }, options)
    return { jobs, requests: figures, viewers }
  } finally {
    await stop(server)
    await pool.end()
    await databases.dropAll()
  }
}

interface Api {
  readonly process: ChildProcess
  readonly base: string
}

async function portOf({ stdout }: ChildProcess): Promise<number> {
  if (stdout === null) throw new Error('the API has no output')
  const [line] = (await once(createInterface({ input: stdout }), 'line')) as [string]
  return Number(line)
}

async function stop(server: ChildProcess | undefined): Promise<void> {
  if (server === undefined || server.exitCode !== null) return
  const closed = once(server, 'close')
  server.kill('SIGKILL')
  await closed
}

async function cpuUsOf({ process: server }: Api): Promise<number> {
  const answered = once(server, 'message')
  server.send('cpu')
  const [us] = (await answered) as [number]
  return us
}

async function readExistingIds(pool: pg.Pool): Promise<ExistingIds> {
  const { rows } = await pool.query<ExistingIds>(
    `SELECT (SELECT id FROM queue.all_jobs WHERE status = 'queued' ORDER BY id LIMIT 1) AS "waitingId", e.job_id AS "failedId",
            e.fingerprint, (SELECT value FROM queue.job_metadata WHERE name = 'order_id' LIMIT 1) AS "order"
       FROM queue.job_executions AS e WHERE e.fingerprint IS NOT NULL LIMIT 1`,
  )
  if (rows[0] === undefined) throw new Error('none of the jobs has failed: use more jobs')
  return rows[0]
}

/**
 * Sends a request and returns its error; undefined if it succeeded. It does not throw, because a failed request must not
 * end a run that took long to prepare.
 */
async function send(
  { base }: Api,
  { path, body }: PageRequest,
  headers: Record<string, string> = {},
): Promise<string | undefined> {
  const postOptions = {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  }
  try {
    const answer = await fetch(`${base}${path}`, body === undefined ? { headers } : postOptions)
    const text = await answer.text()
    // /health reports the measured process as not ready, because it has no readiness check.
    return answer.ok || path === '/health' ? undefined : `${answer.status} ${text}`
  } catch (error) {
    return String(error)
  }
}

interface Target {
  readonly api: Api
  readonly pool: pg.Pool
}

/** Sends a request several times, one after the other, so that no response is shared. */
async function measureRequest({ api, pool }: Target, request: PageRequest): Promise<RequestFigure> {
  const durationsMs: number[] = []
  let fault: string | undefined
  for (let round = 0; round < warmUpRounds + samples && fault === undefined; round += 1) {
    if (round === warmUpRounds) await pool.query(resetQueryStatistics)
    const startedAtMs = performance.now()
    fault = await send(api, request)
    if (round >= warmUpRounds || fault !== undefined) durationsMs.push(performance.now() - startedAtMs)
  }
  return {
    ...request,
    p50Ms: median(durationsMs),
    maxMs: Math.max(...durationsMs),
    query: await slowestQuery(pool),
    fault,
  }
}

const resetQueryStatistics = `SELECT pg_stat_statements_reset(0, oid, 0) FROM pg_database WHERE datname = current_database()`

/** The slowest query since the statistics were reset. */
async function slowestQuery(pool: pg.Pool): Promise<QueryFigure | undefined> {
  const { rows } = await pool.query<{ ms: number; query: string }>(
    `SELECT max_exec_time AS ms, query FROM pg_stat_statements AS s JOIN pg_database AS d ON d.oid = s.dbid
      WHERE d.datname = current_database() AND query NOT LIKE '%pg_stat_statements%' ORDER BY max_exec_time DESC LIMIT 1`,
  )
  const [slowest] = rows
  if (slowest === undefined) return undefined
  const tables = [...slowest.query.matchAll(/\b(?:from|join|into|update)\s+"?queue"?\."?(\w+)/gi)].map(
    ([, table = '']) => table,
  )
  return { maxMs: slowest.ms, tables: [...new Set(tables)].join(', ') }
}

interface ViewerTarget extends Target {
  readonly requests: readonly PageRequest[]
}

async function measureViewers(
  { api, pool, requests }: ViewerTarget,
  { viewers, seconds }: DashboardOptions,
): Promise<ViewersFigure> {
  const stopped = new AbortController()
  let answers = 0
  let refused = 0
  const poll = async (request: PageRequest, delayMs: number): Promise<void> => {
    await sleep(delayMs)
    while (!stopped.signal.aborted) {
      const fault = await send(api, request, { 'cache-control': 'max-age=2' })
      answers += 1
      if (fault !== undefined) refused += 1
      await sleep(request.everyMs, undefined, { signal: stopped.signal }).catch(() => undefined)
    }
  }
  const [beforeUs, beforeQueries] = [await cpuUsOf(api), await queriesOf(pool)]
  const startedAtMs = performance.now()
  const viewing = Array.from({ length: viewers }, (_, viewer) => {
    const page = viewedPages[viewer % viewedPages.length]
    const polled = requests.filter((request) => request.page === page && request.everyMs > 0)
    return polled.map((request) => poll(request, (viewer * 1_000) / viewers))
  }).flat()
  await sleep(seconds * 1_000)
  const elapsedSeconds = (performance.now() - startedAtMs) / 1_000
  const usedUs = (await cpuUsOf(api)) - beforeUs
  const queries = (await queriesOf(pool)) - beforeQueries
  stopped.abort()
  await Promise.all(viewing)
  return {
    count: viewers,
    seconds,
    answersPerSecond: answers / elapsedSeconds,
    refused,
    coreShare: usedUs / 1e6 / elapsedSeconds,
    queriesPerSecond: queries / elapsedSeconds,
  }
}

/** The number of statements that pg_stat_statements has counted. */
async function queriesOf(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ count: string }>(
    `SELECT coalesce(sum(calls), 0) AS count FROM pg_stat_statements AS s JOIN pg_database AS d ON d.oid = s.dbid
      WHERE d.datname = current_database()`,
  )
  return Number(rows[0]?.count)
}
