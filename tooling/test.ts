/**
 * `pnpm test`: every package's tests against one PostgreSQL server, which is stopped last. Arguments go to
 * `turbo run test`, those behind `--` to jest. The last lines name the tests that failed, and say how many
 * there were.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { acquireServer } from '@queue/dev-postgres'
import { failureLines, readCounts, summaryLine, sumCounts } from './test-run/counts.ts'
import { startTurbo } from './start-turbo.ts'
import { testedPackages } from './test-run/tested-packages.ts'

/** Two jest processes with one worker each keep two cores busy while one of them waits for the database. */
const concurrency = 2

const stopped = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => stopped.abort(signal))
}

const turboArguments = process.argv.slice(2)
const countsDirectory = await mkdtemp(path.join(tmpdir(), 'queue-test-counts-'))
try {
  process.exitCode = await runTests()
} finally {
  await rm(countsDirectory, { recursive: true, force: true })
}

async function runTests(): Promise<number> {
  const expected = await testedPackages(turboArguments)
  const server = await acquireServer()
  try {
    const tests = startTurbo(
      ['run', 'test', '--continue=dependencies-successful', `--concurrency=${concurrency}`]
        .concat(['--ui=stream', '--log-order=grouped', '--output-logs=new-only'])
        .concat(turboArguments),
      { ...process.env, TEST_DATABASE_URL: server.url, TEST_COUNTS_DIR: countsDirectory },
      stopped.signal,
    )
    const exitCode = await tests
    const reported = await readCounts(countsDirectory)
    const counts = sumCounts(reported, expected, exitCode)
    process.stdout.write(`${[...failureLines(reported, expected), summaryLine(counts)].join('\n')}\n`)
    return counts.failed > 0 || stopped.signal.aborted ? 1 : 0
  } finally {
    await server.stop()
  }
}
