import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createWorld, type Ran, type World } from './support/world.ts'

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

const schedule = { name: 'refused', kind: 'summarize_text', payload: { text: 'a' }, every_ms: 60_000 }
const sync = { source: 'files', revision: 1, schedules: [schedule] }
/** A file of one schedule with these members too. */
const withMembers = (members: object) => ({ ...sync, schedules: [{ ...schedule, ...members }] })
const at = (member: string) => `/schedules/0/${member}`

/** Files of schedules, and the places that are wrong in them. */
const refusedFiles: readonly [object, ...string[]][] = [
  [withMembers({ maxAttempts: 5 }), at('maxAttempts: unknown field')],
  [withMembers({ expiresInMs: 5 }), at('expiresInMs: unknown field')],
  [withMembers({ retryPolicy: { type: 'fixed', base_ms: 5 } }), at('retryPolicy: unknown field')],
  [withMembers({ retry_policy: { type: 'fixed', baseMs: 5 } }), at('retry_policy/baseMs: unknown field')],
  [
    withMembers({ unique: { key: 'a', scope: 'live', onConflict: 'refuse' } }),
    at('unique/onConflict: unknown field'),
  ],
  [withMembers({ unique: { key: 'a', scope: 'window', windowMs: 5 } }), at('unique/windowMs: unknown field')],
  [withMembers({ starts_at: '2031-01-01' }), at('starts_at: must be a time in ISO 8601')],
  [withMembers({ delay_ms: 5 }), at('delay_ms: unknown field')],
  [withMembers({ timeZone: 'UTC' }), at('timeZone: unknown field')],
  [withMembers({ time_zone: 'Europe/Berlin' }), at('time_zone: requires a cron expression')],
  [withMembers({ jitter_ms: 60_000 }), at('jitter_ms: must be less')],
  [
    withMembers({ jitterMs: 1, startsAt: null }),
    at('jitterMs: unknown field'),
    at('startsAt: unknown field'),
  ],
  [withMembers({ priorty: 1 }), at('priorty: unknown field')],
  [withMembers({ payload: { text: 5 } }), at('payload/text')],
  [withMembers({ metadata: { orderId: {} } }), at('metadata/orderId')],
  [{ ...sync, prun: true }, '/prun: unknown field'],
  [{ ...sync, revision: -1 }, '/revision'],
  [{ ...sync, schedules: [schedule, schedule] }, '/schedules/1/name'],
]

test.each(refusedFiles.map(([file, ...places]) => ({ file, places })))(
  'a file of schedules is refused the same way over the API and in the database: $places',
  async ({ file, places }) => {
    const run = (backend: 'api' | 'database'): Promise<Ran> =>
      world.run(backend, ['schedules', 'sync', '-'], { input: JSON.stringify(file) })
    const inDatabase = await run('database')
    expect(inDatabase).toMatchObject({ code: 2, stdout: '' })
    for (const place of places) expect(inDatabase.stderr).toContain(place)
    expect(await run('api')).toEqual(inDatabase)
    expect(await world.database.queue.schedules.get('refused')).toBeUndefined()
  },
)

test.each([
  ['--retry-policy', '{"type":"fixed","baseMs":5}', '/retry_policy/baseMs: unknown field'],
  ['--retry-policy', '{"type":"fixed","bas_ms":5}', '/retry_policy/bas_ms: unknown field'],
  ['--retry-policy', '5', '--retry-policy'],
  ['--metadata', '{"orderId":{}}', '/metadata/orderId'],
])(
  'a job with %s %s is refused the same way over the API and in the database',
  async (option, value, place) => {
    for (const command of [['enqueue'], ['schedules', 'create', 'refused', '--every', '1h']]) {
      const args = [...command, 'summarize_text', '--payload', '{"text":"a"}', option, value]
      const inDatabase = await world.run('database', args)
      expect(inDatabase).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(place) })
      expect(await world.run('api', args)).toEqual(inDatabase)
    }
  },
)

test.each<[string[], string[]]>([
  [['--unique-scope', 'live'], ['--unique-key']],
  [['--unique-key', 'a'], ['--unique-scope']],
  [
    ['--on-conflict', 'refuse'],
    ['--unique-key', '--unique-scope'],
  ],
  [['--unique-key', 'a', '--unique-scope', 'window'], ['--unique-window']],
  [['--unique-key', 'a', '--unique-scope', 'live', '--on-conflict', 'replace'], ['--on-conflict']],
  [['--unique-key', 'a', '--unique-scope', 'live', '--unique-max-wait', '1h'], ['--unique-max-wait']],
  [['--delay', '1000000000000ms'], ['--delay']],
])('a job with %j is refused by the names of the options %j', async (options, named) => {
  const args = ['enqueue', 'summarize_text', '--payload', '{"text":"a"}', ...options, '--json']
  const inDatabase = await world.run('database', args)
  expect(inDatabase).toMatchObject({ code: 2, stdout: '' })
  const { issues } = JSON.parse(inDatabase.stderr) as { issues: { path: string }[] }
  expect(issues.map(({ path }) => path)).toEqual(named)
  expect(await world.run('api', args)).toEqual(inDatabase)
})
