/** `pnpm chaos`: the fault suite. `--help` says what it takes. */
import { randomInt } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { acquireServer } from '@queue/dev-postgres'
import { scenarios } from './scenarios/index.ts'
import { type Arguments, parseArguments } from './run/arguments.ts'
import { entryOf, type ReportEntry, renderResult } from './run/report.ts'
import { saveResult } from './run/results-file.ts'
import { runScenario } from './run/run-scenario.ts'
import { readSurroundings } from './run/surroundings.ts'

const resultsDirectory = path.join(import.meta.dirname, '..', 'results')
const progressIntervalMs = 5_000

function help(): string {
  const lines = scenarios.map(
    ({ number, name, law, counted, full, reduced }) =>
      `  ${String(number).padStart(2)} ${name.padEnd(14)} ${law} (${full.count} ${counted}, quick ${reduced.count})`,
  )
  return `pnpm chaos [scenario …] [--quick] [--seed N] [--jobs N] [--count N] [--json]

${lines.join('\n')}

Without a scenario, all of them run, each on its own database of one PostgreSQL. TEST_DATABASE_URL names the server;
without it one is started. The exit code is 0 when every law held. A run in which no fault could have broken its law is
void, and counts as a failure. The requests of the clients are kept in chaos/results/<scenario>-<seed>.jsonl, the verdicts
in chaos/results/latest.md (quick.md with --quick).

  --quick    the sizes that pnpm test uses
  --seed N   repeat the random decisions of the run that printed N
  --jobs N   the number of jobs, for scenarios with a load
  --count N  the number of kills, cuts or cases: what the scenario counts
  --json     print only the verdicts, as JSON
`
}

/** Says how far a scenario is, at most once in a while. */
function progressOf(name: string): (line: string) => void {
  const startedMs = performance.now()
  let toldMs = startedMs
  return (line) => {
    const nowMs = performance.now()
    if (nowMs - toldMs < progressIntervalMs) return
    toldMs = nowMs
    process.stderr.write(`${name}, ${Math.round((nowMs - startedMs) / 1_000)} s: ${line}\n`)
  }
}

/** Runs scenario after scenario, and saves the result of each at once. */
async function runAll({ scenarios: chosen, seed: given, sizeOf, quick }: Arguments): Promise<ReportEntry[]> {
  const seed = given ?? randomInt(2 ** 32 - 1)
  const stopped = new AbortController()
  const stop = (): void => stopped.abort(new Error('the run was told to end'))
  process.once('SIGINT', stop).once('SIGTERM', stop)
  await mkdir(resultsDirectory, { recursive: true })
  const server = await acquireServer()
  const surroundings = await readSurroundings()
  const entries: ReportEntry[] = []
  try {
    for (const scenario of chosen) {
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
          `${scenario.number} ${scenario.name} was ended early: what it showed before stays in the report\n`,
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

/** What quick runs have shown does not take the place of what the others have. */
function reportNameOf(quick: boolean): string {
  return quick ? 'quick' : 'latest'
}

/** Reads the arguments, or says what is wrong with them and how it is done. */
function readArguments(): Arguments | undefined {
  try {
    return parseArguments(process.argv.slice(2), scenarios)
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${help()}`)
    return undefined
  }
}

async function main(): Promise<number> {
  const chosen = readArguments()
  if (chosen === undefined) return 2
  if (chosen.help) {
    process.stdout.write(help())
    return 0
  }
  const entries = await runAll(chosen)
  const reportPath = path.join(resultsDirectory, `${reportNameOf(chosen.quick)}.md`)
  if (chosen.json) process.stdout.write(`${JSON.stringify(entries, null, 2)}\n`)
  else process.stdout.write(`${path.relative(process.cwd(), reportPath)}\n`)
  const failed = entries.filter(({ verdict }) => verdict.outcome === 'broken' || verdict.outcome === 'void')
  return failed.length > 0 || entries.length < chosen.scenarios.length ? 1 : 0
}

process.exitCode = await main()
