import { parseArgs } from 'node:util'
import { withServer } from '../with-server.ts'
import { describeMachine } from '../results/machine.ts'
import { faultsOf, renderDashboard } from './report.ts'
import { runDashboard } from './run-dashboard.ts'

const jobsDefault = 10_000_000
const viewersDefault = 50
const secondsDefault = 60

/** With the default `max_wal_size`, filling the database would cause one checkpoint after the other. */
const serverSettings = { shared_preload_libraries: 'pg_stat_statements', max_wal_size: '4GB' }

const help = `pnpm bench dashboard [--jobs N] [--viewers N] [--seconds N] [--json] [--server url]

Fills a database with a month of jobs, serves the API in a separate process, and measures the requests of the dashboard's
pages: how long each request and its slowest query take alone, and what many viewers who poll at the same time cost. The
exit code is 1 if a request fails or takes longer than its limit.

  --jobs N     ${jobsDefault} by default; they take some 14 GB and a quarter of an hour to fill. Use a small number for a quick check
  --viewers N  ${viewersDefault} by default; they share responses as the viewers of the dashboard do
  --seconds N  how long the viewers poll; ${secondsDefault} by default
  --json       print only the figures, as JSON
  --server     a postgres:// URL: measure on that server, as a superuser; it must preload pg_stat_statements
`

interface DashboardArguments {
  readonly jobs: number
  readonly viewers: number
  readonly seconds: number
  readonly json: boolean
  readonly help: boolean
  readonly server: string | undefined
}

/** Runs `pnpm bench dashboard`. Resolves with the exit code. */
export async function runDashboardCommand(args: readonly string[]): Promise<number> {
  const options = readArguments(args)
  if (options === undefined || options.help) {
    process[options === undefined ? 'stderr' : 'stdout'].write(help)
    return options === undefined ? 2 : 0
  }
  return withServer({ existingUrl: options.server, settings: serverSettings }, async (serverUrl) => {
    const onStep = (step: string): void => void process.stderr.write(`${step} …\n`)
    const figures = await runDashboard({ ...options, serverUrl, onStep })
    const machine = await describeMachine(serverUrl)
    process.stdout.write(
      options.json ? `${JSON.stringify({ machine, ...figures }, null, 2)}\n` : renderDashboard(figures),
    )
    return faultsOf(figures) === 0 ? 0 : 1
  })
}

function readArguments(args: readonly string[]): DashboardArguments | undefined {
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
