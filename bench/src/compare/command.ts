import path from 'node:path'
import { onServer } from '../on-server.ts'
import { describeMachine } from '../results/machine.ts'
import { type CompareArguments, pairsDefault, parseCompareArguments, quickPairsDefault } from './arguments.ts'
import { adapterPaths, checkOut, type Commit, findAdapter, isChanged, resolveCommit } from './checkout.ts'
import { pairsForBoundsMin } from './estimate-ratio.ts'
import { type CompareReport, renderReport, renderReportAsJson } from './report.ts'
import { runCompare } from './run-compare.ts'

const help = `pnpm bench compare <commit> [enqueue | drain | latency …] [--pairs N] [--quick] [--json] [--server url]

Compares this work tree with a commit (a hash, a branch or a tag), which is built in a temporary folder beside it.
enqueue, drain and latency are measured as by "pnpm bench"; without a measurement, all three. The two sides run in pairs
on one fresh PostgreSQL, one after the other, each in its own process and database. The side that goes first alternates.

Prints how many times as fast the work tree is: the Hodges–Lehmann estimate of the pairs' ratios, with its 95 % bounds
(exact, by the signed-rank test). For both sides it also prints statements, WAL bytes, buffers and processor time per job.

  --pairs N  ${pairsDefault} by default; fewer than ${pairsForBoundsMin} give no bounds; with an even number each side goes first equally often
  --quick    fewer jobs, and ${quickPairsDefault} pairs by default: shows that everything runs, not how fast
  --json     print only the figures, as JSON
  --server   a postgres:// URL: measure on that server, as a superuser; it must preload pg_stat_statements
`

/** Enough for a process to be at its speed, and so little that a pair takes half a minute. */
const fullCounts = { enqueue: 50_000, drain: 50_000, latency: 400 } as const
const quickCounts = { enqueue: 2_000, drain: 2_000, latency: 20 } as const

/** The same for both sides, and as few disturbances as a server of default durability can have. */
const serverSettings = {
  shared_preload_libraries: 'pg_stat_statements',
  // Each measurement has its checkpoint beforehand, and none while it runs.
  checkpoint_timeout: '1d',
  max_wal_size: '16GB',
  // Its rounds would meet some measurements and not others: the databases live for seconds.
  autovacuum: 'off',
}

const root = path.resolve(import.meta.dirname, '..', '..', '..')
const interrupted = 130

/** `pnpm bench compare`. Resolves with the exit code. */
export async function runCompareCommand(args: readonly string[]): Promise<number> {
  const order = readArguments(args)
  if (order === undefined) return 2
  if (order.help) {
    process.stdout.write(help)
    return 0
  }
  const signal = stopSignal()
  try {
    const report = await compareWith(order, signal)
    process.stdout.write(order.json ? renderReportAsJson(report) : renderReport(report))
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

/** Aborts at the first SIGINT or SIGTERM, so that nothing is left behind; a second one ends this process at once. */
function stopSignal(): AbortSignal {
  const stopped = new AbortController()
  const stop = (): void => {
    if (stopped.signal.aborted) process.exit(interrupted)
    stopped.abort(new Error('stopped by a signal'))
  }
  process.on('SIGINT', stop).on('SIGTERM', stop)
  return stopped.signal
}

async function compareWith(order: CompareArguments, signal: AbortSignal): Promise<CompareReport> {
  const onStep = (step: string): void => void process.stderr.write(`${step} …\n`)
  const commit = await resolveCommit(root, order.commit)
  const adapterPath = await findAdapter(root, commit)
  const checkout = await checkOut({ root, commit, onStep, signal })
  try {
    return await onServer({ given: order.server, settings: serverSettings }, async (serverUrl) => {
      const counts = order.quick ? quickCounts : fullCounts
      const comparisons = await runCompare({
        serverUrl,
        sides: {
          workTree: { name: 'the work tree', adapter: path.join(root, adapterPaths[0]) },
          commit: { name: commit.hash.slice(0, 7), adapter: path.join(checkout.directory, adapterPath) },
        },
        measurements: order.measurements,
        counts,
        pairs: order.pairs,
        onStep,
        signal,
      })
      return { ...(await surroundings(commit, serverUrl)), pairs: order.pairs, counts, comparisons }
    })
  } finally {
    await checkout.remove()
  }
}

async function surroundings(
  commit: Commit,
  serverUrl: string,
): Promise<Omit<CompareReport, 'pairs' | 'counts' | 'comparisons'>> {
  const { hash } = await resolveCommit(root, 'HEAD')
  return {
    machine: await describeMachine(serverUrl),
    measuredOn: new Date().toISOString().slice(0, 10),
    workTree: { hash, changed: await isChanged(root) },
    commit,
  }
}
