import { describe, expect, test } from '@jest/globals'
import { fieldsOf, payloadOf, textsOf } from '../src/pages/jobs/schema-fields.ts'

const fields =
  fieldsOf({
    type: 'object',
    properties: {
      to: { type: 'string' },
      size: { type: 'number' },
      urgent: { type: 'boolean' },
      format: { enum: ['png', 'webp'] },
      tags: { type: 'array' },
    },
  }) ?? []

describe('a payload that was edited as JSON', () => {
  test.each([
    {},
    { to: 'ada@example.com', size: 1.5, urgent: false, format: 'webp', tags: ['a', { b: null }] },
    { tags: null, size: -0.25 },
    { tags: '' },
  ])('is the payload of the fields that show it: %j', (payload) => {
    expect(payloadOf(fields, textsOf(fields, JSON.stringify(payload)))).toEqual(payload)
  })

  test.each([
    ['{', /JSON/],
    ['[]', /an object/],
    ['null', /an object/],
    ['{"copies":1}', /no field for "copies"/],
    ['{"constructor":1}', /no field for "constructor"/],
    ['{"to":""}', /value of "to"/],
    ['{"to":1}', /value of "to"/],
    ['{"size":"1"}', /value of "size"/],
    ['{"urgent":"true"}', /value of "urgent"/],
    ['{"urgent":null}', /value of "urgent"/],
    ['{"format":"gif"}', /choice for "format"/],
  ])('stays JSON, with the reason, where no field can show it: %s', (json, reason) => {
    expect(() => textsOf(fields, json)).toThrow(reason)
  })
})
