import { expect, test } from '@jest/globals'
import { decodeOptions, encodeOptions } from '../../src/database/option-document.ts'
import { tables } from '../../src/database/tables.ts'
import { type JobOptionName, jobOptions, optionsIn } from '../../src/domain/job-options.ts'
import { toCamelCase, toSnakeCase } from '../../src/domain/names.ts'

const names = Object.keys(jobOptions) as JobOptionName[]

test('each option can be set in some place, and its texts are sentences', () => {
  for (const name of names) {
    const texts = Object.values<string>(jobOptions[name].texts)
    expect({ name, texts: texts.length }).not.toEqual({ name, texts: 0 })
    for (const text of texts) expect(text).toMatch(/^[A-Z].*\.$/s)
  }
})

test('an edit reports the previous value of each option that it can set', () => {
  expect(optionsIn('previous')).toEqual(optionsIn('edit'))
})

test('each option that an edit can set is a column', () => {
  expect(Object.keys(tables.jobs.columns)).toEqual(expect.arrayContaining(optionsIn('edit').map(toSnakeCase)))
})

test('a name is the same after a conversion there and back', () => {
  for (const name of names) expect(toCamelCase(toSnakeCase(name))).toBe(name)
})

test('a document keeps the options of a request', () => {
  const options = {
    queue: 'mail',
    runAt: new Date(0),
    timeoutMs: null,
    retryPolicy: { type: 'fixed', baseMs: 1 },
    metadata: { order_id: 1 },
    unique: { key: 'k', scope: 'window', windowMs: 5, maxWaitMs: null, onConflict: 'return' },
    weight: 3,
  } as const
  const given = Object.keys(options) as (keyof typeof options)[]
  const document: Record<string, unknown> = JSON.parse(JSON.stringify(encodeOptions(options, given)))
  expect(decodeOptions(document, given)).toEqual(options)
})

test('an option that a document lacks has the value that NULL stands for in its column', () => {
  expect(decodeOptions({}, ['weight', 'timeoutMs'])).toEqual({ weight: 1, timeoutMs: null })
})
