import { parseArgs } from 'node:util'
import { describeMachine } from '../results/machine.ts'
import { countingSettings, withServer } from '../with-server.ts'
import { renderStorage } from './report.ts'
import { runStorage } from './run-storage.ts'

const help = `pnpm bench storage [--quick] [--json] [--server url]

Measures what the life of a job costs in storage: bytes of WAL and pages of its enqueue, claim, progress and end, and the disk of
a job that is kept, for jobs of several sorts in batches of 500; and the processor time of the server for claims and ends.
WAL, pages and disk are exact; of the processor times the least and the median of the rounds are printed.

  --quick    few jobs and one round: checks that everything runs, but the processor times mean little
  --json     print only the figures, as JSON
  --server   a postgres:// URL: measure on that server, as a superuser; it must preload pg_stat_statements
`

const full = { count: 20_000, rounds: 3 } as const
const quick = { count: 1_000, rounds: 1 } as const

/** Runs `pnpm bench storage`. Resolves with the exit code. */
export async function runStorageCommand(args: readonly string[]): Promise<number> {
  const options = readArguments(args)
  if (options === undefined || options.help) {
    process[options === undefined ? 'stderr' : 'stdout'].write(help)
    return options === undefined ? 2 : 0
  }
  return withServer({ existingUrl: options.server, settings: countingSettings }, async (serverUrl) => {
    const onStep = (step: string): void => void process.stderr.write(`${step} …\n`)
    const figures = await runStorage({ ...(options.quick ? quick : full), serverUrl, onStep })
    const machine = await describeMachine(serverUrl)
    process.stdout.write(
      options.json ? `${JSON.stringify({ machine, ...figures }, null, 2)}\n` : renderStorage(figures),
    )
    return 0
  })
}

function readArguments(args: readonly string[]) {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        quick: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
        server: { type: 'string' },
      },
    })
    return values
  } catch {
    return undefined
  }
}
