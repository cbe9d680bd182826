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

/** As the list says it: `tenant: acme, kind: report`, `tenant:…`, or the id of a job. */
function said(suggestion: Suggestion<Name>): string {
  if (suggestion.does === 'open') return suggestion.jobId
  if (suggestion.does === 'write') return `${suggestion.text}…`
  return suggestion.filters.map(({ name, value }) => `${name}: ${value}`).join(', ')
}

const meaningsOf = (text: string): string[] => suggest(fields, text).map(said)

describe('the words of a search', () => {
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

  test('are read in time that grows with the text, whatever it is', () => {
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
      'of several fields is one',
      'tenant:acme kind:report status:queued',
      'tenant: acme, kind: report, status: queued',
    ],
    [
      'takes other names of fields',
      'fp:0123456789abcdef meta.order_id:4711',
      'fingerprint: 0123456789abcdef, metadata.order_id: 4711',
    ],
    ['takes a field twice of which several values may hold', 'fp:a fp:b', 'fingerprint: a, fingerprint: b'],
    [
      'of values alone that are known is their combination',
      'acme report queued',
      'tenant: acme, kind: report, status: queued',
    ],
    ['takes what begins a known value', 'acme repo queu', 'tenant: acme, queue: reports, status: queued'],
    ['mixes both', 'kind:other acme', 'kind: other, tenant: acme'],
    [
      'of a value that nobody knows is of the member whose values look alike',
      '4711',
      'metadata.order_id: 4711',
    ],
    ['likewise of another shape', 'c-17', 'metadata.customer: c-17'],
    ['takes a value as it is written, though another begins so', 'tenant:ac', 'tenant: ac'],
    ['completes a value where no other is one', 'status:fail', 'status: failed_permanent'],
    [
      'opens a job by its id',
      ' 01980D3C-7A1E-7C3A-9F52-3B1F6C0DE001 ',
      '01980d3c-7a1e-7c3a-9f52-3b1f6c0de001',
    ],
    ['goes on to the value of a field', 'acme fing', 'acme fingerprint:…'],
    ['finds a member by its own name', 'order_', 'metadata.order_id:…'],
  ])('%s', (_law, text, first) => {
    expect(meaningsOf(text)[0]).toBe(first)
  })

  test('offers the known values of a field, those that begin so first', () => {
    expect(meaningsOf('queue:')).toEqual(['queue: mail', 'queue: reports'])
    expect(meaningsOf('kind:e')).toEqual(['kind: e', 'kind: report', 'kind: send_email'])
  })

  test('offers every field of a value, the likeliest first', () => {
    expect(meaningsOf('4711')).toEqual(['metadata.order_id: 4711', 'tenant: 4711', 'metadata.customer: 4711'])
    expect(meaningsOf('report')).toEqual([
      'kind: report',
      'queue: reports',
      'tenant: report',
      'metadata.customer: report',
      'metadata.order_id: report',
    ])
  })

  test('says of each age and instant when that is', () => {
    expect(meaningsOf('after:2026-01-15T09:30Z')).toEqual(['created_after: 2026-01-15T09:30:00.000Z'])
    const [, at = ''] = meaningsOf('after:2h')[0]?.split(/: (.*)/) ?? []
    expect(Date.now() - Date.parse(at)).toBeGreaterThanOrEqual(7_200_000)
  })

  test.each([
    ['order:4711 kind:report', 'There is no field order.'],
    ['tenant: kind:report', 'tenant: has no value.'],
    ['status:open', 'status: is one of queued, running, failed_permanent.'],
    ['kind:a kind:b', 'kind: is given twice, and one value alone can hold.'],
    ['after:yesterday', 'after: takes an instant such as 2026-01-15T09:30Z, or an age such as 2h.'],
    ['constructor:a', 'There is no field constructor.'],
    ['metadata.:a', 'There is no field metadata..'],
  ])('of which a part means nothing, %s, means nothing, and says why', (text, fault) => {
    expect(meaningsOf(text)).toEqual([])
    expect(faultOf(fields, text)).toBe(fault)
  })

  test('takes the place of a value of its field, and joins those of a field with several', () => {
    const values = { queue: 'mail', fingerprint: 'a' }
    const added = [
      { name: 'queue' as const, value: 'reports' },
      { name: 'fingerprint' as const, value: 'b' },
      { name: 'fingerprint' as const, value: 'a' },
    ]
    expect(withFilters(fields, values, added)).toEqual({ queue: 'reports', fingerprint: 'a,b' })
  })
})

describe('while the values are being read', () => {
  const unread: Fields<Name> = {
    ...fields,
    known: { status: ['queued'], queue: ['mail', 'reports'] },
    isReading: true,
  }

  test.each([
    ['acme', []],
    ['acme status:queued', []],
    ['4711', []],
  ])('nothing is guessed of %s', (text, meanings) => {
    expect(suggest(unread, text).map(said)).toEqual(meanings)
  })

  test.each([
    ['tenant:acme', 'tenant: acme'],
    ['mail', 'queue: mail'],
    ['mail queued', 'queue: mail, status: queued'],
    ['ten', 'tenant:…'],
    ['01980d3c-7a1e-7c3a-9f52-3b1f6c0de001', '01980d3c-7a1e-7c3a-9f52-3b1f6c0de001'],
  ])('%s means at once what is known', (text, first) => {
    expect(suggest(unread, text).map(said)[0]).toBe(first)
  })
})

describe('the options that are shown', () => {
  const withKnown = (known: Fields<Name>['known']): Fields<Name> => ({
    ...fields,
    known: { ...fields.known, ...known },
  })
  const keptOf = (text: string, known: Fields<Name>['known']): string[] =>
    keepPlaces(fields, suggest(fields, text), suggest(withKnown(known), text)).map(said)

  test('stay where they are when another meaning becomes the likeliest', () => {
    const [first] = meaningsOf('4711')
    expect(first).toBe('metadata.order_id: 4711')
    expect(keptOf('4711', { tenant: ['4711'] })).toEqual(meaningsOf('4711'))
  })

  test('stay when their value is known no longer', () => {
    expect(keptOf('c-', { 'metadata.customer': [] }).slice(0, 2)).toEqual(meaningsOf('c-').slice(0, 2))
  })

  test('are followed by what becomes known later', () => {
    expect(keptOf('queue:', { queue: ['images', 'mail', 'reports'] })).toEqual([
      'queue: mail',
      'queue: reports',
      'queue: images',
    ])
  })

  test('are eight at most', () => {
    const queue = Array.from({ length: 20 }, (_, index) => `q-${index}`)
    const kept = keptOf('queue:', { queue })
    expect(kept).toHaveLength(8)
    expect(kept.slice(0, 2)).toEqual(meaningsOf('queue:'))
  })

  test('are the same list when nothing comes, at a later time too', () => {
    const [ago] = suggest(fields, 'after:2h')
    const shown = ago === undefined ? [] : [ago]
    const later = [
      { does: 'filter', filters: [{ name: 'created_after', value: '2031-01-15T09:30:00.000Z' }] },
    ]
    expect(shown).toHaveLength(1)
    expect(keepPlaces(fields, shown, later as Suggestion<Name>[])).toBe(shown)
  })
})
