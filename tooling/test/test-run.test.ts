import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { eventually } from '@queue/dev-postgres'
import { plannedTasks } from '../planned-tasks.ts'
import { longest, longestFirst } from '../test-run/longest-first.ts'
import { runInLanes } from '../test-run/run-in-lanes.ts'
import { runJest } from '../test-run/run-jest.ts'

const repository = path.resolve(import.meta.dirname, '..', '..')

describe('the packages of a test run', () => {
  test('start in the order of their length, the others behind them', () => {
    const [first = '', second = ''] = longest
    expect(longestFirst(['packages/short', second, first])).toEqual([first, second, 'packages/short'])
  })

  test('that take long have tests', () => {
    const without = longest.filter((folder) => !existsSync(path.join(repository, folder, 'jest.config.mjs')))
    expect(without).toEqual([])
  })

  test('are those that turbo chooses, and what their tests need is built before', async () => {
    const tasks = await plannedTasks(['test', '--filter=@queue/tooling'])
    const foldersOf = (name: string) =>
      tasks.filter(({ task }) => task === name).map(({ directory }) => directory)
    expect(foldersOf('test')).toEqual(['tooling'])
    expect(foldersOf('build')).toEqual(expect.arrayContaining(['packages/core', 'apps/api', 'packages/cli']))
  })
})

test('each item waits until one of the lanes is free', async () => {
  const ends = new Map<string, () => void>()
  const running = runInLanes(['a', 'b', 'c', 'd'], 2, (item) => {
    return new Promise((resolve) => ends.set(item, resolve))
  })
  const started = () => [...ends.keys()].join('')
  expect(started()).toBe('ab')
  ends.get('b')?.()
  await eventually(() => started() === 'abc')
  ends.get('a')?.()
  await eventually(() => started() === 'abcd')
  ends.get('c')?.()
  ends.get('d')?.()
  await running
})

describe('the tests of a package', () => {
  let folder: string
  const configOf = (tests: string) =>
    JSON.stringify({ rootDir: folder, testMatch: [`<rootDir>/${tests}.test.cjs`], transform: {} })
  const run = (tests: string, stopped = new AbortController().signal) =>
    runJest({ folder, args: ['--config', configOf(tests)], environment: process.env, stopped })

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'test-run-'))
    await writeFile(path.join(folder, 'wrong.test.cjs'), "test('a sum', () => expect(1 + 1).toBe(3))")
    await writeFile(
      path.join(folder, 'endless.test.cjs'),
      `test('an end', async () => {
         require('node:fs').writeFileSync(${JSON.stringify(path.join(folder, 'began'))}, '')
         await new Promise((resolve) => setTimeout(resolve, 600_000))
       }, 700_000)`,
    )
  })
  afterAll(() => rm(folder, { recursive: true }))

  test('that fail are told apart, with what jest has said', async () => {
    const { passed, output } = await run('wrong')
    expect(passed).toBe(false)
    expect(output).toMatch(/Expected: 3\n\s*Received: 2/)
  })

  test('end when the run is stopped, and none begins afterwards', async () => {
    const stopped = new AbortController()
    const endless = run('endless', stopped.signal)
    await eventually(() => existsSync(path.join(folder, 'began')), { what: 'a test that has begun' })
    stopped.abort()
    expect((await endless).passed).toBe(false)
    expect(await run('wrong', stopped.signal)).toEqual({ passed: false, seconds: 0, output: '' })
  })
})
