import { expect, test } from '@jest/globals'
import { seeded } from '@queue/dev-postgres'
import { type Timing, instantsAfter, instantsOf } from '../../src/schedules/timing.ts'
import { cronExpressions, timeZones } from '../support/cron-matrix.ts'
import { changesOf, expectedInstants, offsetPeriodsOf } from '../support/cron-oracle.ts'
import { testScale } from '../support/scale.ts'

function timing(cron: string, timeZone = 'Europe/Berlin'): Timing {
  return { cron, timeZone, everyMs: null, startsAt: null, endsAt: null }
}

/** The instants of a day in Berlin, in local time with the offset from UTC. */
function instantsOfDay(cron: string, day: '2026-03-29' | '2026-10-25'): string[] {
  const change = Date.parse(`${day}T01:00:00Z`)
  const begin = Date.parse(`${day}T00:00:00Z`) - (day === '2026-03-29' ? 3_600_000 : 7_200_000)
  const end = begin + (day === '2026-03-29' ? 23 : 25) * 3_600_000
  return instantsAfter(timing(cron), begin - 1, 200)
    .filter((ms) => ms < end)
    .map((ms) => {
      const offset = ms >= change === (day === '2026-03-29') ? 2 : 1
      return `${new Date(ms + offset * 3_600_000).toISOString().slice(11, 16)}+${offset}`
    })
}

const springChange = '2026-03-29'
const autumnChange = '2026-10-25'

test.each<[string, string, typeof springChange | typeof autumnChange, string[]]>([
  ['a fixed time that is missing comes at the next that exists', '30 2 * * *', springChange, ['03:00+2']],
  ['fixed times that are missing come once', '0,15,30 2 * * *', springChange, ['03:00+2']],
  ['a missing time that meets another one comes once', '0 2,3 * * *', springChange, ['03:00+2']],
  ['a fixed time that is doubled comes at its first', '30 2 * * *', autumnChange, ['02:30+2']],
  [
    'fixed times that are doubled come once each',
    '0,30 2,3 * * *',
    autumnChange,
    ['02:00+2', '02:30+2', '03:00+1', '03:30+1'],
  ],
  ['a fixed time beside the change is as on any day', '0 4 * * *', springChange, ['04:00+2']],
  [
    'every half hour leaves no elapsed one out in spring',
    '*/30 1-3 * * *',
    springChange,
    ['01:00+1', '01:30+1', '03:00+2', '03:30+2'],
  ],
  [
    'every half hour comes in both doubled hours',
    '*/30 2 * * *',
    autumnChange,
    ['02:00+2', '02:30+2', '02:00+1', '02:30+1'],
  ],
  ['a step of hours has no hour that is missing', '0 */2 * * *', springChange, ['00:00+1', ...evenHours(4)]],
  [
    'a step of hours has the doubled hour twice',
    '0 */2 * * *',
    autumnChange,
    ['00:00+2', '02:00+2', '02:00+1', ...evenHours(4, 1)],
  ],
])('%s: %s', (...[, cron, day, expected]) => {
  expect(instantsOfDay(cron, day)).toEqual(expected)
})

/** The instants of an expression in a zone, in a span of a few days. */
function instantsBetween(cron: string, timeZone: string, [from, to]: readonly [string, string]): string[] {
  return instantsAfter(timing(cron, timeZone), Date.parse(`${from}Z`) - 1, 50)
    .filter((ms) => ms < Date.parse(`${to}Z`))
    .map((ms) => new Date(ms).toISOString().slice(0, 16))
}

const nuukSpring = ['2027-03-27T12:00', '2027-03-28T12:00'] as const

test.each([
  ['0 23 * * SAT', ['2027-03-28T01:00']],
  ['15,30 23 27 3 *', ['2027-03-28T01:00']],
  ['0 22,23 * * SAT', ['2027-03-28T00:00', '2027-03-28T01:00']],
  ['0 0 * * SUN', ['2027-03-28T01:00']],
  ['0 23 * * SUN', []],
])('a time that is missing at the end of a Saturday comes as that Saturday ends: %s', (cron, expected) => {
  expect(instantsBetween(cron, 'America/Nuuk', nuukSpring)).toEqual(expected)
})

test.each([
  // Samoa had no 30 December 2011, a Friday. The day after began at 10:00 by UTC.
  ['Pacific/Apia', '0 9 * * *', ['2011-12-29T19:00', '2011-12-30T10:00', '2011-12-30T19:00']],
  ['Pacific/Apia', '0 9 * * FRI', []],
  ['Pacific/Apia', '0 9 30 12 *', []],
  ['Pacific/Apia', '0 9 * * FRI#5', []],
  ['Pacific/Apia', '0 9 * * SAT#5', ['2011-12-30T19:00']],
  [
    'Pacific/Apia',
    '0 */12 * * *',
    ['2011-12-29T10:00', '2011-12-29T22:00', '2011-12-30T10:00', '2011-12-30T22:00'],
  ],
] as const)('on a day that the clock skips, in %s: %s', (zone, cron, expected) => {
  expect(instantsBetween(cron, zone, ['2011-12-29T10:00', '2011-12-31T04:00'])).toEqual(expected)
})

test.each([
  ['Pacific/Kiritimati', '1994-12-31', '1994-12-31T10:00'],
  ['Pacific/Kwajalein', '1993-08-21', '1993-08-21T12:00'],
])(
  'in %s, %s does not exist: a run of every day comes once the clock goes on, one of that day does not',
  (zone, day, end) => {
    const [, month, date] = day.split('-').map(Number)
    const span = [
      `${end.slice(0, 11)}00:00`,
      new Date(Date.parse(`${end}Z`) + 3_600_000).toISOString().slice(0, 16),
    ] as const
    expect(instantsBetween('0 9 * * *', zone, span)).toEqual([end])
    expect(instantsBetween(`0 9 ${date} ${month} *`, zone, span)).toEqual([])
  },
)

function evenHours(from: number, offset = 2): string[] {
  return Array.from(
    { length: (24 - from) / 2 },
    (_, n) => `${String(from + 2 * n).padStart(2, '0')}:00+${offset}`,
  )
}

test.each([
  ['1/6 * * * *', '1-59/6 * * * *'],
  ['5/10 0/6 * * *', '5-59/10 0-23/6 * * *'],
  ['30 2 1/10,15 JAN/3 *', '30 2 1-31/10,15 1-12/3 *'],
  ['0 0 * * MON/2', '0 0 * * 1-7/2'],
  ['10/20 0 0 * * *', '10-59/20 0 0 * * *'],
])('a step without a range goes to the end of its field: %s is %s', (short, long) => {
  const fromMs = Date.parse('2026-01-01T00:00:00Z')
  expect(instantsAfter(timing(short), fromMs, 100)).toEqual(instantsAfter(timing(long), fromMs, 100))
})

test('an interval counts from its start, or from 1970, in any zone', () => {
  const every = { cron: null, timeZone: 'UTC', everyMs: 600_000, endsAt: null }
  const at = (text: string) => Date.parse(text)
  expect(instantsOf({ ...every, startsAt: null }).next(at('2026-01-01T00:00:00Z'))).toBe(
    at('2026-01-01T00:10:00Z'),
  )
  const started = { ...every, startsAt: new Date('2026-01-01T00:00:05Z') }
  expect(instantsAfter(started, 0, 2)).toEqual([at('2026-01-01T00:00:05Z'), at('2026-01-01T00:10:05Z')])
  expect(instantsAfter({ ...started, endsAt: new Date('2026-01-01T00:10:05Z') }, 0, 5)).toHaveLength(1)
})

test('there is no instant in the year 10000, which no date-time can express', () => {
  const beforeMs = Date.parse('9999-12-29T12:00:00Z')
  const daily: Timing = { ...timing('', 'UTC'), cron: null, everyMs: 86_400_000 }
  expect(instantsAfter(daily, beforeMs, 20)).toEqual([Date.parse('9999-12-30T00:00:00Z')])
  expect(instantsAfter(timing('0 0 1 1 *', 'UTC'), beforeMs, 20)).toEqual([])
})

test('the previous instants are the next ones in reverse', () => {
  const fromMs = Date.parse('2026-01-01T00:00:00Z')
  for (const cron of ['30 2 * * *', '*/7 * * * *', '0 0 L * *', '15 3 * * 1#2', '0-59 2 * * *']) {
    const instants = instantsAfter(timing(cron), fromMs, 300)
    const lastMs = instants.at(-1) ?? 0
    expect(instantsOf(timing(cron)).last(200, lastMs)).toEqual(instants.slice(-200))
    expect(instantsOf(timing(cron)).last(1, lastMs - 1)).toEqual(instants.slice(-2, -1))
    expect(instantsOf(timing(cron)).count(instants[0] ?? 0, lastMs)).toBe(300)
  }
})

const decade = { fromMs: Date.parse('2018-01-01T00:00:00Z'), toMs: Date.parse('2028-01-01T00:00:00Z') }
const dayMs = 86_400_000
const hourMs = 3_600_000
/** Expressions that fire more often a day are only compared around each change of the clock, and in a part of each year. */
const perDayMax = 3

function spansOf(cron: string, changes: readonly number[]): { fromMs: number; toMs: number }[] {
  const sample = instantsAfter(timing(cron, 'UTC'), decade.fromMs, 60)
  const [first = 0, last = first] = [sample.at(0), sample.at(-1)]
  const perDay = ((sample.length - 1) * dayMs) / (last - first)
  if (perDay <= perDayMax) return [decade]
  const reachMs = perDay > 5_000 ? hourMs / 30 : perDay > 200 ? 3 * hourMs : perDay > 24 ? 9 * hourMs : dayMs
  return [
    ...changes.map((ms) => ({ fromMs: ms - reachMs, toMs: ms + reachMs })),
    ...Array.from({ length: 10 }, (_, year) => {
      const fromMs = decade.fromMs + (365 * year + 37 * (year % 9)) * dayMs
      return { fromMs, toMs: fromMs + (perDay > 24 ? reachMs : 7 * dayMs) }
    }),
  ]
}

const pairsOfSuite = 15

test('every expression in every zone has the instants that another implementation finds', () => {
  const { seed } = seeded('schedule instants')
  const pairs = cronExpressions.flatMap((cron) => timeZones.map((zone) => ({ cron, zone })))
  const pairCount = Math.min(pairs.length, Math.round(pairsOfSuite * testScale))
  // A step that shares no divisor with the number of pairs visits each pair once.
  const step = 3_001
  const stretches = new Map<string, ReturnType<typeof offsetPeriodsOf>>()
  let comparedCount = 0
  for (let n = 0; n < pairCount; n += 1) {
    const { cron, zone } = pairs[(seed + n * step) % pairs.length] as (typeof pairs)[number]
    const stretchesOfZone =
      stretches.get(zone) ?? offsetPeriodsOf(zone, decade.fromMs - 2 * dayMs, decade.toMs + 2 * dayMs)
    stretches.set(zone, stretchesOfZone)
    const instants = instantsOf(timing(cron, zone))
    for (const span of spansOf(cron, changesOf(stretchesOfZone))) {
      const expected = expectedInstants(cron, stretchesOfZone, span)
      const actual: number[] = []
      for (let at = instants.next(span.fromMs - 1); at !== null && at < span.toMs; at = instants.next(at))
        actual.push(at)
      comparedCount += actual.length
      const difference = expected.find((ms, index) => ms !== actual[index]) ?? actual[expected.length]
      if (difference !== undefined) {
        throw new Error(`${cron} in ${zone} differs at ${new Date(difference).toISOString()}`)
      }
    }
  }
  process.stderr.write(`schedule instants: ${pairCount} pairs, ${comparedCount} instants, 0 differ\n`)
  expect(comparedCount).toBeGreaterThan(pairCount)
}, 14_400_000)
