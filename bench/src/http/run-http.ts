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
  readonly onStep: (step: string) => void
}

/** Requests per second and latencies, by variant; medians of the rounds. */
export type HttpFigures = Readonly<Record<HttpVariant, LoadResult>>

const connections = 64
const warmUpSeconds = 2
const script = fileURLToPath(new URL('./server-process.ts', import.meta.url))

/** POST /jobs from 64 connections against the three variants in turn, each in a process and on a database of its own. */
export async function runHttp({ serverUrl, seconds, rounds, onStep }: HttpOptions): Promise<HttpFigures> {
  const databases = createTestDatabases({
    serverUrl,
    templateKey: `http ${process.pid}`,
    prepareTemplate: async (url) => void (await migrateUp({ connectionString: url })),
  })
  const results = new Map<HttpVariant, LoadResult[]>()
  try {
    for (let round = 1; round <= rounds; round += 1) {
      for (const variant of httpVariants) {
        onStep(`http, round ${round} of ${rounds}: ${variant}`)
        results.set(variant, [...(results.get(variant) ?? []), await measure(databases, variant, seconds)])
      }
    }
  } finally {
    await databases.dropAll()
  }
  return Object.fromEntries([...results].map(([variant, all]) => [variant, medianOf(all)])) as HttpFigures
}

async function measure(databases: TestDatabases, variant: HttpVariant, seconds: number): Promise<LoadResult> {
  const database = await databases.create()
  const order = JSON.stringify({ variant, url: database.url })
  const server = spawn(process.execPath, [...process.execArgv, script, order], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    const port = await portOf(server)
    await load({ port, connections, seconds: warmUpSeconds })
    const result = await load({ port, connections, seconds })
    if (result.others > 0) throw new Error(`${variant}: ${result.others} answers were not 201`)
    return result
  } finally {
    server.kill('SIGKILL')
    await once(server, 'close')
    await database.drop()
  }
}

async function portOf(server: ChildProcess): Promise<number> {
  if (server.stdout === null) throw new Error('the server has no output')
  const [line] = (await once(server.stdout, 'data')) as [Buffer]
  return Number(line.toString())
}

function medianOf(results: readonly LoadResult[]): LoadResult {
  const middle = results.toSorted((a, b) => a.perSecond - b.perSecond)[Math.floor(results.length / 2)]
  if (middle === undefined) throw new Error('there was no round')
  return middle
}

const base: HttpVariant = 'grouped inserts'

/** How many times as many requests the app as it is deployed answers. */
export function httpRatios(figures: HttpFigures): Record<string, number> {
  const rivals = httpVariants.filter((variant) => variant !== base)
  return Object.fromEntries(
    rivals.map((rival) => [`http vs ${rival}`, figures[base].perSecond / figures[rival].perSecond]),
  )
}

/** The figures and ratios as lines. */
export function renderHttp(figures: HttpFigures): string {
  const lines = httpVariants.map((variant) => {
    const { perSecond, p50Ms, p99Ms } = figures[variant]
    return `  ${variant.padEnd(24)}${String(Math.round(perSecond)).padStart(7)} req/s   p50 ${p50Ms.toFixed(2)} ms   p99 ${p99Ms.toFixed(2)} ms`
  })
  const ratios = Object.entries(httpRatios(figures)).map(([name, ratio]) => `  ${name}: ${ratio.toFixed(2)}×`)
  return `${[`http: POST /jobs, ${connections} connections`, ...lines, ...ratios].join('\n')}\n`
}
