import { parseArgs } from 'node:util'
import { runCompareCommand } from './compare/command.ts'
import { runDashboardCommand } from './dashboard/command.ts'
import { runStorageCommand } from './storage/command.ts'
import { withServer } from './with-server.ts'
import { full, type Part, type PartResult, parts, quick, type Run } from './parts.ts'
import { describeMachine, describeServer } from './results/machine.ts'
import type { Results } from './results/chart.ts'
import { renderResults, writeResults } from './results/results.ts'

const help = `pnpm bench [part …] [--quick] [--json] [--server url]
pnpm bench compare <commit …>   compares this work tree with commits; see compare --help
pnpm bench dashboard            measures the requests of the dashboard's pages with ten million jobs; see dashboard --help
pnpm bench storage              measures what the life of a job costs in storage; see storage --help

  enqueue   jobs added in bulk
  drain     no-op jobs run by one process, with their history
  latency   from the enqueue of a job to the start of its handler, on an idle queue
  scale     the same drain by two processes, with no-op handlers and with handlers of 5 ms
  http      POST /jobs from 64 connections; compared with one insert per request, with no database, and with a registered kind
  memory    memory of an idle worker
  outbox    messages delivered to a queue in another database; compared with a plain copy in SQL
  schedules 10 000 schedules that fire once a minute, with one worker: how late they fire, and the query while none is due
  limits    drains and claims of jobs with keys and limits, compared with those without; rates and slots kept
  operations  a drain during an operation at 500 jobs a second, compared with one alone
  logs      a drain of jobs of 5 ms that log a thousand lines a second, compared with one without logs
  growth    the cost of the queue's statements as its tables grow

Without a part, all of them run. A run of all parts at full size also writes bench/results/latest.json and its chart.
This queue, graphile-worker and pg-boss take turns on one fresh PostgreSQL with its default durability (fsync and
synchronous_commit on). drain also runs the raw SQL on our schema. The figures are medians of the rounds. bench/README.md
describes what each contender does and does not do.

  --quick   fewer jobs and rounds, in less than a minute: checks that everything runs, but the figures mean little
  --json    print only the figures, as JSON
  --server  a postgres:// URL: measure on that server, as a role that may create databases; writes no file
`

/** The arguments of the command line. */
interface BenchArguments {
  readonly help: boolean
  readonly json: boolean
  readonly quick: boolean
  /** The server to measure on; undefined for a fresh one. */
  readonly server: string | undefined
  readonly parts: readonly Part[]
}

/** Reads the command line; undefined if it is invalid. */
function readArguments(): BenchArguments | undefined {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        quick: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
        server: { type: 'string' },
      },
    })
    const { help: wantsHelp, json, quick: wantsQuick, server } = values
    if (!positionals.every(isPart)) return undefined
    return { help: wantsHelp, json, quick: wantsQuick, server, parts: positionals }
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

function resultsOf(results: Readonly<Record<string, PartResult>>, machine: string): Results {
  const entries = Object.entries(results)
  return {
    machine,
    measuredOn: new Date().toISOString().slice(0, 10),
    figures: Object.fromEntries(entries.map(([part, { figures }]) => [part, figures])),
    ratios: Object.assign({}, ...entries.map(([, { ratios }]) => ratios)) as Record<string, number>,
  }
}

/** The reason why a server cannot be reached; undefined if it can. */
async function connectionError(url: string): Promise<string | undefined> {
  try {
    await describeServer(url)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

async function main(): Promise<number> {
  const args = readArguments()
  if (args === undefined || args.help) {
    process[args === undefined ? 'stderr' : 'stdout'].write(help)
    return args === undefined ? 2 : 0
  }
  const { server } = args
  const failure = server === undefined ? undefined : await connectionError(server)
  if (failure !== undefined) {
    process.stderr.write(`--server cannot be reached: ${failure}\n`)
    return 1
  }
  const isFullRun = args.parts.length === 0
  return withServer({ existingUrl: server }, async (serverUrl) => {
    const partResults = await runParts(isFullRun ? (Object.keys(parts) as Part[]) : args.parts, {
      serverUrl,
      size: args.quick ? quick : full,
      onStep: (step) => void process.stderr.write(`${step} …\n`),
    })
    const results = resultsOf(partResults, await describeMachine(serverUrl))
    const text = Object.values(partResults).map((result) => result.text)
    process.stdout.write(args.json ? renderResults(results) : text.join('\n'))
    if (isFullRun && !args.quick && server === undefined) await writeResults(results)
    return 0
  })
}

const [command, ...commandArguments] = process.argv.slice(2)
const commands: Readonly<Record<string, (args: readonly string[]) => Promise<number>>> = {
  compare: runCompareCommand,
  dashboard: runDashboardCommand,
  storage: runStorageCommand,
}
process.exitCode = await (commands[command ?? '']?.(commandArguments) ?? main())
