import { parseArgs } from 'node:util'
import { onServer } from '../on-server.ts'
import { describeMachine } from '../results/machine.ts'
import { faultsOf, renderDashboard } from './report.ts'
import { runDashboard } from './run-dashboard.ts'

const jobsDefault = 10_000_000
const viewersDefault = 50
const secondsDefault = 60

/** With as much WAL as the default, a fill would be one checkpoint after the other. */
const serverSettings = { shared_preload_libraries: 'pg_stat_statements', max_wal_size: '4GB' }

const help = `pnpm bench dashboard [--jobs N] [--viewers N] [--seconds N] [--json] [--server url]

Fills a database with jobs as a long life of the queue leaves them, serves the API in a process of its own, and measures
what the pages of the dashboard ask: how long each request and its slowest query take alone, and what so many viewers cost
who poll at once. The exit code is 1 where one takes more than it may.

  --jobs N     ${jobsDefault} by default; that takes some 14 GB and a quarter of an hour to fill. A small number shows that everything runs
  --viewers N  ${viewersDefault} by default, with one key: they share answers as those who look at the dashboard do
  --seconds N  for how long they look, ${secondsDefault} by default
  --json       print only the figures, as JSON
  --server     a postgres:// URL: measure on that server, as a superuser; it must preload pg_stat_statements
`

interface Order {
  readonly jobs: number
  readonly viewers: number
  readonly seconds: number
  readonly json: boolean
  readonly help: boolean
  readonly server: string | undefined
}

/** `pnpm bench dashboard`. Resolves with the exit code. */
export async function runDashboardCommand(args: readonly string[]): Promise<number> {
  const order = readOrder(args)
  if (order === undefined || order.help) {
    process[order === undefined ? 'stderr' : 'stdout'].write(help)
    return order === undefined ? 2 : 0
  }
  return onServer({ given: order.server, settings: serverSettings }, async (serverUrl) => {
    const onStep = (step: string): void => void process.stderr.write(`${step} …\n`)
    const figures = await runDashboard({ ...order, serverUrl, onStep })
    const machine = await describeMachine(serverUrl)
    process.stdout.write(
      order.json ? `${JSON.stringify({ machine, ...figures }, null, 2)}\n` : renderDashboard(figures),
    )
    return faultsOf(figures) === 0 ? 0 : 1
  })
}

function readOrder(args: readonly string[]): Order | undefined {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        jobs: { type: 'string', default: String(jobsDefault) },
        viewers: { type: 'string', default: String(viewersDefault) },
        seconds: { type: 'string', default: String(secondsDefault) },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
        server: { type: 'string' },
      },
    })
    const { json, help: wantsHelp, server } = values
    const [jobs, viewers, seconds] = [values.jobs, values.viewers, values.seconds].map(Number)
    if (!isCount(jobs) || !isCount(viewers) || !isCount(seconds)) return undefined
    return { jobs, viewers, seconds, json, help: wantsHelp, server }
  } catch {
    return undefined
  }
}

function isCount(value: number | undefined): value is number {
  return Number.isInteger(value) && (value ?? 0) >= 1
}
