/**
 * `pnpm test`: runs the tests of every package against one PostgreSQL server, which is stopped last. Arguments choose packages,
 * as for `turbo run test`; arguments after `--` are passed to jest. The last lines name the slowest files
 * and the failed tests, and give the counts.
 */
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { acquireServer, programsVariable, queryRows } from '@queue/dev-postgres'
import { type PlannedTask, plannedTasks } from './planned-tasks.ts'
import { bundlePrograms } from './test-run/bundle-programs.ts'
import { failureLines, readCounts, slowestLines, summaryLine, sumCounts } from './test-run/counts.ts'
import { longestFirst } from './test-run/longest-first.ts'
import { lanesOn, runInLanes } from './test-run/run-in-lanes.ts'
import { startTurbo } from './start-turbo.ts'

const stopped = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => stopped.abort(signal))
}

const commandArguments = process.argv.slice(2)
const separator = commandArguments.includes('--') ? commandArguments.indexOf('--') : commandArguments.length
const turboArguments = commandArguments.slice(0, separator)
const jestArguments = commandArguments.slice(separator + 1)
const runDirectory = await mkdtemp(path.join(tmpdir(), 'queue-test-run-'))
const countsDirectory = path.join(runDirectory, 'counts')
await mkdir(countsDirectory)
const programsDirectory = path.join(runDirectory, 'programs')
try {
  process.exitCode = await runTests()
} finally {
  await rm(runDirectory, { recursive: true, force: true })
}

async function runTests(): Promise<number> {
  const tasks = await plannedTasks(['test', ...turboArguments])
  const testTasks = longestFirst(tasks.filter(({ task }) => task === 'test'))
  const buildTasks = tasks.filter(({ task }) => task === 'build')
  // The tests run even if a package does not compile, because their results are useful anyway.
  let exitCode = await turbo('build', buildTasks, { args: ['--continue', '--output-logs=errors-only'] })
  await bundlePrograms(programsDirectory).catch((error: unknown) => {
    exitCode = 1
    process.stderr.write(
      `The programs could not be bundled and are started from their sources: ${String(error)}\n`,
    )
  })
  const server = await acquireServer()
  const environment = {
    ...process.env,
    [programsVariable]: programsDirectory,
    NODE_COMPILE_CACHE: path.join(runDirectory, 'compiled'),
    TEST_DATABASE_URL: server.url,
    TEST_COUNTS_DIR: countsDirectory,
  }
  const args = ['--log-order=grouped', '--output-logs=new-only', '--', ...jestArguments]
  try {
    const [setting] = await queryRows<{ max_connections: string }>(server.url, 'SHOW max_connections')
    const lanes = lanesOn(Number(setting?.max_connections))
    if (lanes === 1)
      process.stdout.write('One package is tested at a time: the server allows few connections\n')
    await runInLanes(testTasks, lanes, async (task) => {
      const started = performance.now()
      const code = await turbo('test', [task], { args, environment })
      if (code !== 0) exitCode = code
      const seconds = ((performance.now() - started) / 1_000).toFixed(0)
      process.stdout.write(`${code === 0 ? 'ok    ' : 'FAILED'} ${task.directory} ${seconds} s\n\n`)
    })
    const folders = testTasks.map(({ directory }) => directory)
    const reported = await readCounts(countsDirectory)
    const counts = sumCounts(reported, folders, exitCode)
    const lines = [...slowestLines(reported), ...failureLines(reported, folders), summaryLine(counts)]
    process.stdout.write(`${lines.join('\n')}\n`)
    return counts.failed > 0 || stopped.signal.aborted ? 1 : 0
  } finally {
    await server.stop()
  }
}

interface TurboRun {
  readonly args: readonly string[]
  readonly environment?: NodeJS.ProcessEnv
}

/** Lets turbo run a script of these packages only. */
function turbo(
  task: string,
  packages: readonly PlannedTask[],
  { args, environment = process.env }: TurboRun,
): Promise<number> {
  const filters = packages.map(({ package: name }) => `--filter=${name}`)
  return startTurbo(['run', task, '--only', '--ui=stream', ...filters, ...args], environment, stopped.signal)
}
