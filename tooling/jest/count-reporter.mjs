import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'

const repository = path.resolve(import.meta.dirname, '..', '..')

/** Lines of a failure message that the end of the whole run repeats. */
export const failureLinesMax = 12

/** The escape sequences of colours, which jest writes even where its own output has none. */
// oxlint-disable-next-line no-control-regex -- the escape character is what they start with
const colours = /\u001b\[[0-9;]*m/g

/**
 * Writes how many tests of this package passed, failed and were skipped, and which failed, to the folder that
 * TEST_COUNTS_DIR names, for the root test command to sum up. Without that variable it does nothing.
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
    writeFileSync(file, JSON.stringify(this.#report(results)))
  }

  #report(results) {
    const failures = failuresOf(results, path.join(repository, this.package))
    return { package: this.package, ...countsOf(results), failures }
  }
}

/** Each failed test of one jest run: its file, its full name, and how its failure message begins. */
export function failuresOf(results, directory) {
  return results.testResults.flatMap((file) =>
    failuresOfFile(file, path.relative(directory, file.testFilePath)),
  )
}

function failuresOfFile({ testExecError, failureMessage, testResults }, file) {
  if (testExecError !== undefined && testExecError !== null) {
    return [{ file, test: '(the file did not run)', message: beginning(failureMessage ?? '') }]
  }
  return testResults
    .filter(({ status }) => status === 'failed')
    .map(({ fullName, failureMessages }) => ({
      file,
      test: fullName,
      message: beginning(failureMessages.join('\n')),
    }))
}

/** @param {string} message */
function beginning(message) {
  const lines = message.replaceAll(colours, '').split('\n')
  return lines
    .filter((line) => line.trim() !== '')
    .slice(0, failureLinesMax)
    .join('\n')
}

/** The counts of one jest run. A file that does not even load has no tests to fail and counts as one that did. */
export function countsOf(results) {
  return {
    passed: results.numPassedTests,
    failed: results.numFailedTests + results.numRuntimeErrorTestSuites,
    skipped: results.numPendingTests + results.numTodoTests,
  }
}
