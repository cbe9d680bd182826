import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import type { Failure, FileDuration } from '../jest/count-reporter.mjs'

/** The numbers of tests of one package, or of all, by result. */
export interface Counts {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}

export interface PackageCounts extends Counts {
  /** The package's folder, relative to the root of the repository. */
  readonly package: string
  readonly failures: readonly Failure[]
  readonly files: readonly FileDuration[]
}

/** Reads the counts that the count reporter of each package has written to `directory`. */
export async function readCounts(directory: string): Promise<PackageCounts[]> {
  const names = await readdir(directory)
  return Promise.all(
    names.map(
      async (name) => JSON.parse(await readFile(path.join(directory, name), 'utf8')) as PackageCounts,
    ),
  )
}

/**
 * The sum over all packages. An expected package without counts, because it crashed or did not start, counts as one failure. A
 * run that failed without a failed test also counts as one failure.
 */
export function sumCounts(
  counts: readonly PackageCounts[],
  expected: readonly string[],
  exitCode: number,
): Counts {
  const missing = missingPackages(counts, expected).length
  const failed = counts.reduce((sum, count) => sum + count.failed, missing)
  return {
    passed: counts.reduce((sum, count) => sum + count.passed, 0),
    failed: failed === 0 && exitCode !== 0 ? 1 : failed,
    skipped: counts.reduce((sum, count) => sum + count.skipped, 0),
  }
}

/** The expected packages without counts. */
function missingPackages(counts: readonly PackageCounts[], expected: readonly string[]): string[] {
  const reported = new Set(counts.map((count) => count.package))
  return expected.filter((name) => !reported.has(name))
}

/** The failed tests with their messages, so that the end of a log, which is often all that is kept, shows the reason. */
export function failureLines(counts: readonly PackageCounts[], expected: readonly string[]): string[] {
  const failed = counts.flatMap(({ package: name, failures }) =>
    failures.flatMap(({ file, test, message }) => [
      `FAILED ${name} ${file}: ${test}`,
      ...message.split('\n').map((line) => `    ${line}`),
    ]),
  )
  return failed.concat(
    missingPackages(counts, expected).map((name) => `FAILED ${name}: it reported no counts`),
  )
}

const slowestShown = 10

/** The files that took longest, so that whoever waits for the suite knows for what. */
export function slowestLines(counts: readonly PackageCounts[]): string[] {
  const files = counts.flatMap(({ package: name, files: ofPackage }) =>
    ofPackage.map(({ file, ms }) => ({ file: `${name}/${file}`, seconds: Math.round(ms / 1_000) })),
  )
  const slowest = files.toSorted((a, b) => b.seconds - a.seconds).slice(0, slowestShown)
  return slowest.map(({ file, seconds }) => `slow   ${file} ${seconds} s`)
}

/** The line that ends a test run. */
export function summaryLine({ passed, failed, skipped }: Counts): string {
  return `tests: ${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`
}
