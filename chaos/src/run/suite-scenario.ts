import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import {
  type Counts,
  type Scenario,
  type ScenarioContext,
  type ScenarioSize,
  type RunResult,
  resultOf,
} from '../scenarios/scenario.ts'

const root = path.join(import.meta.dirname, '..', '..', '..')

/** A scenario whose law is checked by tests of another package, which can run at any scale. */
export interface SuiteScenarioOptions extends Pick<Scenario, 'number' | 'name' | 'law' | 'counted'> {
  /** The package, from the root of the repository. */
  readonly directory: string
  /** Patterns of the test files. */
  readonly files: readonly string[]
  /** The number that the tests count at scale 1, which `pnpm test` runs. */
  readonly reducedCount: number
  readonly fullCount: number
  readonly minutesMax: number
}

/** Creates a scenario that runs these tests with `QUEUE_TEST_SCALE` and `QUEUE_TEST_SEED`. */
export function suiteScenario({
  directory,
  files,
  reducedCount,
  fullCount,
  minutesMax,
  ...scenario
}: SuiteScenarioOptions): Scenario {
  const size = (count: number): ScenarioSize => ({ jobs: 0, count, minutesMax })
  return {
    ...scenario,
    full: size(fullCount),
    reduced: size(reducedCount),
    run: async (context) => {
      const scale = Math.max(1, context.size.count / reducedCount)
      return resultOfTests(await runTests({ directory, files, scale }, context), context.size.count)
    },
  }
}

/** The part of jest's JSON report that is used. */
export interface TestReport {
  readonly numPassedTests: number
  readonly numFailedTests: number
  readonly numPendingTests: number
  readonly testResults: readonly { readonly message: string; readonly name: string }[]
}

export interface TestRun extends Pick<SuiteScenarioOptions, 'directory' | 'files'> {
  readonly scale: number
  /** Additional environment variables of the tests. */
  readonly env?: Readonly<Record<string, string>>
}

/** Runs the tests of a package that match the patterns (all, if there are none) on the scenario's server. */
export async function runTests(
  { directory, files, scale, env: added }: TestRun,
  context: ScenarioContext,
): Promise<TestReport> {
  const outputFile = path.join(context.directory, `${randomUUID()}.json`)
  const jest = path.join(root, 'node_modules', 'jest', 'bin', 'jest.js')
  const args = [jest, ...files, '--silent', '--json', `--outputFile=${outputFile}`]
  const env = {
    ...environmentOfTests(process.env),
    TEST_DATABASE_URL: context.serverUrl,
    QUEUE_TEST_SCALE: String(scale),
    QUEUE_TEST_SEED: String(context.seed % 2 ** 31),
    ...added,
  }
  context.progress(`${files.join(', ')} in ${directory}, scale ${scale}`)
  try {
    await new Promise<void>((resolve, reject) => {
      const options = { cwd: path.join(root, directory), env, signal: context.signal, maxBuffer: 2 ** 28 }
      const child = execFile(process.execPath, args, options, () => resolve())
      child.on('error', reject)
    })
    return JSON.parse(await readFile(outputFile, 'utf8')) as TestReport
  } finally {
    await rm(outputFile, { force: true })
  }
}

/** The environment for tests inside a test. Without the variable, their count would replace that of their package's own run. */
export function environmentOfTests(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { TEST_COUNTS_DIR: _, ...rest } = environment
  return rest
}

function resultOfTests(
  { numPassedTests, numFailedTests, numPendingTests, testResults }: TestReport,
  count: number,
): RunResult {
  const counts: Counts = { tests: numPassedTests, cases: count }
  return resultOf({
    counts,
    faults: failuresOf({ numFailedTests, testResults }),
    voidBecause: numPassedTests === 0 || numPendingTests > 0 ? 'not every test was run' : undefined,
  })
}

/** The messages of the failed tests, file by file. */
export function failuresOf({
  numFailedTests,
  testResults,
}: Pick<TestReport, 'numFailedTests' | 'testResults'>): string[] {
  const messages = testResults
    .filter(({ message }) => message !== '')
    .map(({ name, message }) => `${path.basename(name)}: ${message}`)
  return numFailedTests > 0 && messages.length === 0 ? [`${numFailedTests} tests failed`] : messages
}
