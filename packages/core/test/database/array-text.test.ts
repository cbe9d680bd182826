import { afterAll, expect, test } from '@jest/globals'
import { seeded } from '@queue/dev-postgres'
import { jsonTextArray, plainArray } from '@queue/postgres'
import fc from 'fast-check'
import { openWorld } from '../support/world.ts'

const world = await openWorld()
afterAll(() => world.close())

/** The elements that PostgreSQL reads from the text of an array. */
async function read(text: string, type: 'text' | 'bigint'): Promise<readonly string[]> {
  const [row] = await world.sql<{ elements: string[] }>(
    `SELECT ARRAY(SELECT e::text FROM unnest($1::${type}[]) WITH ORDINALITY AS u (e, n) ORDER BY n) AS elements`,
    [text],
  )
  return row?.elements ?? []
}

const document = fc
  .jsonValue({ stringUnit: 'binary', maxDepth: 4 })
  .map((value) => JSON.stringify(value))
  .filter((text) => !text.includes('\\u0000'))

test('documents are read as they were written, whatever quotes, backslashes and braces they have', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(document, { maxLength: 20 }), async (texts) => {
      expect(await read(jsonTextArray(texts), 'text')).toEqual(texts)
    }),
    seeded('array of documents'),
  )
})

test.each([
  'null',
  '"NULL"',
  '"{}"',
  '"a,b"',
  String.raw`"\\\""`,
  '"\u2028\u007f"',
  String.raw`"\n\u0001"`,
  '""',
])('the document %s is read as it was written', async (text) => {
  expect(await read(jsonTextArray([text, text]), 'text')).toEqual([text, text])
})

test('numbers are read as they were written, and an empty array as empty', async () => {
  expect(await read(plainArray([1, Number.MAX_SAFE_INTEGER]), 'bigint')).toEqual(['1', '9007199254740991'])
  expect(await read(plainArray([]), 'bigint')).toEqual([])
  expect(await read(jsonTextArray([]), 'text')).toEqual([])
})
