import { tmpdir } from 'node:os'
import path from 'node:path'
import { rm } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { startEmbeddedPostgres } from '@queue/dev-postgres'
import { renderGrowth } from './growth/report.ts'
import { runGrowth } from './growth/run-growth.ts'
import { httpRatios, renderHttp, runHttp } from './http/run-http.ts'
import { type Measurement, measurements } from './throughput/measurement.ts'
import { ratiosOf, renderThroughput } from './throughput/report-throughput.ts'
import { runThroughput } from './throughput/run-throughput.ts'

const help = `pnpm bench [part …] [--quick] [--json]

  enqueue   jobs added in bulk
  drain     no-op jobs worked off by one process, its history kept
  latency   from the call that adds a job to the start of its handler, on an idle queue
  http      POST /jobs from 64 connections, beside one insert per request and no database
  growth    what the queue's statements cost while its tables fill

Without a part, all of them. Ours, graphile-worker and pg-boss take turns on one fresh PostgreSQL with its default
durability (fsync and synchronous_commit on); drain also runs the raw SQL on our schema. Medians of the rounds count.
What each contender does and does not do is in bench/README.md.

  --quick   fewer jobs and rounds, below a minute in all
  --json    the figures as JSON on standard output, and nothing else
`

const parts = [...measurements, 'http', 'growth'] as const
type Part = (typeof parts)[number]

const full = {
  rounds: 3,
  counts: { enqueue: 100_000, drain: 100_000, latency: 500 },
  growth: { scale: 1, rounds: 15 },
  http: { seconds: 6 },
}
const quick = {
  rounds: 1,
  counts: { enqueue: 20_000, drain: 20_000, latency: 100 },
  growth: { scale: 0.05, rounds: 9 },
  http: { seconds: 2 },
}

interface Run {
  readonly serverUrl: string
  readonly size: typeof full
  readonly onStep: (step: string) => void
}

interface PartResult {
  readonly text: string
  readonly figures: unknown
  readonly ratios: Readonly<Record<string, number>>
}

async function runPart(part: Part, run: Run): Promise<PartResult> {
  if (part === 'growth') return runGrowthPart(run)
  return part === 'http' ? runHttpPart(run) : runThroughputPart(part, run)
}

async function runGrowthPart({ serverUrl, size, onStep }: Run): Promise<PartResult> {
  const figures = await runGrowth({ serverUrl, ...size.growth, onStep })
  return { text: renderGrowth(figures), figures, ratios: {} }
}

async function runHttpPart({ serverUrl, size, onStep }: Run): Promise<PartResult> {
  const figures = await runHttp({ serverUrl, rounds: size.rounds, ...size.http, onStep })
  return { text: renderHttp(figures), figures, ratios: httpRatios(figures) }
}

async function runThroughputPart(measurement: Measurement, run: Run): Promise<PartResult> {
  const { serverUrl, size, onStep } = run
  const count = size.counts[measurement]
  const figures = await runThroughput({ serverUrl, measurement, count, rounds: size.rounds, onStep })
  return { text: renderThroughput(measurement, figures), figures, ratios: ratiosOf(measurement, figures) }
}

async function runAll(chosen: readonly Part[], run: Run): Promise<Record<string, PartResult>> {
  const results: Record<string, PartResult> = {}
  for (const part of chosen) results[part] = await runPart(part, run)
  return results
}

function asJson(results: Record<string, PartResult>): string {
  const entries = Object.entries(results)
  const figures = Object.fromEntries(entries.map(([part, result]) => [part, result.figures]))
  const ratios = Object.assign({}, ...entries.map(([, result]) => result.ratios)) as Record<string, number>
  return `${JSON.stringify({ figures, ratios }, null, 2)}\n`
}

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { quick: { type: 'boolean' }, json: { type: 'boolean' }, help: { type: 'boolean' } },
  })
  const unknown = positionals.find((part) => !parts.includes(part as Part))
  if (values.help === true || unknown !== undefined) {
    process[unknown === undefined ? 'stdout' : 'stderr'].write(help)
    return unknown === undefined ? 0 : 2
  }
  const chosen = positionals.length === 0 ? parts : (positionals as Part[])
  const directory = path.join(tmpdir(), `queue-bench-${process.pid}`)
  const server = await startEmbeddedPostgres({ directory, persistent: true })
  try {
    const onStep = (step: string): void => void process.stderr.write(`${step} …\n`)
    const results = await runAll(chosen, {
      serverUrl: server.url,
      size: values.quick === true ? quick : full,
      onStep,
    })
    const text = Object.values(results).map((result) => result.text)
    process.stdout.write(values.json === true ? asJson(results) : text.join('\n'))
    return 0
  } finally {
    await server.stop()
    await rm(server.directory, { recursive: true, force: true })
  }
}

process.exitCode = await main()
