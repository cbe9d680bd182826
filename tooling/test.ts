/**
 * `pnpm test`: every package's tests against one PostgreSQL server, which is stopped last. Arguments choose packages, as
 * for `turbo run test`; those behind `--` go to jest. The last lines name the tests that failed, and say how many there
 * were.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { acquireServer, compileCache } from '@queue/dev-postgres'
import { buildPackages } from './build-packages.ts'
import { plannedTasks } from './planned-tasks.ts'
import { failureLines, readCounts, summaryLine, sumCounts } from './test-run/counts.ts'
import { longestFirst } from './test-run/longest-first.ts'
import { runInLanes } from './test-run/run-in-lanes.ts'
import { runJest } from './test-run/run-jest.ts'

const repository = path.resolve(import.meta.dirname, '..')

/** Two jest processes with one worker each keep two cores busy while one of them waits for the database. */
const lanes = 2

const stopped = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => stopped.abort(signal))
}

const args = process.argv.slice(2)
const separator = args.includes('--') ? args.indexOf('--') : args.length
const turboArguments = args.slice(0, separator)
const jestArguments = args.slice(separator + 1)
const countsDirectory = await mkdtemp(path.join(tmpdir(), 'queue-test-counts-'))
try {
  process.exitCode = await runTests()
} finally {
  await rm(countsDirectory, { recursive: true, force: true })
}

async function runTests(): Promise<number> {
  const tasks = await plannedTasks(['test', ...turboArguments])
  const tested = tasks.filter(({ task }) => task === 'test').map(({ directory }) => directory)
  // The tests run even where a package does not compile: they tell more about a change than its types do.
  const build = await buildPackages(repository, tasks)
  process.stdout.write(build.output)
  let exitCode = build.passed ? 0 : 1
  const server = await acquireServer()
  const environment = {
    ...process.env,
    ...compileCache,
    TEST_DATABASE_URL: server.url,
    TEST_COUNTS_DIR: countsDirectory,
  }
  try {
    await runInLanes(longestFirst(tested), lanes, async (folder) => {
      const run = { folder, args: jestArguments, environment, stopped: stopped.signal }
      const { passed, seconds, output } = await runJest(run)
      if (!passed) exitCode = 1
      process.stdout.write(`${output}${passed ? 'ok    ' : 'FAILED'} ${folder} ${seconds.toFixed(0)} s\n\n`)
    })
    const reported = await readCounts(countsDirectory)
    const counts = sumCounts(reported, tested, exitCode)
    process.stdout.write(`${[...failureLines(reported, tested), summaryLine(counts)].join('\n')}\n`)
    return counts.failed > 0 || stopped.signal.aborted ? 1 : 0
  } finally {
    await server.stop()
  }
}
