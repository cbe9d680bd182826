import { describe, expect, test } from '@jest/globals'
import { rows } from '../src/rows/index.ts'
import { parseArguments } from '../src/run/arguments.ts'

describe('the command line', () => {
  test('without a row names all of them, at their full size', () => {
    const { rows: chosen, sizeOf } = parseArguments([], rows)
    expect(chosen).toEqual(rows)
    expect(chosen.map(sizeOf)).toEqual(rows.map(({ full }) => full))
  })

  test('names a row by its name or its number, and sizes it', () => {
    const {
      rows: chosen,
      seed,
      sizeOf,
    } = parseArguments(['kill', '--', '--jobs', '200_000', '--seed', '7'], rows)
    expect(chosen.map(({ name }) => name)).toEqual(['kill'])
    expect(parseArguments(['2'], rows).rows).toEqual(chosen)
    expect(seed).toBe(7)
    expect(parseArguments(['12'], rows).rows.map(({ name }) => name)).toEqual(['transactions', 'outbox'])
    expect(chosen.map(sizeOf)).toEqual([{ ...chosen[0]?.full, jobs: 200_000 }])
  })

  test('takes the reduced column where it is to be quick', () => {
    const { rows: chosen, sizeOf } = parseArguments(['--quick', '--count', '3'], rows)
    expect(chosen.map(sizeOf)).toEqual(rows.map(({ reduced }) => ({ ...reduced, count: 3 })))
  })

  test.each([
    ['--seed', 'seven'],
    ['--jobs', '-1'],
    ['--count', '1.5'],
  ])('refuses %s %s', (option, value) => {
    expect(() => parseArguments([`${option}=${value}`], rows)).toThrow(`${option} must be a whole number`)
  })

  test('refuses a row that is not there, and an option that is not there', () => {
    expect(() => parseArguments(['kil'], rows)).toThrow('there is no row "kil"')
    expect(() => parseArguments(['--fast'], rows)).toThrow('--fast')
  })
})

test('rows have names of their own and stand in the order of their numbers, without a gap', () => {
  const numbers = rows.map(({ number }) => number)
  expect(numbers).toEqual(numbers.toSorted((a, b) => a - b))
  expect([...new Set(numbers)]).toEqual(Array.from({ length: numbers.at(-1) ?? 0 }, (_, n) => n + 1))
  expect(new Set(rows.map(({ name }) => name)).size).toBe(rows.length)
})
