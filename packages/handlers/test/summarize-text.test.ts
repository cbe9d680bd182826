import { afterEach, expect, test } from '@jest/globals'
import { attempt } from './support/attempt.ts'
import { closeHandlers, openHandler } from './support/open-handler.ts'

afterEach(closeHandlers)

const text =
  'PostgreSQL is a powerful database. It stores data on disk and in memory. Cats like milk. The database of ' +
  'PostgreSQL has a write-ahead log, which makes the database durable. Dogs bark. Dr. Smith said that it is fast.'

async function summarize(payload: object) {
  const outcome = await attempt(await openHandler('summarize_text'), payload)
  if (outcome.kind !== 'succeeded') throw new Error(`it ended as ${outcome.kind}`, { cause: outcome })
  return outcome.result as { readonly summary: string; readonly sentences: number }
}

test('a summary consists of the most relevant sentences, unchanged and in their order', async () => {
  expect(await summarize({ text, max_sentences: 1 })).toEqual({
    summary: 'The database of PostgreSQL has a write-ahead log, which makes the database durable.',
    sentences: 1,
  })
  const { summary, sentences } = await summarize({ text })
  expect(sentences).toBe(3)
  expect(summary).not.toMatch(/Cats|Dogs/)
  expect(summary.indexOf('It stores')).toBeLessThan(summary.indexOf('write-ahead'))
})

test('a text with fewer sentences than the maximum is its own summary', async () => {
  expect(await summarize({ text, max_sentences: 50 })).toEqual({ summary: text, sentences: 6 })
  expect(await summarize({ text: 'x' })).toEqual({ summary: 'x', sentences: 1 })
})

test('no text of the maximum size takes long, whatever it contains', async () => {
  const longest = 100_000
  const units = [
    'a',
    '.',
    'a.',
    'a ',
    'a-',
    '@',
    '@a',
    '#',
    '1',
    '1,',
    '://',
    'é',
    '你',
    '😀',
    '\n',
    "'",
    '"(',
  ]
  for (const unit of units) {
    const started = performance.now()
    await summarize({ text: unit.repeat(longest).slice(0, longest) })
    // Half a second at most on a quiet machine. Without breaks in long words, the first takes nine.
    expect([unit, performance.now() - started < 10_000]).toEqual([unit, true])
  }
})
