import { describe, expect, test } from '@jest/globals'
import { scenarios } from '../src/scenarios/index.ts'
import { parseArguments } from '../src/run/arguments.ts'

describe('the command line', () => {
  test('without a scenario names all of them, at their full size', () => {
    const { scenarios: chosen, sizeOf } = parseArguments([], scenarios)
    expect(chosen).toEqual(scenarios)
    expect(chosen.map(sizeOf)).toEqual(scenarios.map(({ full }) => full))
  })

  test('names a scenario by its name or its number, and sizes it', () => {
    const {
      scenarios: chosen,
      seed,
      sizeOf,
    } = parseArguments(['kill', '--', '--jobs', '200_000', '--seed', '7'], scenarios)
    expect(chosen.map(({ name }) => name)).toEqual(['kill'])
    expect(parseArguments(['2'], scenarios).scenarios).toEqual(chosen)
    expect(seed).toBe(7)
    expect(parseArguments(['12'], scenarios).scenarios.map(({ name }) => name)).toEqual([
      'transactions',
      'outbox',
    ])
    expect(chosen.map(sizeOf)).toEqual([{ ...chosen[0]?.full, jobs: 200_000 }])
  })

  test('takes the reduced sizes with --quick', () => {
    const { scenarios: chosen, sizeOf } = parseArguments(['--quick', '--count', '3'], scenarios)
    expect(chosen.map(sizeOf)).toEqual(scenarios.map(({ reduced }) => ({ ...reduced, count: 3 })))
  })

  test.each([
    ['--seed', 'seven'],
    ['--jobs', '-1'],
    ['--count', '1.5'],
  ])('refuses %s %s', (option, value) => {
    expect(() => parseArguments([`${option}=${value}`], scenarios)).toThrow(
      `${option} must be a whole number`,
    )
  })

  test('refuses an unknown scenario and an unknown option', () => {
    expect(() => parseArguments(['kil'], scenarios)).toThrow('there is no scenario "kil"')
    expect(() => parseArguments(['--fast'], scenarios)).toThrow('--fast')
  })
})

test('scenarios have unique names and are in the order of their numbers, without gaps', () => {
  const numbers = scenarios.map(({ number }) => number)
  expect(numbers).toEqual(numbers.toSorted((a, b) => a - b))
  expect([...new Set(numbers)]).toEqual(Array.from({ length: numbers.at(-1) ?? 0 }, (_, n) => n + 1))
  expect(new Set(scenarios.map(({ name }) => name)).size).toBe(scenarios.length)
})
