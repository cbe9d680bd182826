import { describe, expect, test } from '@jest/globals'
import { type Fields, faultOf, withFilters } from '../src/finding/fields.ts'
import { keepPlaces } from '../src/finding/places.ts'
import { type Suggestion, suggest } from '../src/finding/suggest.ts'
import { wordsOf } from '../src/finding/words.ts'

type Name = 'status' | 'queue' | 'kind' | 'tenant' | 'fingerprint' | 'created_after' | `metadata.${string}`

const fields: Fields<Name> = {
  names: ['status', 'queue', 'kind', 'tenant', 'fingerprint', 'created_after'],
  memberPrefix: 'metadata.',
  aliases: { 'meta.': 'metadata.', fp: 'fingerprint', after: 'created_after' },
  several: ['fingerprint'],
  closed: ['status'],
  open: ['tenant'],
  instants: ['created_after'],
  known: {
    status: ['queued', 'running', 'failed_permanent'],
    queue: ['mail', 'reports'],
    kind: ['report', 'send_email'],
    tenant: ['acme', 'globex'],
    'metadata.customer': ['c-1', 'c-2'],
    'metadata.order_id': ['4600', '4601'],
  },
}

/** A suggestion as text: `tenant: acme, kind: report`, `tenant:…`, or the id of a job. */
function textOf(suggestion: Suggestion<Name>): string {
  if (suggestion.does === 'open') return suggestion.jobId
  if (suggestion.does === 'write') return `${suggestion.text}…`
  return suggestion.filters.map(({ name, value }) => `${name}: ${value}`).join(', ')
}

const suggestionsFor = (text: string): string[] => suggest(fields, text).map(textOf)

describe('a search text is split into words', () => {
  test.each([
    ['tenant:acme kind:report', ['tenant=acme', 'kind=report']],
    ['  a   "two words" ', ['a', 'two words']],
    ['meta.note:"two words" b', ['meta.note=two words', 'b']],
    [String.raw`note:"a \"quoted\" \\ word"`, [String.raw`note=a "quoted" \ word`]],
    ['tenant: acme', ['tenant=', 'acme']],
    ['after:2026-01-15T09:30Z', ['after=2026-01-15T09:30Z']],
    ['note:"unfinished word', ['note=unfinished word']],
    [':a "" " "', [':a', ' ']],
  ])('%s', (text, words) => {
    expect(wordsOf(text).map(({ name, value }) => (name === undefined ? value : `${name}=${value}`))).toEqual(
      words,
    )
  })

  test('in linear time, for any text', () => {
    const beganAtMs = performance.now()
    for (const unit of ['a', '"', ':', 'a:', '\\"', ' "', 'a:"\\']) {
      expect(wordsOf(unit.repeat(20_000)).length).toBeLessThanOrEqual(20_000)
    }
    expect(performance.now() - beganAtMs).toBeLessThan(5_000)
  })
})

describe('a search', () => {
  test.each([
    [
      'combines several fields',
      'tenant:acme kind:report status:queued',
      'tenant: acme, kind: report, status: queued',
    ],
    [
      'accepts aliases of fields',
      'fp:0123456789abcdef meta.order_id:4711',
      'fingerprint: 0123456789abcdef, metadata.order_id: 4711',
    ],
    ['accepts several values of a field that allows them', 'fp:a fp:b', 'fingerprint: a, fingerprint: b'],
    [
      'combines known values without names',
      'acme report queued',
      'tenant: acme, kind: report, status: queued',
    ],
    [
      'completes the beginning of a known value',
      'acme repo queu',
      'tenant: acme, queue: reports, status: queued',
    ],
    ['combines both forms', 'kind:other acme', 'kind: other, tenant: acme'],
    [
      'suggests for an unknown value the member whose values have the same shape',
      '4711',
      'metadata.order_id: 4711',
    ],
    ['does so for another shape', 'c-17', 'metadata.customer: c-17'],
    ['keeps a value as typed, although a known value begins with it', 'tenant:ac', 'tenant: ac'],
    [
      'completes a value of a field that accepts only known values',
      'status:fail',
      'status: failed_permanent',
    ],
    [
      'opens a job by its id',
      ' 01980D3C-7A1E-7C3A-9F52-3B1F6C0DE001 ',
      '01980d3c-7a1e-7c3a-9f52-3b1f6c0de001',
    ],
    ['completes the name of a field after other words', 'acme fing', 'acme fingerprint:…'],
    ['finds a metadata member without its prefix', 'order_', 'metadata.order_id:…'],
  ])('%s', (_law, text, first) => {
    expect(suggestionsFor(text)[0]).toBe(first)
  })

  test('suggests the known values of a field, with prefix matches first', () => {
    expect(suggestionsFor('queue:')).toEqual(['queue: mail', 'queue: reports'])
    expect(suggestionsFor('kind:e')).toEqual(['kind: e', 'kind: report', 'kind: send_email'])
  })

  test('suggests every field for a value, the most likely first', () => {
    expect(suggestionsFor('4711')).toEqual([
      'metadata.order_id: 4711',
      'tenant: 4711',
      'metadata.customer: 4711',
    ])
    expect(suggestionsFor('report')).toEqual([
      'kind: report',
      'queue: reports',
      'tenant: report',
      'metadata.customer: report',
      'metadata.order_id: report',
    ])
  })

  test('converts ages and times to instants', () => {
    expect(suggestionsFor('after:2026-01-15T09:30Z')).toEqual(['created_after: 2026-01-15T09:30:00.000Z'])
    const [, at = ''] = suggestionsFor('after:2h')[0]?.split(/: (.*)/) ?? []
    expect(Date.now() - Date.parse(at)).toBeGreaterThanOrEqual(7_200_000)
  })

  test.each([
    ['order:4711 kind:report', 'Unknown field: order.'],
    ['tenant: kind:report', 'tenant needs a value.'],
    ['status:open', 'status must be one of: queued, running, failed_permanent.'],
    ['kind:a kind:b', 'kind takes only one value.'],
    ['after:yesterday', 'after takes a time such as 2026-01-15T09:30Z, or an age such as 2h.'],
    ['constructor:a', 'Unknown field: constructor.'],
    ['metadata.:a', 'Unknown field: metadata..'],
  ])('with an invalid part, %s, has no suggestions and an error message', (text, fault) => {
    expect(suggestionsFor(text)).toEqual([])
    expect(faultOf(fields, text)).toBe(fault)
  })

  test('replaces the value of a field, or adds to a field with several values', () => {
    const values = { queue: 'mail', fingerprint: 'a' }
    const added = [
      { name: 'queue' as const, value: 'reports' },
      { name: 'fingerprint' as const, value: 'b' },
      { name: 'fingerprint' as const, value: 'a' },
    ]
    expect(withFilters(fields, values, added)).toEqual({ queue: 'reports', fingerprint: 'a,b' })
  })
})

describe('while values are loading', () => {
  const unread: Fields<Name> = {
    ...fields,
    known: { status: ['queued'], queue: ['mail', 'reports'] },
    isLoading: true,
  }

  test.each([
    ['acme', []],
    ['acme status:queued', []],
    ['4711', []],
  ])('there is no guess for %s', (text, meanings) => {
    expect(suggest(unread, text).map(textOf)).toEqual(meanings)
  })

  test.each([
    ['tenant:acme', 'tenant: acme'],
    ['mail', 'queue: mail'],
    ['mail queued', 'queue: mail, status: queued'],
    ['ten', 'tenant:…'],
    ['01980d3c-7a1e-7c3a-9f52-3b1f6c0de001', '01980d3c-7a1e-7c3a-9f52-3b1f6c0de001'],
  ])('%s gets suggestions from what is known', (text, first) => {
    expect(suggest(unread, text).map(textOf)[0]).toBe(first)
  })
})

describe('shown suggestions', () => {
  const withKnown = (known: Fields<Name>['known']): Fields<Name> => ({
    ...fields,
    known: { ...fields.known, ...known },
  })
  const keptOf = (text: string, known: Fields<Name>['known']): string[] =>
    keepPlaces(fields, suggest(fields, text), suggest(withKnown(known), text)).map(textOf)

  test('keep their places when another meaning becomes more likely', () => {
    const [first] = suggestionsFor('4711')
    expect(first).toBe('metadata.order_id: 4711')
    expect(keptOf('4711', { tenant: ['4711'] })).toEqual(suggestionsFor('4711'))
  })

  test('stay when their value is no longer known', () => {
    expect(keptOf('c-', { 'metadata.customer': [] }).slice(0, 2)).toEqual(suggestionsFor('c-').slice(0, 2))
  })

  test('are followed by later ones', () => {
    expect(keptOf('queue:', { queue: ['images', 'mail', 'reports'] })).toEqual([
      'queue: mail',
      'queue: reports',
      'queue: images',
    ])
  })

  test('are limited to eight', () => {
    const queue = Array.from({ length: 20 }, (_, index) => `q-${index}`)
    const kept = keptOf('queue:', { queue })
    expect(kept).toHaveLength(8)
    expect(kept.slice(0, 2)).toEqual(suggestionsFor('queue:'))
  })

  test('are the same array if nothing is added, also at a later time', () => {
    const [ago] = suggest(fields, 'after:2h')
    const shown = ago === undefined ? [] : [ago]
    const later = [
      { does: 'filter', filters: [{ name: 'created_after', value: '2031-01-15T09:30:00.000Z' }] },
    ]
    expect(shown).toHaveLength(1)
    expect(keepPlaces(fields, shown, later as Suggestion<Name>[])).toBe(shown)
  })
})
