import { runInNewContext } from 'node:vm'
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { seeded } from '@queue/dev-postgres'
import { describeError, errorLengthMax, storableText } from '../src/describe-error.ts'

const throwing = (): never => {
  throw new Error('from inside')
}

function expectStorable(text: string): void {
  expect(text.length).toBeGreaterThan(0)
  expect(text.length).toBeLessThanOrEqual(errorLengthMax)
  expect(text.isWellFormed()).toBe(true)
  expect(text).not.toContain('\u0000')
}

describe('the description of a thrown value never throws and returns storable text:', () => {
  const revoked = Proxy.revocable({}, {})
  revoked.revoke()
  const circle: Record<string, unknown> = {}
  circle['self'] = circle

  test.each<[string, unknown]>([
    ['undefined', undefined],
    ['null', null],
    ['the empty string', ''],
    ['a BigInt', 12n],
    ['a symbol', Symbol('s')],
    ['a function', throwing],
    ['an object without a prototype', Object.assign(Object.create(null), { a: 1 })],
    ['an object that contains itself', circle],
    [
      'an object whose members throw',
      {
        get a() {
          return throwing()
        },
      },
    ],
    ['an object whose toJSON throws', { toJSON: throwing }],
    ['an object whose toJSON gives undefined', { toJSON: () => undefined, toString: throwing }],
    ['a function whose toString throws', Object.assign(() => 1, { toString: throwing })],
    ['a revoked proxy', revoked.proxy],
    [
      'a proxy whose every trap throws',
      new Proxy({}, { get: throwing, getPrototypeOf: throwing, ownKeys: throwing }),
    ],
    ['an error whose message throws', Object.defineProperty(new Error('x'), 'message', { get: throwing })],
    ['an error whose stack throws', Object.defineProperty(new Error('x'), 'stack', { get: throwing })],
    ['an error whose stack is no text', Object.assign(new Error('x'), { stack: 7 })],
    ['an error whose name is a symbol', Object.assign(new Error('x'), { name: Symbol('s') })],
    ['an error without a stack', Object.assign(new Error('x'), { stack: undefined })],
    ['an error with a message of 1 MB', new Error('x'.repeat(1_048_576))],
    ['an error with U+0000', new Error('a\u0000b')],
    ['an error with a lone surrogate', new Error('a\uD83Db')],
    ['a string of 1 MB', '\u0000'.repeat(1_048_576)],
  ])('%s', (_what, thrown) => {
    expectStorable(describeError(thrown))
  })

  test('any other value', () => {
    fc.assert(
      fc.property(
        fc.anything({
          withBigInt: true,
          withDate: true,
          withMap: true,
          withNullPrototype: true,
          withSparseArray: true,
        }),
        (thrown) => expectStorable(describeError(thrown)),
      ),
      seeded('describe error'),
    )
  })

  test('an error that is its own cause', () => {
    const error = new Error('round and round')
    error.cause = error
    const text = describeError(error)
    expectStorable(text)
    expect(text).toContain('round and round')
  })

  test('a chain of causes is followed only for a few links', () => {
    let followed = 0
    let error = new Error('the root')
    for (let depth = 0; depth < 10_000; depth += 1) {
      const cause = error
      error = new Error(`link ${depth}`)
      Object.defineProperty(error, 'cause', {
        get: () => {
          followed += 1
          return cause
        },
      })
    }
    expectStorable(describeError(error))
    expect(followed).toBeGreaterThan(1)
    expect(followed).toBeLessThan(20)
  })
})

describe('a description contains', () => {
  test('name, message and stack of an error, and its cause', () => {
    const text = describeError(new TypeError('no such address', { cause: new RangeError('port 99999') }))
    expect(text).toMatch(/^TypeError: no such address\n {4}at /)
    expect(text).toMatch(/\ncaused by RangeError: port 99999\n {4}at /)
  })

  test('a long message leaves room for the stack', () => {
    expect(describeError(new Error('x'.repeat(1_048_576)))).toMatch(/\n {4}at /)
  })

  test('a thrown string unchanged, a thrown object as JSON, and a number as digits', () => {
    expect(describeError('out of paper')).toBe('out of paper')
    expect(describeError({ code: 7 })).toBe('{"code":7}')
    expect(describeError(42)).toBe('42')
    expect(describeError(42n)).toBe('42')
  })

  test('a hint if there is no message', () => {
    expect(describeError('')).toBe('an empty text was thrown')
    expect(describeError(Number.NaN)).toBe('NaN')
    expect(describeError(undefined)).toBe('undefined')
  })

  test('an error of another realm as one of this realm', () => {
    const foreign: unknown = runInNewContext(`new TypeError('from elsewhere')`)
    expect(foreign instanceof Error).toBe(false)
    expect(describeError(foreign)).toMatch(/^TypeError: from elsewhere\n {4}at /)
  })

  test('the message of an error whose stack is not a string', () => {
    expect(describeError(Object.assign(new Error('the message'), { stack: 7 }))).toContain('the message')
  })
})

describe('storable text', () => {
  test('is never longer than its maximum, is well-formed, and has no U+0000, for any text', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)) }),
        fc.integer({ min: 1, max: 30 }),
        (text, lengthMax) => {
          const stored = storableText(text, lengthMax)
          expect(stored.length).toBeLessThanOrEqual(lengthMax)
          expect(stored.isWellFormed()).toBe(true)
          expect(stored).not.toContain('\u0000')
        },
      ),
      seeded('storable text'),
    )
  })

  test('is the text itself if it can be stored, and shows where it was cut', () => {
    expect(storableText('ünïcode 😀', 20)).toBe('ünïcode 😀')
    expect(storableText('abcdef', 4)).toBe('abc…')
    expect(storableText('ab😀cd', 4)).toBe('ab\uFFFD…')
    expect(storableText('a\u0000b', 4)).toBe('a\uFFFDb')
  })
})
