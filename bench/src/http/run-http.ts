import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { migrateUp } from '@queue/core'
import { createTestDatabases, type TestDatabases } from '@queue/dev-postgres'
import { load, type LoadResult } from './load.ts'
import { type HttpVariant, httpVariants } from './variants.ts'

export interface HttpOptions {
  readonly serverUrl: string
  readonly seconds: number
  readonly rounds: number
  /** Requests to each server before it is measured. */
  readonly warmUpRequests: number
  readonly onStep: (step: string) => void
}

/** The result of one variant under load. */
export interface HttpFigure extends LoadResult {
  /** Processor time of the server's process per request, in microseconds. */
  readonly serverCpuUs: number
}

/** The figures by variant: medians of the rounds. */
export type HttpFigures = Readonly<Record<HttpVariant, HttpFigure>>

const connections = 64
const warmUpSecondsMax = 20
const script = fileURLToPath(new URL('./server-process.ts', import.meta.url))

interface RunningServer {
  readonly variant: HttpVariant
  readonly process: ChildProcess
  readonly port: number
  readonly figures: HttpFigure[]
}

/**
 * Sends POST /jobs from 64 connections to each variant, which has its own process and database. The variants take short
 * turns, so that other load on the machine affects all of them equally.
 */
export async function runHttp(options: HttpOptions): Promise<HttpFigures> {
  const { serverUrl, seconds, rounds, warmUpRequests, onStep } = options
  const databases = createTestDatabases({
    serverUrl,
    templateKey: `http ${process.pid}`,
    prepareTemplate: async (url) => void (await migrateUp({ connectionString: url })),
  })
  const servers: RunningServer[] = []
  try {
    for (const variant of httpVariants) {
      const server = await startServer(databases, variant)
      servers.push(server)
      await warmUp(server.port, warmUpRequests)
    }
    for (let round = 1; round <= rounds; round += 1) {
      onStep(`http, round ${round} of ${rounds}`)
      for (const server of servers) server.figures.push(await measure(server, seconds))
    }
  } finally {
    await Promise.all(servers.map(stopServer))
    await databases.dropAll()
  }
  return Object.fromEntries(
    servers.map(({ variant, figures }) => [variant, medianOf(figures)]),
  ) as HttpFigures
}

async function startServer(databases: TestDatabases, variant: HttpVariant): Promise<RunningServer> {
  const { url } = await databases.create()
  const server = spawn(process.execPath, [...process.execArgv, script, JSON.stringify({ variant, url })], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  return { variant, process: server, port: await portOf(server), figures: [] }
}

/**
 * Sends the same number of requests to each server. What V8 has compiled depends on the number of requests and not on the
 * time, and in the same time the slowest server would have had a tenth of them.
 */
async function warmUp(port: number, requests: number): Promise<void> {
  let answered = 0
  for (let second = 0; second < warmUpSecondsMax && answered < requests; second += 1) {
    answered += (await load({ port, connections, seconds: 1 })).perSecond
  }
}

async function stopServer({ process: server }: RunningServer): Promise<void> {
  const closed = once(server, 'close')
  server.kill('SIGKILL')
  await closed
}

async function measure(
  { variant, process: server, port }: RunningServer,
  seconds: number,
): Promise<HttpFigure> {
  const beforeUs = await cpuUsOf(server)
  const result = await load({ port, connections, seconds })
  if (result.others > 0) throw new Error(`${variant}: ${result.others} responses did not have status 201`)
  const usedUs = (await cpuUsOf(server)) - beforeUs
  return { ...result, serverCpuUs: usedUs / (result.perSecond * seconds) }
}

/** The processor time that a server has used so far, in microseconds, as the server reports it. */
async function cpuUsOf(server: ChildProcess): Promise<number> {
  const answer = once(server, 'message')
  server.send('cpu')
  const [us] = (await answer) as [number]
  return us
}

async function portOf(server: ChildProcess): Promise<number> {
  if (server.stdout === null) throw new Error('the server has no output')
  const [line] = (await once(server.stdout, 'data')) as [Buffer]
  return Number(line.toString())
}

function medianOf(figures: readonly HttpFigure[]): HttpFigure {
  const middle = (read: (figure: HttpFigure) => number): number =>
    figures.map(read).toSorted((a, b) => a - b)[Math.floor(figures.length / 2)] ?? Number.NaN
  return {
    perSecond: middle((figure) => figure.perSecond),
    p50Ms: middle((figure) => figure.p50Ms),
    p99Ms: middle((figure) => figure.p99Ms),
    others: 0,
    serverCpuUs: middle((figure) => figure.serverCpuUs),
  }
}

/** The app as it is deployed. */
const base: HttpVariant = 'grouped inserts'
const registered: HttpVariant = 'registered kind'

/**
 * The request rate of the deployed app relative to the other variants, and that of a registered kind relative to a built-in one.
 */
export function httpRatios(figures: HttpFigures): Record<string, number> {
  const rivals = httpVariants.filter((variant) => variant !== base && variant !== registered)
  const ratio = (numerator: HttpVariant, denominator: HttpVariant): number =>
    figures[numerator].perSecond / figures[denominator].perSecond
  return Object.fromEntries([
    ...rivals.map((rival) => [`http vs ${rival}`, ratio(base, rival)] as const),
    ['http, registered kind vs built in', ratio(registered, base)],
  ])
}

/** Renders the figures and ratios as text. */
export function renderHttp(figures: HttpFigures): string {
  const lines = httpVariants.map((variant) => {
    const { perSecond, p50Ms, p99Ms, serverCpuUs } = figures[variant]
    const rate = String(Math.round(perSecond)).padStart(7)
    return `  ${variant.padEnd(24)}${rate} req/s   p50 ${p50Ms.toFixed(2)} ms   p99 ${p99Ms.toFixed(2)} ms   server ${Math.round(serverCpuUs)} µs/req`
  })
  const ratios = Object.entries(httpRatios(figures)).map(([name, ratio]) => `  ${name}: ${ratio.toFixed(2)}×`)
  return `${[`http: POST /jobs, ${connections} connections`, ...lines, ...ratios].join('\n')}\n`
}
