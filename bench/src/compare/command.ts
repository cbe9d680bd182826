import path from 'node:path'
import { countingSettings, withServer } from '../with-server.ts'
import { describeMachine } from '../results/machine.ts'
import { type CompareArguments, pairsDefault, parseCompareArguments, quickPairsDefault } from './arguments.ts'
import {
  adapterPaths,
  type Checkout,
  checkOut,
  type CheckoutOptions,
  type Commit,
  findAdapter,
  isChanged,
  resolveCommit,
} from './checkout.ts'
import { pairsForBoundsMin } from './estimate-ratio.ts'
import { type CompareReport, renderReport, renderReportAsJson } from './report.ts'
import { runCompare } from './run-compare.ts'
import type { Side } from './side.ts'

const help = `pnpm bench compare <commit …> [--base] [enqueue | drain | latency …] [--pairs N] [--quick] [--json] [--server url]

Compares this work tree with commits (a hash, a branch or a tag), each built in a temporary folder beside it.
enqueue, drain and latency are measured as by "pnpm bench"; without a measurement, all three. The sides run in rounds
on one fresh PostgreSQL, one after the other, each in its own process and database. Each round begins with another side.

Prints for both sides what a job costs (processor time of client and server, WAL, buffers, allocated bytes, statements),
the largest memory of the process, and the speed; and of each the ratio: the Hodges–Lehmann estimate of the pairs' ratios,
with its 95 % bounds (exact, by the signed-rank test).

  --base     compares with the base commit too, which bench/base.json names
  --pairs N  ${pairsDefault} by default; fewer than ${pairsForBoundsMin} give no bounds; with an even number each side runs first equally often
  --quick    fewer jobs, and ${quickPairsDefault} pairs by default: checks that everything runs, but the figures mean little
  --json     print only the figures, as JSON
  --server   a postgres:// URL: measure on that server, as a superuser; it must preload pg_stat_statements
`

/** Jobs of each measurement: enough to reach full speed, and few enough that a pair takes half a minute. */
const fullCounts = { enqueue: 50_000, drain: 50_000, latency: 400 } as const
const quickCounts = { enqueue: 2_000, drain: 2_000, latency: 20 } as const

const root = path.resolve(import.meta.dirname, '..', '..', '..')
const interrupted = 130

/** Runs `pnpm bench compare`. Resolves with the exit code. */
export async function runCompareCommand(args: readonly string[]): Promise<number> {
  const options = readArguments(args)
  if (options === undefined) return 2
  if (options.help) {
    process.stdout.write(help)
    return 0
  }
  const signal = createStopSignal()
  try {
    const report = await compareWith(options, signal)
    process.stdout.write(options.json ? renderReportAsJson(report) : renderReport(report))
    return 0
  } catch (error) {
    if (signal.aborted) return interrupted
    process.stderr.write(`compare: ${error instanceof Error ? error.message : String(error)}\n`)
    return 1
  }
}

function readArguments(args: readonly string[]): CompareArguments | undefined {
  try {
    return parseCompareArguments(args)
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${help}`)
    return undefined
  }
}

/** A signal that aborts at the first SIGINT or SIGTERM, so that everything is cleaned up. A second one exits at once. */
function createStopSignal(): AbortSignal {
  const stopped = new AbortController()
  const stop = (): void => {
    if (stopped.signal.aborted) process.exit(interrupted)
    stopped.abort(new Error('stopped by a signal'))
  }
  process.on('SIGINT', stop).on('SIGTERM', stop)
  return stopped.signal
}

async function compareWith(options: CompareArguments, signal: AbortSignal): Promise<CompareReport> {
  const onStep = (step: string): void => void process.stderr.write(`${step} …\n`)
  const built: BuiltCommit[] = []
  try {
    for (const name of options.commits) built.push(await buildCommit(name, { onStep, signal }))
    return await withServer(
      { existingUrl: options.server, settings: countingSettings },
      async (serverUrl) => {
        const counts = options.quick ? quickCounts : fullCounts
        const comparisons = await runCompare({
          serverUrl,
          workTree: { name: 'the work tree', adapter: path.join(root, adapterPaths[0]) },
          commits: built.map(({ side }) => side),
          measurements: options.measurements,
          counts,
          pairs: options.pairs,
          onStep,
          signal,
        })
        return {
          ...(await describeRun(serverUrl)),
          pairs: options.pairs,
          counts,
          against: built.map(({ commit }, index) => ({ commit, comparisons: comparisons[index] ?? {} })),
        }
      },
    )
  } finally {
    for (const { checkout } of built) await checkout.remove()
  }
}

interface BuiltCommit {
  readonly commit: Commit
  readonly checkout: Checkout
  readonly side: Side
}

async function buildCommit(
  name: string,
  context: Pick<CheckoutOptions, 'onStep' | 'signal'>,
): Promise<BuiltCommit> {
  const commit = await resolveCommit(root, name)
  const adapterPath = await findAdapter(root, commit)
  const checkout = await checkOut({ root, commit, ...context })
  const side = { name: commit.hash.slice(0, 7), adapter: path.join(checkout.directory, adapterPath) }
  return { commit, checkout, side }
}

async function describeRun(
  serverUrl: string,
): Promise<Pick<CompareReport, 'machine' | 'measuredOn' | 'workTree'>> {
  const { hash } = await resolveCommit(root, 'HEAD')
  return {
    machine: await describeMachine(serverUrl),
    measuredOn: new Date().toISOString().slice(0, 10),
    workTree: { hash, changed: await isChanged(root) },
  }
}
