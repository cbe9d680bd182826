import { describe, expect, test } from '@jest/globals'
import { keptNumbers, refusedNumbers } from '@queue/dev-postgres'
import { parseExactJson } from '../src/api/exact-json.ts'
import { fieldsOf, payloadOf, textsOf } from '../src/pages/jobs/schema-fields.ts'

const fields =
  fieldsOf({ type: 'object', properties: { n: { type: 'number' }, list: { type: 'array' } } }) ?? []

describe('a number that is typed in a form', () => {
  test.each(refusedNumbers)('is refused, never rounded: %s, %s', (...[source]) => {
    expect(() => parseExactJson(source)).toThrow(/would be rounded. Write it as a text/)
    expect(() => parseExactJson(`{"a":[true,{"b":${source}}]}`)).toThrow(/would be rounded/)
    expect(() => payloadOf(fields, { list: `[${source}]` })).toThrow(/would be rounded/)
    expect(() => textsOf(fields, `{"list":[${source}]}`)).toThrow(/would be rounded/)
    if (!source.startsWith('[')) expect(() => payloadOf(fields, { n: source })).toThrow(/would be rounded/)
  })

  test.each(keptNumbers)('is sent with its value: %s', (source) => {
    const value: unknown = JSON.parse(source)
    expect(parseExactJson(`{"a":[${source}]}`)).toEqual({ a: [value] })
    expect(payloadOf(fields, { n: source, list: `[${source}]` })).toEqual({ n: value, list: [value] })
  })

  test('may have any digits in a text', () => {
    const text = JSON.stringify({ '9007199254740993': 'a "12345678901234567890" \\', b: '-1E+400' })
    expect(parseExactJson(text)).toEqual(JSON.parse(text))
  })

  test('is read in time that grows with its digits', () => {
    const digits = 1_000_000
    for (const source of [`1${'0'.repeat(digits)}1`, `0.${'0'.repeat(digits)}1`, '10'.repeat(digits / 2)]) {
      expect(() => parseExactJson(source)).toThrow(/would be rounded/)
    }
  })

  test.each(['', '{', '[1,]', '01'])('is JSON, or the text is refused: %j', (text) => {
    expect(() => parseExactJson(text)).toThrow(SyntaxError)
  })
})
