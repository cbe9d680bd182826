import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import type { Failure } from '../jest/count-reporter.mjs'

/** How the tests of one package, or of all, have ended. */
export interface Counts {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}

export interface PackageCounts extends Counts {
  /** The package's folder, from the root of the repository. */
  readonly package: string
  readonly failures: readonly Failure[]
}

/** What the count reporter of each package has left in `directory`. */
export async function readCounts(directory: string): Promise<PackageCounts[]> {
  const names = await readdir(directory)
  return Promise.all(
    names.map(
      async (name) => JSON.parse(await readFile(path.join(directory, name), 'utf8')) as PackageCounts,
    ),
  )
}

/**
 * The sum over all packages. One that was expected and has left no count, because it crashed or was never
 * reached, is one failure; so is a run that failed although no test did.
 */
export function sumCounts(
  counts: readonly PackageCounts[],
  expected: readonly string[],
  exitCode: number,
): Counts {
  const silent = silentPackages(counts, expected).length
  const failed = counts.reduce((sum, count) => sum + count.failed, silent)
  return {
    passed: counts.reduce((sum, count) => sum + count.passed, 0),
    failed: failed === 0 && exitCode !== 0 ? 1 : failed,
    skipped: counts.reduce((sum, count) => sum + count.skipped, 0),
  }
}

/** The packages that were expected and have left no count. */
function silentPackages(counts: readonly PackageCounts[], expected: readonly string[]): string[] {
  const reported = new Set(counts.map((count) => count.package))
  return expected.filter((name) => !reported.has(name))
}

/** What has failed: so that the end of a log, which is often all that is kept of it, is enough to go on. */
export function failureLines(counts: readonly PackageCounts[], expected: readonly string[]): string[] {
  const failed = counts.flatMap(({ package: name, failures }) =>
    failures.flatMap(({ file, test, message }) => [
      `FAILED ${name} ${file}: ${test}`,
      ...message.split('\n').map((line) => `    ${line}`),
    ]),
  )
  return failed.concat(silentPackages(counts, expected).map((name) => `FAILED ${name}: it left no count`))
}

/** The line that ends a test run. */
export function summaryLine({ passed, failed, skipped }: Counts): string {
  return `tests: ${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`
}
