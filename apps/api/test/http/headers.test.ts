import { expect, test } from '@jest/globals'
import { entityTagOf, matchesEntityTag, parsePrefer } from '../../src/http/headers.ts'
import { acceptedTraceparent } from '../../src/operations/enqueue/create-job-body.ts'

test.each([
  [undefined, {}],
  ['', {}],
  ['handling=strict', { handling: 'strict' }],
  ['Handling = "strict"', { handling: 'strict' }],
  ['respond-async, wait=100', { 'respond-async': '', wait: '100' }],
  ['handling=lenient, handling=strict', { handling: 'lenient' }],
  ['wait=5; foo="bar", handling=strict;x', { wait: '5', handling: 'strict' }],
  [',, ;=x, "quoted", =', {}],
  ['__proto__=strict', { ['__proto__']: 'strict' }],
])('Prefer: %s', (header, expected) => {
  expect([...parsePrefer(header)]).toEqual(Object.entries(expected))
})

test('an entity tag is one of RFC 9110, and is matched in any list', () => {
  const tag = entityTagOf('text')
  expect(tag).toMatch(/^"[\w-]{27}"$/)
  expect(entityTagOf('texts')).not.toBe(tag)
  for (const header of [tag, `W/${tag}`, `"a",${tag}`, ' * '])
    expect(matchesEntityTag(header, tag)).toBe(true)
  for (const header of [undefined, '', tag.slice(1), '"a"', '"*"'])
    expect(matchesEntityTag(header, tag)).toBe(false)
})

test.each([
  ['00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01', true],
  ['cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00', true],
  ['ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01', false],
  ['00-00000000000000000000000000000000-00f067aa0ba902b7-01', false],
  ['00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01', false],
  ['00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01', false],
  ['00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7', false],
  ['', false],
])('traceparent %s is one: %s', (header, is) => {
  expect(acceptedTraceparent(header)).toBe(is ? header : undefined)
})
