import { describe, expect, test } from '@jest/globals'
import {
  assertArguments,
  assertKnownOptions,
  checkedMethods,
  having,
  listOf,
  object,
  optional,
  text,
} from '../src/arguments.ts'

const known = { poolMax: true, schema: true, connectionString: true }

describe('an option that does not exist', () => {
  test.each([
    ['poolmax', 'poolMax'],
    ['pool_max', 'poolMax'],
    ['shema', 'schema'],
    ['conectionString', 'connectionString'],
  ])('%s is answered with %s', (misspelt, meant) => {
    const assert = () => assertKnownOptions('createQueue', { [misspelt]: 1 }, known)
    expect(assert).toThrow(
      expect.objectContaining({
        code: 'invalid_options',
        message:
          `createQueue: no option is called "${misspelt}": did you mean ${meant}? ` +
          'The options are poolMax, schema, connectionString',
      }),
    )
  })

  test.each(['retries', 'x'.repeat(100_000)])('%.10s is answered with all options', (name) => {
    expect(() => assertKnownOptions('createQueue', { [name]: 1 }, known)).toThrow(
      /": The options are poolMax/,
    )
  })
})

describe('an argument', () => {
  const parameters = {
    id: text,
    ids: listOf(text),
    queue: having('a queue', 'get'),
    options: optional(object),
  }
  const valid = ['id', ['id'], { get: () => undefined }, { limit: 1 }]

  test('that is what its parameter takes is accepted', () => {
    assertArguments('get', parameters, valid)
    assertArguments('get', parameters, valid.slice(0, 3))
  })

  test.each([
    [0, 1, 'get: id must be a text, not 1'],
    [0, undefined, 'get: id must be a text, not undefined'],
    [1, ['id', null], 'get: ids must be an array in which each element is a text, not this array'],
    [2, {}, 'get: queue must be a queue, not this object'],
    [3, null, 'get: options must be an object, not null'],
    [3, [], 'get: options must be an object, not this array'],
  ])('%p that is %p is refused', (place, value, message) => {
    const args = valid.with(place, value as never)
    expect(() => assertArguments('get', parameters, args)).toThrow(message)
  })

  test('never has its text in the error, because it may be a secret', () => {
    expect(() => assertArguments('get', { options: object }, ['postgres://user:secret@host'])).toThrow(
      /^get: options must be an object, not a string$/,
    )
  })
})

describe('methods with parameters', () => {
  const calls: unknown[] = []
  const queue = checkedMethods(
    'queue',
    {
      size: 3,
      get: (id: string) => Promise.resolve(id),
      limits: { set: (rule: object) => Promise.resolve(calls.push(rule)) },
    },
    { get: { id: text }, limits: { set: { rule: object } } },
  )

  test('do what they did', async () => {
    expect(await queue.get('a')).toBe('a')
    expect(queue.size).toBe(3)
  })

  test('reject before anything is done', async () => {
    await expect(queue.limits.set(null as never)).rejects.toThrow(
      'queue.limits.set: rule must be an object, not null',
    )
    expect(calls).toEqual([])
  })
})
