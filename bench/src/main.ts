import { parseArgs } from 'node:util'
import { runCompareCommand } from './compare/command.ts'
import { runDashboardCommand } from './dashboard/command.ts'
import { onServer } from './on-server.ts'
import { full, type Part, type PartResult, parts, quick, type Run } from './parts.ts'
import { describeMachine, describeServer } from './results/machine.ts'
import type { Results } from './results/chart.ts'
import { renderResults, writeResults } from './results/results.ts'

const help = `pnpm bench [part …] [--quick] [--json] [--server url]
pnpm bench compare <commit> …   compares this work tree with a commit; compare --help says more
pnpm bench dashboard            what the pages of the dashboard ask, with ten million jobs; dashboard --help says more

  enqueue   jobs added in bulk
  drain     no-op jobs run by one process, with their history
  latency   from the enqueue of a job to the start of its handler, on an idle queue
  scale     the same drain by two processes, with no-op handlers and with handlers of 5 ms
  http      POST /jobs from 64 connections; compared with one insert per request, with no database, and with a registered kind
  memory    of an idle worker
  outbox    messages delivered to a queue in another database; compared with a plain copy in SQL
  schedules 10 000 schedules of a minute, fired by one worker: how late, and what is asked while none is due
  limits    drains and claims of jobs with keys and limits, compared with those without; rates and slots kept
  operations  a drain beside an operation at 500 jobs a second, compared with one alone
  logs      a drain of jobs of 5 ms that log a thousand lines a second, compared with one without
  growth    what the queue's statements cost while its tables fill

Without a part, all of them run. A run of all parts at full size also writes bench/results/latest.json and its chart.
This queue, graphile-worker and pg-boss take turns on one fresh PostgreSQL with its default durability (fsync and
synchronous_commit on). drain also runs the raw SQL on our schema. The figures are medians of the rounds. bench/README.md
says what each contender does and does not do.

  --quick   fewer jobs and rounds, in less than a minute: shows that everything runs, not how fast
  --json    print only the figures, as JSON
  --server  a postgres:// URL: measure on that server, as a role that may create databases; writes no file
`

/** What the command line asks for; undefined when it names a part that there is not. */
interface Order {
  readonly help: boolean
  readonly json: boolean
  readonly quick: boolean
  /** The server to measure on; undefined for a fresh one. */
  readonly server: string | undefined
  readonly parts: readonly Part[]
}

function readOrder(): Order | undefined {
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

function resultsOf(ran: Readonly<Record<string, PartResult>>, machine: string): Results {
  const entries = Object.entries(ran)
  return {
    machine,
    measuredOn: new Date().toISOString().slice(0, 10),
    figures: Object.fromEntries(entries.map(([part, { figures }]) => [part, figures])),
    ratios: Object.assign({}, ...entries.map(([, { ratios }]) => ratios)) as Record<string, number>,
  }
}

/** Why a server cannot be used; undefined when it can. */
async function refusalOf(url: string): Promise<string | undefined> {
  try {
    await describeServer(url)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

async function main(): Promise<number> {
  const order = readOrder()
  if (order === undefined || order.help) {
    process[order === undefined ? 'stderr' : 'stdout'].write(help)
    return order === undefined ? 2 : 0
  }
  const { server } = order
  const refusal = server === undefined ? undefined : await refusalOf(server)
  if (refusal !== undefined) {
    process.stderr.write(`--server cannot be reached: ${refusal}\n`)
    return 1
  }
  const whole = order.parts.length === 0
  return onServer({ given: server }, async (serverUrl) => {
    const ran = await runParts(whole ? (Object.keys(parts) as Part[]) : order.parts, {
      serverUrl,
      size: order.quick ? quick : full,
      onStep: (step) => void process.stderr.write(`${step} …\n`),
    })
    const results = resultsOf(ran, await describeMachine(serverUrl))
    const text = Object.values(ran).map((result) => result.text)
    process.stdout.write(order.json ? renderResults(results) : text.join('\n'))
    if (whole && !order.quick && server === undefined) await writeResults(results)
    return 0
  })
}

const [command, ...rest] = process.argv.slice(2)
const commands: Readonly<Record<string, (args: readonly string[]) => Promise<number>>> = {
  compare: runCompareCommand,
  dashboard: runDashboardCommand,
}
process.exitCode = await (commands[command ?? '']?.(rest) ?? main())
