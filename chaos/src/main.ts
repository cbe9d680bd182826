/** `pnpm chaos`: the fault suite. See `--help`. */
import { randomInt } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { acquireServer } from '@queue/dev-postgres'
import { scenarios } from './scenarios/index.ts'
import { type Arguments, parseArguments } from './run/arguments.ts'
import { entryOf, type ReportEntry, renderResult } from './run/report.ts'
import { saveResult } from './run/results-file.ts'
import { runScenario } from './run/run-scenario.ts'
import { readRunEnvironment } from './run/run-environment.ts'

const resultsDirectory = path.join(import.meta.dirname, '..', 'results')
const progressIntervalMs = 5_000

function help(): string {
  const lines = scenarios.map(
    ({ number, name, law, counted, full, reduced }) =>
      `  ${String(number).padStart(2)} ${name.padEnd(14)} ${law} (${full.count} ${counted}, quick ${reduced.count})`,
  )
  return `pnpm chaos [scenario …] [--quick] [--seed N] [--jobs N] [--count N] [--json]

${lines.join('\n')}

Without a scenario, all of them run, each on its own database of one PostgreSQL server: the server at TEST_DATABASE_URL, or
one that is started. The exit code is 0 if every law held. A run is void if nothing happened that could have broken its law,
and counts as a failure. The requests of the clients are kept in chaos/results/<scenario>-<seed>.jsonl, the results in
chaos/results/latest.md (quick.md with --quick).

  --quick    use the sizes of pnpm test
  --seed N   repeat the random decisions of the run that printed N
  --jobs N   the number of jobs, for scenarios with a load
  --count N  the number of kills, cuts or cases: what the scenario counts
  --json     print only the results, as JSON
`
}

/** Writes the progress of a scenario to stderr, at most once per `progressIntervalMs`. */
function progressOf(name: string): (line: string) => void {
  const startedMs = performance.now()
  let lastPrintedMs = startedMs
  return (line) => {
    const nowMs = performance.now()
    if (nowMs - lastPrintedMs < progressIntervalMs) return
    lastPrintedMs = nowMs
    process.stderr.write(`${name}, ${Math.round((nowMs - startedMs) / 1_000)} s: ${line}\n`)
  }
}

/** Runs one scenario after the other, and saves each result at once. */
async function runAll({
  scenarios: selected,
  seed: seedToReplay,
  sizeOf,
  quick,
}: Arguments): Promise<ReportEntry[]> {
  const seed = seedToReplay ?? randomInt(2 ** 32 - 1)
  const stopped = new AbortController()
  const stop = (): void => stopped.abort(new Error('the run was stopped'))
  process.once('SIGINT', stop).once('SIGTERM', stop)
  await mkdir(resultsDirectory, { recursive: true })
  const server = await acquireServer()
  const surroundings = await readRunEnvironment()
  const entries: ReportEntry[] = []
  try {
    for (const scenario of selected) {
      if (stopped.signal.aborted) break
      process.stderr.write(`${scenario.number} ${scenario.name}: ${scenario.law}, seed ${seed}\n`)
      const result = await runScenario(scenario, {
        serverUrl: server.url,
        size: sizeOf(scenario),
        seed,
        directory: resultsDirectory,
        onProgress: progressOf(scenario.name),
        signal: stopped.signal,
      })
      if (stopped.signal.aborted) {
        process.stderr.write(
          `${scenario.number} ${scenario.name} was stopped early: the report keeps its previous result\n`,
        )
        break
      }
      process.stderr.write(renderResult(result))
      const entry = entryOf(result, new Date(), surroundings)
      entries.push(entry)
      await saveResult(resultsDirectory, reportNameOf(quick), entry)
    }
    return entries
  } finally {
    await server.stop()
  }
}

/** Results of quick runs must not replace those of full runs. */
function reportNameOf(quick: boolean): string {
  return quick ? 'quick' : 'latest'
}

/** Parses the arguments, or prints what is wrong with them, and the help. */
function readArguments(): Arguments | undefined {
  try {
    return parseArguments(process.argv.slice(2), scenarios)
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${help()}`)
    return undefined
  }
}

async function main(): Promise<number> {
  const args = readArguments()
  if (args === undefined) return 2
  if (args.help) {
    process.stdout.write(help())
    return 0
  }
  const entries = await runAll(args)
  const reportPath = path.join(resultsDirectory, `${reportNameOf(args.quick)}.md`)
  if (args.json) process.stdout.write(`${JSON.stringify(entries, null, 2)}\n`)
  else process.stdout.write(`${path.relative(process.cwd(), reportPath)}\n`)
  const failed = entries.filter(({ verdict }) => verdict.outcome === 'broken' || verdict.outcome === 'void')
  return failed.length > 0 || entries.length < args.scenarios.length ? 1 : 0
}

process.exitCode = await main()
