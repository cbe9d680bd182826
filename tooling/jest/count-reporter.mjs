import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'

const repository = path.resolve(import.meta.dirname, '..', '..')

/**
 * Writes how many tests of this package passed, failed and were skipped to the folder that TEST_COUNTS_DIR
 * names, for the root test command to sum up. Without that variable it does nothing.
 */
export default class CountReporter {
  constructor(globalConfig) {
    this.package = path.relative(repository, globalConfig.rootDir)
  }

  onRunComplete(_contexts, results) {
    const directory = process.env.TEST_COUNTS_DIR
    if (directory === undefined || directory === '') return
    mkdirSync(directory, { recursive: true })
    const file = path.join(directory, `${encodeURIComponent(this.package)}.json`)
    writeFileSync(file, JSON.stringify({ package: this.package, ...countsOf(results) }))
  }
}

/** The counts of one jest run. A file that does not even load has no tests to fail and counts as one that did. */
export function countsOf(results) {
  return {
    passed: results.numPassedTests,
    failed: results.numFailedTests + results.numRuntimeErrorTestSuites,
    skipped: results.numPendingTests + results.numTodoTests,
  }
}
