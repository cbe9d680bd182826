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
import { type Known, type PageRequest, pageRequests, viewedPages } from './pages.ts'

export interface DashboardOptions {
  readonly serverUrl: string
  readonly jobs: number
  readonly viewers: number
  /** For how long they look. */
  readonly seconds: number
  readonly onStep: (step: string) => void
}

export interface RequestFigure extends PageRequest {
  readonly p50Ms: number
  readonly maxMs: number
  /** The slowest of its queries; undefined where the database was not asked. */
  readonly query: QueryFigure | undefined
  /** What it was answered in the place of what it asked for; its times are of no meaning then. */
  readonly fault: string | undefined
}

/** A query as the database has timed it. */
export interface QueryFigure {
  readonly maxMs: number
  /** What it reads, as `jobs, workers`. */
  readonly tables: string
}

export interface ViewersFigure {
  readonly count: number
  readonly seconds: number
  readonly answersPerSecond: number
  /** Answers in the place of what was asked for. */
  readonly refused: number
  /** Processor time of the API by the time that has passed. */
  readonly coreShare: number
  /** What the database was sent. */
  readonly queriesPerSecond: number
}

export interface DashboardFigures {
  readonly jobs: number
  readonly requests: readonly RequestFigure[]
  readonly viewers: ViewersFigure
}

const script = fileURLToPath(new URL('../http/server-process.ts', import.meta.url))
/** The first of them fill caches and are not counted. */
const warmUps = 3
const samples = 10

/** Measures what the pages ask of the API that has so many jobs, alone and with many who look. */
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
    const asked = pageRequests(await readKnown(pool))
    const requests: RequestFigure[] = []
    for (const request of asked) {
      onStep(`dashboard: ${request.path}`)
      requests.push(await time({ api, pool }, request))
    }
    onStep(`dashboard: ${options.viewers} viewers`)
    return { jobs, requests, viewers: await view({ api, pool, asked }, options) }
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

async function readKnown(pool: pg.Pool): Promise<Known> {
  const { rows } = await pool.query<Known>(
    `SELECT (SELECT id FROM queue.jobs WHERE status = 'queued' ORDER BY id LIMIT 1) AS "waitingId", e.job_id AS "failedId",
            e.fingerprint, (SELECT value FROM queue.job_metadata WHERE name = 'order_id' LIMIT 1) AS "order"
       FROM queue.job_executions AS e WHERE e.fingerprint IS NOT NULL LIMIT 1`,
  )
  if (rows[0] === undefined) throw new Error('there are too few jobs to have a failed one')
  return rows[0]
}

/** Gives what is wrong with the answer: after an hour of filling, one that fails must not end the others. */
async function ask(
  { base }: Api,
  { path, body }: PageRequest,
  headers: Record<string, string> = {},
): Promise<string | undefined> {
  const posted = {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  }
  try {
    const answer = await fetch(`${base}${path}`, body === undefined ? { headers } : posted)
    const text = await answer.text()
    // The process that is measured has nobody who tells whether it is ready.
    return answer.ok || path === '/health' ? undefined : `${answer.status} ${text}`
  } catch (error) {
    return String(error)
  }
}

interface Measured {
  readonly api: Api
  readonly pool: pg.Pool
}

/** One request after the other, each made anew: nobody shares it. */
async function time({ api, pool }: Measured, request: PageRequest): Promise<RequestFigure> {
  const spans: number[] = []
  let fault: string | undefined
  for (let round = 0; round < warmUps + samples && fault === undefined; round += 1) {
    if (round === warmUps) await pool.query(forgetQueries)
    const beganAtMs = performance.now()
    fault = await ask(api, request)
    if (round >= warmUps || fault !== undefined) spans.push(performance.now() - beganAtMs)
  }
  return {
    ...request,
    p50Ms: median(spans),
    maxMs: Math.max(...spans),
    query: await slowestQuery(pool),
    fault,
  }
}

const forgetQueries = `SELECT pg_stat_statements_reset(0, oid, 0) FROM pg_database WHERE datname = current_database()`

/** The slowest of those since they were forgotten. */
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

interface Viewed extends Measured {
  readonly asked: readonly PageRequest[]
}

async function view(
  { api, pool, asked }: Viewed,
  { viewers, seconds }: DashboardOptions,
): Promise<ViewersFigure> {
  const stopped = new AbortController()
  let answers = 0
  let refused = 0
  const poll = async (request: PageRequest, delayMs: number): Promise<void> => {
    await sleep(delayMs)
    while (!stopped.signal.aborted) {
      const fault = await ask(api, request, { 'cache-control': 'max-age=2' })
      answers += 1
      if (fault !== undefined) refused += 1
      await sleep(request.everyMs, undefined, { signal: stopped.signal }).catch(() => undefined)
    }
  }
  const [beforeUs, beforeQueries] = [await cpuUsOf(api), await queriesOf(pool)]
  const beganAtMs = performance.now()
  const looking = Array.from({ length: viewers }, (_, viewer) => {
    const page = viewedPages[viewer % viewedPages.length]
    const polled = asked.filter((request) => request.page === page && request.everyMs > 0)
    return polled.map((request) => poll(request, (viewer * 1_000) / viewers))
  }).flat()
  await sleep(seconds * 1_000)
  const passed = (performance.now() - beganAtMs) / 1_000
  const usedUs = (await cpuUsOf(api)) - beforeUs
  const queries = (await queriesOf(pool)) - beforeQueries
  stopped.abort()
  await Promise.all(looking)
  return {
    count: viewers,
    seconds,
    answersPerSecond: answers / passed,
    refused,
    coreShare: usedUs / 1e6 / passed,
    queriesPerSecond: queries / passed,
  }
}

/** Statements that were sent, as pg_stat_statements has counted them. */
async function queriesOf(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ count: string }>(
    `SELECT coalesce(sum(calls), 0) AS count FROM pg_stat_statements AS s JOIN pg_database AS d ON d.oid = s.dbid
      WHERE d.datname = current_database()`,
  )
  return Number(rows[0]?.count)
}
