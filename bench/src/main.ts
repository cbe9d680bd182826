import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { startEmbeddedPostgres } from '@queue/dev-postgres'
import pg from 'pg'
import { full, type Part, type PartResult, parts, quick, type Run } from './parts.ts'
import { describeMachine } from './results/machine.ts'
import { renderResults, type Results, writeResults } from './results/results.ts'

const help = `pnpm bench [part …] [--quick] [--json]

  enqueue   jobs added in bulk
  drain     no-op jobs worked off by one process, its history kept
  latency   from the call that adds a job to the start of its handler, on an idle queue
  scale     the same drain by two processes, with no-op handlers and with handlers of 5 ms
  http      POST /jobs from 64 connections, beside one insert per request and no database
  memory    what an idle worker takes
  outbox    messages of an outbox delivered into a queue of another database, beside a plain copy in SQL
  growth    what the queue's statements cost while its tables fill

Without a part, all of them; a whole run at full size also writes bench/results/latest.json and its chart. Ours,
graphile-worker and pg-boss take turns on one fresh PostgreSQL with its default durability (fsync and
synchronous_commit on); drain also runs the raw SQL on our schema. Medians of the rounds count. What each contender
does and does not do is in bench/README.md.

  --quick   fewer jobs and rounds, less than a minute in all: it shows that everything runs, and not how fast
  --json    the figures as JSON on standard output, and nothing else
`

/** What the command line asks for; undefined when it names a part that there is not. */
interface Order {
  readonly help: boolean
  readonly json: boolean
  readonly quick: boolean
  readonly parts: readonly Part[]
}

function readOrder(): Order | undefined {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: { quick: { type: 'boolean' }, json: { type: 'boolean' }, help: { type: 'boolean' } },
    })
    const { help: wantsHelp = false, json = false, quick: wantsQuick = false } = values
    if (!positionals.every(isPart)) return undefined
    return { help: wantsHelp, json, quick: wantsQuick, parts: positionals }
  } catch {
    return undefined
  }
}

function isPart(name: string): name is Part {
  return Object.hasOwn(parts, name)
}

async function runParts(chosen: readonly Part[], run: Run): Promise<Record<string, PartResult>> {
  const results: Record<string, PartResult> = {}
  for (const part of chosen) results[part] = await parts[part](run)
  return results
}

function resultsOf(ran: Readonly<Record<string, PartResult>>, machine: string): Results {
  const entries = Object.entries(ran)
  return {
    machine,
    measuredOn: new Date().toISOString().slice(0, 10),
    figures: Object.fromEntries(entries.map(([part, { figures }]) => [part, figures])),
    ratios: Object.assign({}, ...entries.map(([, { ratios }]) => ratios)) as Record<string, number>,
  }
}

async function serverVersion(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query<{ server_version: string }>('SHOW server_version')
  await client.end()
  return rows[0]?.server_version ?? 'unknown'
}

async function main(): Promise<number> {
  const order = readOrder()
  if (order === undefined || order.help) {
    process[order === undefined ? 'stderr' : 'stdout'].write(help)
    return order === undefined ? 2 : 0
  }
  const whole = order.parts.length === 0
  const directory = path.join(tmpdir(), `queue-bench-${process.pid}`)
  const server = await startEmbeddedPostgres({ directory, persistent: true })
  try {
    const ran = await runParts(whole ? (Object.keys(parts) as Part[]) : order.parts, {
      serverUrl: server.url,
      size: order.quick ? quick : full,
      onStep: (step) => void process.stderr.write(`${step} …\n`),
    })
    const results = resultsOf(ran, describeMachine(await serverVersion(server.url)))
    const text = Object.values(ran).map((result) => result.text)
    process.stdout.write(order.json ? renderResults(results) : text.join('\n'))
    if (whole && !order.quick) await writeResults(results)
    return 0
  } finally {
    await server.stop()
    await rm(server.directory, { recursive: true, force: true })
  }
}

process.exitCode = await main()
