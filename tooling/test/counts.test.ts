import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, describe, expect, test } from '@jest/globals'
import CountReporter, { countsOf } from '../jest/count-reporter.mjs'
import { readCounts, sumCounts, summaryLine } from '../test-run/counts.ts'

const repository = path.resolve(import.meta.dirname, '..', '..')
const results = {
  numPassedTests: 7,
  numFailedTests: 2,
  numRuntimeErrorTestSuites: 0,
  numPendingTests: 1,
  numTodoTests: 1,
}
const countsDirectoryBefore = process.env['TEST_COUNTS_DIR']

afterEach(() => {
  if (countsDirectoryBefore === undefined) delete process.env['TEST_COUNTS_DIR']
  else process.env['TEST_COUNTS_DIR'] = countsDirectoryBefore
})

describe('the count reporter', () => {
  test('leaves the counts of its package, by its folder, for the sum', async () => {
    const directory = await mkdtemp(path.join(tmpdir(), 'counts-'))
    process.env['TEST_COUNTS_DIR'] = directory
    new CountReporter({ rootDir: path.join(repository, 'packages/worker') }).onRunComplete([], results)
    new CountReporter({ rootDir: path.join(repository, 'apps/worker') }).onRunComplete([], results)
    const counts = { passed: 7, failed: 2, skipped: 2 }
    expect(await readCounts(directory)).toEqual([
      { package: 'apps/worker', ...counts },
      { package: 'packages/worker', ...counts },
    ])
    await rm(directory, { recursive: true })
  })

  test('does nothing unless it is told where to leave them', () => {
    delete process.env['TEST_COUNTS_DIR']
    expect(() => new CountReporter({ rootDir: repository }).onRunComplete([], results)).not.toThrow()
  })

  test('counts a file that does not load as a failure', () => {
    expect(countsOf({ ...results, numRuntimeErrorTestSuites: 3 }).failed).toBe(5)
  })
})

describe('the sum', () => {
  const passed = (name: string) => ({ package: name, passed: 5, failed: 0, skipped: 0 })

  test('adds up all packages', () => {
    const counts = [passed('a'), { package: 'b', passed: 1, failed: 2, skipped: 3 }]
    expect(sumCounts(counts, ['a', 'b'], 1)).toEqual({ passed: 6, failed: 2, skipped: 3 })
  })

  test('counts a package that left no count as one failure', () => {
    expect(sumCounts([passed('a')], ['a', 'b', 'c'], 1)).toEqual({ passed: 5, failed: 2, skipped: 0 })
  })

  test('is never free of failures when the run has failed', () => {
    expect(sumCounts([passed('a')], ['a'], 1).failed).toBe(1)
    expect(sumCounts([passed('a')], ['a'], 0).failed).toBe(0)
  })

  test('ends in one plain line, which mentions skipped tests only where there are some', () => {
    expect(summaryLine({ passed: 12, failed: 0, skipped: 0 })).toBe('tests: 12 passed, 0 failed')
    expect(summaryLine({ passed: 1, failed: 2, skipped: 3 })).toBe('tests: 1 passed, 2 failed, 3 skipped')
  })
})
