import vm from 'node:vm'
import { inspect } from 'node:util'
import { describe, expect, test } from '@jest/globals'
import { limits } from '@queue/core'
import type { LogWrite, UnbegunJob } from '@queue/core/internal'
import { describeError } from '@queue/loop'
import { AttemptLog } from '../src/attempt-log.ts'
import { causeOf } from '../src/fingerprint.ts'
import { type AttemptHiddenValues, hiddenValuesOf } from '../src/hidden-values.ts'
import { progressOf } from '../src/progress.ts'
import { createUnwrittenBytes } from '../src/unwritten-bytes.ts'
import { ValueMatcher } from '../src/value-matcher.ts'

const hiddenIn = (payload: object, sensitive: string[] = ['/secret']): AttemptHiddenValues => {
  const job = { sensitive, kindVersion: 1 } as unknown as UnbegunJob
  const hidden = hiddenValuesOf(job, undefined)
  if (hidden === undefined) throw new Error('the kind declares sensitive parts')
  hidden.addSent(payload)
  return hidden
}

/** Everything that an attempt stores or logs of a thrown value, or of a value that its handler reports. */
async function outputsOf(thrown: unknown, hidden: AttemptHiddenValues): Promise<string[]> {
  const writes: LogWrite[] = []
  const log = new AttemptLog({
    lease: { jobId: 'a job', token: 1 },
    attempt: 1,
    shown: (value) => hidden.value(value),
    write: async (write) => void writes.push(write),
    wallMs: () => 0,
    unwritten: createUnwrittenBytes(),
    onDropped: () => undefined,
  })
  log.add('info', thrown, { thrown, list: [thrown], [String(thrown)]: 1 })
  await log.end()
  const shown = hidden.value(thrown)
  return [
    describeError(shown),
    causeOf('kind', shown).errorClass,
    inspect(shown),
    progressOf(1, hidden.value(thrown)).message ?? '',
    ...writes.flatMap(({ lines }) => lines.flatMap(({ message, fieldsText }) => [message, fieldsText ?? ''])),
  ]
}

/** An error of a class with this name. */
function named(name: string): Error {
  const classes = { [name]: class extends Error {} }
  const [ErrorClass = Error] = Object.values(classes)
  return new ErrorClass('x')
}

describe('no output shows a sensitive value,', () => {
  const values = {
    plain: 'ada@example.com',
    quoted: `O'Brien "the \`boss\`"`,
    'with lines': 'first line\nsecond\tline\r\n    at frame (file.js:1:1)',
    'with backslashes': 'C:\\users\\ada\\new',
    spaced: '  Ada.Secret@Example.COM ',
    wide: '東京都千代田区 🗼',
    'longer than its place': 'long secret '.repeat(4_000),
    'as long as its place': 'x'.repeat(limits.progressMessageLengthMax),
    number: 777_123_001,
    fraction: 4200.5,
    regular: '.*+?^${}()|[]',
    null: 'with\u0000zero',
    'half a pair': 'half \ud83d pair',
  }
  const places: Record<string, (value: string) => unknown> = {
    text: (value) => value,
    'text after a long text': (value) => `${'-'.repeat(limits.logMessageLengthMax - 20)} ${value}`,
    message: (value) => new Error(`bad ${value}`),
    cause: (value) => new Error('x', { cause: new Error(value) }),
    'cause that is no error': (value) => new Error('x', { cause: { value: [value] } }),
    'name of the error': (value) => Object.assign(new Error('x'), { name: value }),
    'name of the class': (value) => named(value),
    code: (value) => Object.assign(new Error('x'), { code: value }),
    stack: (value) => Object.assign(new Error('x'), { stack: `Error: x\n    at ${value} (file.js:1:1)` }),
    'one of several errors': (value) => new AggregateError([new Error(value)], 'several'),
    'an issue of a validation': (value) =>
      Object.assign(new Error('x'), { issues: [{ path: [value], message: value, code: 'custom' }] }),
    object: (value) => ({ message: value, [value]: value }),
    map: (value) => new Map([[value, { value }]]),
    json: (value) => new Error(`body: ${JSON.stringify({ value })}`),
    printed: (value) => new Error(`body: ${inspect(value, { maxStringLength: null })}`),
    'lower case': (value) => value.toLowerCase(),
    trimmed: (value) => new Error(value.trim()),
    'other realm': (value) => vm.runInNewContext('new Error(m)', { m: `bad ${value}` }) as unknown,
    'twice in a row': (value) => value + value,
  }
  const cases = Object.entries(values).flatMap(([kind, value]) =>
    Object.entries(places).map(([place, put]) => [kind, place, value, put] as const),
  )

  test.each(cases)('one that is %s, in %s', async (...[, , value, put]) => {
    const secret = String(value)
    const hidden = hiddenIn({ secret: value, open: 'shown' })
    for (const output of await outputsOf(put(secret), hidden)) {
      for (const form of [secret, secret.trim(), secret.toLowerCase(), JSON.stringify(secret).slice(1, -1)]) {
        expect(output).not.toContain(form.slice(0, 200))
      }
      expect(output).not.toContain(secret.slice(-64).toWellFormed())
    }
  })

  test('wherever its text is a part of another value, or thousands are', async () => {
    const people = Array.from({ length: 5_000 }, (_, n) => `person-${n}@example.com`)
    const hidden = hiddenIn({ secret: [...people, 'person', 'ann', 'annabel', 'bela'] })
    const text = `annabela annann ${people.join(' ')} anna`
    expect(hidden.text(text, 60)).toBe('*** *** *** *** ***…')
    expect(hidden.text(text)).not.toMatch(/person|ann|bel/)
  })

  test('that a schema has made of it, or that the handler has left in the payload', () => {
    const hidden = hiddenIn({ secret: '2026-03-01' }, ['/secret', '/later'])
    const parsed: Record<string, unknown> = { secret: new Date('2026-03-01T10:00:00Z') }
    hidden.addParsed(parsed)
    expect(hidden.text('at 2026-03-01T10:00:00.000Z')).toBe('at ***')
    parsed['later'] = { token: 'added-by-the-handler', 'member@example.com': 1 }
    expect(hidden.text('added-by-the-handler of member@example.com')).toBe('*** of ***')
    delete parsed['later']
    expect(hidden.text('added-by-the-handler, with a token')).toBe('***, with a token')
  })

  test('of another job of its call', () => {
    const [one, other] = [hiddenIn({ secret: 'ada@example.com' }), hiddenIn({ secret: 'bob@example.org' })]
    one.addOther(other)
    expect(one.text('refused ada@example.com, bob@example.org')).toBe('refused ***, ***')
  })
})

test('what is not sensitive is shown as it was thrown', () => {
  class Refused extends Error {}
  const thrown = new Refused('no card', { cause: { status: 402, at: [true, null, 'north'] } })
  const shown = hiddenIn({ secret: 'ada@example.com' }).value(thrown)
  expect(describeError(shown)).toBe(describeError(thrown))
  expect(causeOf('kind', shown)).toEqual(causeOf('kind', thrown))
})

test('values that are too short, and booleans, are not recognised', () => {
  const hidden = hiddenIn({ secret: [true, 42, 'ab'] })
  expect(hidden.text('true 42 ab')).toBe('true 42 ab')
})

describe('a kind', () => {
  const job = (sensitive: string[] | null, kindVersion = 1) =>
    ({ sensitive, kindVersion }) as unknown as UnbegunJob
  const declared = (sensitive: string[] | null) => ({
    timeoutMs: null,
    retryPolicy: null,
    version: 2,
    sensitive,
  })

  test.each<[string[] | null, string[] | null]>([
    [null, null],
    [[], []],
    [[], null],
    [null, []],
  ])('whose job declares %j, and itself %j, hides nothing in texts', (own, ofKind) => {
    expect(hiddenValuesOf(job(own), declared(ofKind))).toBeUndefined()
  })

  test('hides the whole payload of an older version that declares nothing', () => {
    const hidden = hiddenValuesOf(job(null), declared(['/email']))
    hidden?.addSent({ mail: 'ada@example.com' })
    expect(hidden?.text('to ada@example.com')).toBe('to ***')
  })
})

test('a matcher hides exactly what a search for each value and each place finds', () => {
  const seed = Math.floor(Math.random() * 2 ** 32)
  process.stdout.write(`matcher: seed ${seed}\n`)
  let state = seed
  const draw = (count: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * count)
  }
  const word = (length: number) => Array.from({ length }, () => 'ab'[draw(2)]).join('')
  for (let round = 0; round < 2_000; round += 1) {
    const values = Array.from({ length: 1 + draw(6) }, () => word(3 + draw(8)))
    const text = word(draw(40))
    const lengthMax = draw(2) === 0 ? text.length : draw(40)
    const matcher = new ValueMatcher()
    for (const value of values) matcher.add(value)
    const end = Math.min(text.length, lengthMax)
    const isHidden = Array.from({ length: text.length }, (_, at) =>
      values.some((value) =>
        Array.from({ length: value.length }, (_unused, back) => at - back).some(
          (start) => start >= 0 && start < end && text.startsWith(value, start),
        ),
      ),
    )
    const marked = Array.from(text.slice(0, end), (letter, at) => (isHidden[at] ? '*' : letter)).join('')
    const expected = marked.replaceAll(/\*+/g, '***') + (text.length > end ? '…' : '')
    expect([values, text, matcher.hide(text, lengthMax)]).toEqual([values, text, expected])
  }
})
