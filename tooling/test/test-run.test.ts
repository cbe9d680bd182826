import { existsSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { eventually } from '@queue/dev-postgres'
import { plannedTasks } from '../planned-tasks.ts'
import { longest, longestFirst } from '../test-run/longest-first.ts'
import { runInLanes } from '../test-run/run-in-lanes.ts'

const repository = path.resolve(import.meta.dirname, '..', '..')

describe('the packages of a test run', () => {
  test('start in the order of their length, the others behind them', () => {
    const [first = '', second = ''] = longest
    const packages = ['packages/short', second, first].map((directory) => ({ directory }))
    expect(longestFirst(packages).map(({ directory }) => directory)).toEqual([
      first,
      second,
      'packages/short',
    ])
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
