import { existsSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { eventually } from '@queue/dev-postgres'
import { plannedTasks } from '../planned-tasks.ts'
import { longestFolders, longestFirst } from '../test-run/longest-first.ts'
import { lanesOn, runInLanes } from '../test-run/run-in-lanes.ts'

const repository = path.resolve(import.meta.dirname, '..', '..')

describe('the packages of a test run', () => {
  test('start in the order of their duration, the others after them', () => {
    const [first = '', second = ''] = longestFolders
    const packages = ['packages/short', second, first].map((directory) => ({ directory }))
    expect(longestFirst(packages).map(({ directory }) => directory)).toEqual([
      first,
      second,
      'packages/short',
    ])
  })

  test('that are listed as long have tests', () => {
    const without = longestFolders.filter(
      (folder) => !existsSync(path.join(repository, folder, 'jest.config.mjs')),
    )
    expect(without).toEqual([])
  })

  test('are those that turbo chooses, and their dependencies are built before', async () => {
    const tasks = await plannedTasks(['test', '--filter=@queue/tooling'])
    const foldersOf = (name: string) =>
      tasks.filter(({ task }) => task === name).map(({ directory }) => directory)
    expect(foldersOf('test')).toEqual(['tooling'])
    expect(foldersOf('build')).toEqual(expect.arrayContaining(['packages/core', 'apps/api', 'packages/cli']))
  })
})

test('a server with the default of 100 connections gets one lane, and one with 200 gets two', () => {
  expect([lanesOn(100), lanesOn(200)]).toEqual([1, 2])
})

test('each item waits for a free lane', async () => {
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
