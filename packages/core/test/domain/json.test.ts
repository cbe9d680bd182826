import { runInNewContext } from 'node:vm'
import { describe, expect, test } from '@jest/globals'
import { seeded } from '@queue/dev-postgres'
import fc from 'fast-check'
import { fingerprint } from '../../src/domain/idempotency.ts'
import { canonicalJson, findJsonFault, writtenOutBytes } from '../../src/domain/json.ts'

const depthMax = 64

/** `levels` nested arrays. */
function nested(levels: number): unknown {
  let value: unknown = 1
  for (let level = 0; level < levels; level += 1) value = [value]
  return value
}

test('integers of an input are refused where doubles are further apart than integers, and written without an exponent', () => {
  const fault = (value: unknown) => findJsonFault({ value }, { depthMax, isInput: true })
  for (const value of [2 ** 53 + 2, -(2 ** 53) - 2, 2 ** 60, 1e21 - 2 ** 17]) {
    expect(fault(value)).toMatchObject({
      path: ['value'],
      message: expect.stringContaining('send it as a text'),
    })
  }
  for (const value of [2 ** 53, -(2 ** 53), 1e21, 1e300, 0.1]) expect(fault(value)).toBeUndefined()
  expect(findJsonFault(2 ** 60, { depthMax })).toBeUndefined()
})

describe('values that jsonb cannot hold are found, with their path:', () => {
  test.each<[string, unknown, (string | number)[], RegExp]>([
    ['U+0000 in a string', { a: ['x', 'a\u0000b'] }, ['a', 1], /U\+0000/],
    ['U+0000 in a key', { a: { 'k\u0000': 1 } }, ['a'], /a key contains U\+0000/],
    ['a lone high surrogate', { a: '\uD83D' }, ['a'], /lone surrogate/],
    ['a lone low surrogate', ['\uDE00 x'], [0], /lone surrogate/],
    ['a lone surrogate in a key', { '\uD83D': 1 }, [], /a key contains a lone surrogate/],
    ['NaN', { a: Number.NaN }, ['a'], /not a finite number/],
    ['Infinity', [Number.POSITIVE_INFINITY], [0], /not a finite number/],
    ['a BigInt', { a: 1n }, ['a'], /bigint/],
    ['a function', { a: () => 1 }, ['a'], /function/],
    ['a symbol', [Symbol('s')], [0], /symbol/],
    ['undefined as an element', [1, undefined], [1], /undefined/],
    ['undefined itself', undefined, [], /undefined/],
    ['a Map', { a: new Map() }, ['a'], /not plain JSON/],
    ['an instance of a class', new (class Point {})(), [], /not plain JSON/],
    ['a date that is none', { a: new Date(Number.NaN) }, ['a'], /date/],
    [
      'one level too many',
      nested(depthMax + 1),
      Array.from({ length: depthMax + 1 }, () => 0),
      /deeper than 64/,
    ],
  ])('%s', (...[, value, path, message]) => {
    const fault = findJsonFault(value, { depthMax })
    expect(fault?.path).toEqual(path)
    expect(fault?.message).toMatch(message)
  })

  test('a nesting of 100 000 levels is refused without exhausting the stack', () => {
    expect(findJsonFault(nested(100_000), { depthMax })?.message).toMatch(/deeper than 64/)
  })

  test('a bound of values counts every object, array, text, number, boolean and null', () => {
    const value = { a: [1, 'x', null, true, {}], b: [[]], c: undefined }
    expect(findJsonFault(value, { depthMax, nodesMax: 9 })).toBeUndefined()
    expect(findJsonFault(value, { depthMax, nodesMax: 8 })?.message).toBe(
      'is a document of more than 8 values',
    )
  })

  test('a document that contains itself is refused', () => {
    const circle: Record<string, unknown> = {}
    circle['self'] = circle
    expect(findJsonFault(circle, { depthMax })?.message).toMatch(/deeper than 64/)
  })

  test('exactly the allowed depth is accepted', () => {
    expect(findJsonFault(nested(depthMax), { depthMax })).toBeUndefined()
  })

  test('every well-formed document from JSON.parse without U+0000 is accepted', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary', maxDepth: 6 }), (value) => {
        const parsed: unknown = JSON.parse(JSON.stringify(value))
        const text = JSON.stringify(parsed)
        fc.pre(!text.includes('\\u0000') && !/\\ud[89a-f]/.test(text))
        expect(findJsonFault(parsed, { depthMax })).toBeUndefined()
      }),
      seeded('json passes'),
    )
  })

  test('a document of another realm is accepted, and so is one without a prototype', () => {
    const foreignDocument: unknown = runInNewContext('({ a: [{ b: new Date(0) }] })')
    expect(Object.getPrototypeOf(foreignDocument)).not.toBe(Object.prototype)
    expect(findJsonFault(foreignDocument, { depthMax })).toBeUndefined()
    expect(findJsonFault(Object.assign(Object.create(null), { a: 1 }), { depthMax })).toBeUndefined()
  })

  test('a member named __proto__ is checked like any other', () => {
    const value: unknown = JSON.parse('{"__proto__": {"a": "\\u0000"}}')
    expect(findJsonFault(value, { depthMax })?.path).toEqual(['__proto__', 'a'])
  })
})

describe('equal documents have one canonical text', () => {
  const shuffled = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(shuffled)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value)
        .toReversed()
        .map(([key, member]) => [key, shuffled(member)]),
    )
  }

  test('whatever the order in which their keys were written', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        expect(canonicalJson(shuffled(value))).toBe(canonicalJson(value))
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)))
      }),
      seeded('canonical json'),
    )
  })

  test('with keys in code-unit order at every level', () => {
    expect(canonicalJson({ b: [{ z: 1, a: 2 }], a: { é: 1, Z: 2, z: 3 } })).toBe(
      '{"a":{"Z":2,"z":3,"é":1},"b":[{"a":2,"z":1}]}',
    )
  })

  test('and an undefined member counts as absent', () => {
    expect(canonicalJson({ a: undefined, b: 1 })).toBe(canonicalJson({ b: 1 }))
  })

  test('and a member named __proto__ is part of the text', () => {
    expect(canonicalJson(JSON.parse('{"b": 1, "__proto__": {"a": 1}}'))).toBe('{"__proto__":{"a":1},"b":1}')
  })

  test('and other documents, kinds and queues have other fingerprints', () => {
    const request = { kind: 'k', queue: 'q', payload: { a: 1, b: [1, 2] } }
    const otherRequests = [
      { ...request, kind: 'k2' },
      { ...request, queue: 'q2' },
      { ...request, payload: { a: 1, b: [2, 1] } },
      { ...request, payload: { a: '1', b: [1, 2] } },
      { ...request, payload: { a: 1, b: [1, 2], c: null } },
    ]
    const same = { ...request, payload: { b: [1, 2], a: 1 } }
    expect(fingerprint(same).equals(fingerprint(request))).toBe(true)
    expect(fingerprint(request)).toHaveLength(32)
    for (const otherRequest of otherRequests)
      expect(fingerprint(otherRequest).equals(fingerprint(request))).toBe(false)
  })
})

describe('the size of a document as the database writes it', () => {
  test('is that of its text, plus the digits that an exponent stands for', () => {
    expect(writtenOutBytes('{"a":1.5,"b":"é"}')).toBe(18)
    expect(writtenOutBytes('1e+300')).toBe(306)
    expect(writtenOutBytes('[1e+300,-1.5e-7]')).toBe(16 + 307)
    expect(writtenOutBytes('["1e+300","a-e-4b1e+9"]')).toBe(23)
  })
})
