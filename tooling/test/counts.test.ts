import { spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, describe, expect, test } from '@jest/globals'
import CountReporter, { countsOf, failureLinesMax } from '../jest/count-reporter.mjs'
import { failureLines, readCounts, slowestLines, sumCounts, summaryLine } from '../test-run/counts.ts'

const repository = path.resolve(import.meta.dirname, '..', '..')
const results = {
  numPassedTests: 7,
  numFailedTests: 2,
  numRuntimeErrorTestSuites: 0,
  numPendingTests: 1,
  numTodoTests: 1,
  testResults: [],
}
const countsDirectoryBefore = process.env['TEST_COUNTS_DIR']

afterEach(() => {
  if (countsDirectoryBefore === undefined) delete process.env['TEST_COUNTS_DIR']
  else process.env['TEST_COUNTS_DIR'] = countsDirectoryBefore
})

describe('the count reporter', () => {
  test('writes the counts of its package by its folder', async () => {
    const directory = await mkdtemp(path.join(tmpdir(), 'counts-'))
    process.env['TEST_COUNTS_DIR'] = directory
    new CountReporter({ rootDir: path.join(repository, 'packages/worker') }).onRunComplete([], results)
    new CountReporter({ rootDir: path.join(repository, 'apps/worker') }).onRunComplete([], results)
    const counts = { passed: 7, failed: 2, skipped: 2, failures: [], files: [] }
    expect(await readCounts(directory)).toEqual([
      { package: 'apps/worker', ...counts },
      { package: 'packages/worker', ...counts },
    ])
    await rm(directory, { recursive: true })
  })

  test('does nothing without TEST_COUNTS_DIR', () => {
    delete process.env['TEST_COUNTS_DIR']
    expect(() => new CountReporter({ rootDir: repository }).onRunComplete([], results)).not.toThrow()
  })

  test('counts a file that does not load as a failure', () => {
    expect(countsOf({ ...results, numRuntimeErrorTestSuites: 3 }).failed).toBe(5)
  })
})

describe('the sum', () => {
  const passed = (name: string) => ({
    package: name,
    passed: 5,
    failed: 0,
    skipped: 0,
    failures: [],
    files: [],
  })

  test('adds up all packages', () => {
    const counts = [passed('a'), { ...passed('b'), passed: 1, failed: 2, skipped: 3 }]
    expect(sumCounts(counts, ['a', 'b'], 1)).toEqual({ passed: 6, failed: 2, skipped: 3 })
  })

  test('counts a package without counts as one failure', () => {
    expect(sumCounts([passed('a')], ['a', 'b', 'c'], 1)).toEqual({ passed: 5, failed: 2, skipped: 0 })
  })

  test('has at least one failure if the run has failed', () => {
    expect(sumCounts([passed('a')], ['a'], 1).failed).toBe(1)
    expect(sumCounts([passed('a')], ['a'], 0).failed).toBe(0)
  })

  test('is one plain line, which mentions skipped tests only if there are any', () => {
    expect(summaryLine({ passed: 12, failed: 0, skipped: 0 })).toBe('tests: 12 passed, 0 failed')
    expect(summaryLine({ passed: 1, failed: 2, skipped: 3 })).toBe('tests: 1 passed, 2 failed, 3 skipped')
  })
})

describe('the end of the log', () => {
  /** Runs jest itself, because the data that it passes to a reporter is internal to it. */
  const runJest = async (directory: string, tests: Readonly<Record<string, string>>) => {
    const config = {
      rootDir: directory,
      testMatch: ['<rootDir>/*.test.cjs'],
      transform: {},
      reporters: [path.join(repository, 'tooling/jest/count-reporter.mjs')],
    }
    for (const [name, text] of Object.entries(tests)) await writeFile(path.join(directory, name), text)
    const jest = path.join(repository, 'node_modules/jest/bin/jest.js')
    const counts = path.join(directory, 'counts')
    spawnSync(process.execPath, [jest, '--config', JSON.stringify(config)], {
      env: { ...process.env, TEST_COUNTS_DIR: counts, FORCE_COLOR: '1' },
    })
    return readCounts(counts)
  }

  test('names each failed test by package, file and full name, with the first lines of its message', async () => {
    const directory = await mkdtemp(path.join(tmpdir(), 'failures-'))
    const reported = await runJest(directory, {
      'sums.test.cjs': `
        test('adds', () => expect(1 + 1).toBe(2))
        describe('a sum', () => {
          test('is wrong', () => expect(1 + 1).toBe(3))
          test('is long', () => { throw new Error('line\\n'.repeat(50)) })
        })`,
      'broken.test.cjs': 'require("./missing.cjs")',
    })
    const lines = failureLines(reported, ['missing'])
    const name = reported[0]?.package
    expect(lines.filter((line) => line.startsWith('FAILED')).toSorted()).toEqual([
      `FAILED ${name} broken.test.cjs: (the file did not run)`,
      `FAILED ${name} sums.test.cjs: a sum is long`,
      `FAILED ${name} sums.test.cjs: a sum is wrong`,
      'FAILED missing: it reported no counts',
    ])
    const text = lines.join('\n')
    expect(text).toMatch(
      /: a sum is wrong\n {4}Error: expect\(received\)[^]*\n {4}Expected: 3\n {4}Received: 2\n/,
    )
    expect(text).toMatch(/did not run\)\n[^]*Cannot find module '\.\/missing\.cjs'/)
    expect(reported[0]?.files.map(({ file }) => file).toSorted()).toEqual([
      'broken.test.cjs',
      'sums.test.cjs',
    ])
    expect(reported[0]?.files.find(({ file }) => file === 'sums.test.cjs')?.ms).toBeGreaterThan(0)
    const long = reported[0]?.failures.find(({ test: failed }) => failed === 'a sum is long')
    expect(long?.message.split('\n')).toHaveLength(failureLinesMax)
    await rm(directory, { recursive: true })
  })

  test('names the ten files that took longest, of all packages', () => {
    const files = (seconds: readonly number[]) =>
      seconds.map((second) => ({ file: `test/${second}.test.ts`, ms: second * 1_000 + 400 }))
    const counts = { passed: 1, failed: 0, skipped: 0, failures: [] }
    const lines = slowestLines([
      { package: 'a', ...counts, files: files([1, 3, 5, 7, 9, 11]) },
      { package: 'b', ...counts, files: files([2, 4, 6, 8, 10, 12]) },
    ])
    expect(lines).toHaveLength(10)
    expect(lines.slice(0, 2)).toEqual(['slow   b/test/12.test.ts 12 s', 'slow   a/test/11.test.ts 11 s'])
  })

  test('has no such line when nothing failed', () => {
    const passed = { package: 'a', passed: 5, failed: 0, skipped: 0, failures: [], files: [] }
    expect(failureLines([passed], ['a'])).toEqual([])
  })
})
