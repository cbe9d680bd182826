import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'

const repository = path.resolve(import.meta.dirname, '..', '..')

/** The number of lines of a failure message that the summary of the whole run repeats. */
export const failureLinesMax = 12

/** The escape sequences of colours, which jest adds to messages even if its own output has no colours. */
// oxlint-disable-next-line no-control-regex -- the sequences start with the escape character
const colours = /\u001b\[[0-9;]*m/g

/**
 * Writes the numbers of passed, failed and skipped tests of this package, the failed tests, and how long each file took, to the
 * folder TEST_COUNTS_DIR.
 * The root test command adds them up. Without the variable it does nothing.
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
    const directory = path.join(repository, this.package)
    return {
      package: this.package,
      ...countsOf(results),
      failures: failuresOf(results, directory),
      files: durationsOf(results, directory),
    }
  }
}

/** How long each file of a jest run took. */
export function durationsOf(results, directory) {
  return results.testResults.map(({ testFilePath, perfStats: { start, end } }) => ({
    file: path.relative(directory, testFilePath),
    ms: end - start,
  }))
}

/** The failed tests of a jest run, each with its file, its full name and the first lines of its failure message. */
export function failuresOf(results, directory) {
  return results.testResults.flatMap((file) =>
    failuresOfFile(file, path.relative(directory, file.testFilePath)),
  )
}

function failuresOfFile({ testExecError, failureMessage, testResults }, file) {
  if (testExecError !== undefined && testExecError !== null) {
    return [{ file, test: '(the file did not run)', message: firstLines(failureMessage ?? '') }]
  }
  return testResults
    .filter(({ status }) => status === 'failed')
    .map(({ fullName, failureMessages }) => ({
      file,
      test: fullName,
      message: firstLines(failureMessages.join('\n')),
    }))
}

/** @param {string} message */
function firstLines(message) {
  const lines = message.replaceAll(colours, '').split('\n')
  return lines
    .filter((line) => line.trim() !== '')
    .slice(0, failureLinesMax)
    .join('\n')
}

/** The counts of a jest run. A file that does not load counts as one failed test. */
export function countsOf(results) {
  return {
    passed: results.numPassedTests,
    failed: results.numFailedTests + results.numRuntimeErrorTestSuites,
    skipped: results.numPendingTests + results.numTodoTests,
  }
}
