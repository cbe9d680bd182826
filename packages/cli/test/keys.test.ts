import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { databaseOf, findKeys, parseApiKey } from '@queue/core/internal'
import { createWorld, type Ran, type World } from './support/world.ts'

let world: World

beforeAll(async () => {
  world = await createWorld()
})

afterAll(() => world.close())

const run = (line: string, env: Readonly<Record<string, string>> = {}): Promise<Ran> =>
  world.run('database', line.split(' '), { env })

async function done(line: string): Promise<string> {
  const { code, stdout, stderr } = await run(line)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return stdout.trimEnd()
}

interface ListedKey {
  readonly id: string
}

const listed = async (id: string | undefined): Promise<ListedKey | undefined> =>
  (JSON.parse(await done('keys list --json')) as { data: ListedKey[] }).data.find((key) => key.id === id)

test('a key is created, shown once, listed without its secret, rotated and revoked', async () => {
  const text = await done('keys create shop --role enqueue')
  const presented = parseApiKey(text)
  const id = presented?.id ?? ''
  expect(presented?.digest).toEqual((await findKeys(databaseOf(world.database.queue), [id])).get(id)?.digest)
  expect(await done('keys list')).toMatch(new RegExp(`^${id} +shop +enqueue`, 'm'))
  expect(JSON.stringify(await listed(id))).not.toContain(text.slice('queue_abcd1234_'.length, -8))

  const rotated = JSON.parse(await done(`keys rotate ${id} --grace 1h --json`))
  expect(rotated).toEqual({ id: parseApiKey(rotated.key)?.id, key: expect.any(String), replaces: id })
  expect(await done(`keys revoke ${id}`)).toBe(`${id} is revoked`)
  expect(await listed(id)).toMatchObject({ name: 'shop', role: 'enqueue', revoked_at: expect.any(String) })
  expect(await listed(rotated.id)).toMatchObject({ name: 'shop', replaces: id, revoked_at: null })
})

test('each change is in the audit log, in the name of the database role', async () => {
  const { id } = JSON.parse(await done('keys create audited --role read --json'))
  const { id: next } = JSON.parse(await done(`keys rotate ${id} --json`))
  await done(`keys revoke ${next}`)
  const { entries } = await world.database.queue.audit.list({ limit: 3 })
  expect(entries).toMatchObject([
    { act: 'key.revoke', target: next, actorType: 'role' },
    { act: 'key.rotate', target: id, actorType: 'role' },
    { act: 'key.create', target: id, actorType: 'role' },
  ])
})

test('a key has further permissions, bounds, a lifetime and a rate, and is listed with them', async () => {
  const bounds = '--tenant acme --queue mail,push --queue sms --kind send_email'
  const text = await done(
    `keys create bound --role read --permission jobs:enqueue,payload:read --expires-in 90d --rate-limit 100/60/20 ${bounds}`,
  )
  const key = await listed(parseApiKey(text)?.id)
  expect(key).toMatchObject({
    permissions: ['jobs:enqueue', 'payload:read'],
    tenant_id: 'acme',
    queues: ['mail', 'push', 'sms'],
    kinds: ['send_email'],
    rate: { count: 100, per_seconds: 60, burst: 20 },
  })
  const { created_at: from, expires_at: to } = key as unknown as { created_at: string; expires_at: string }
  expect(Date.parse(to) - Date.parse(from)).toBe(90 * 86_400_000)
  expect(await done('keys list')).toMatch(/tenant acme; queues mail,push,sms; kinds send_email +100\/60\/20/)
})

test.each([
  ['keys create', 2, /the argument NAME is missing/],
  ['keys create shop', 2, /a key needs a role\n {2}give --role: enqueue, read, operate, admin/],
  ['keys create shop --role root', 2, /--role "root" is not one of enqueue, read, operate, admin/],
  ['keys create shop --role read --permission all', 2, /--permission "all" is not one of jobs:enqueue/],
  ['keys create shop --role read --expires-in 0d', 2, /--expires-in "0d" is not a duration above 0/],
  ['keys create shop --role read --expires-in 10000d', 2, /is not a duration above 0 and up to 9999d/],
  ['keys create shop --role read --tenant=', 2, /tenant/],
  ['keys create shop --role read --queue Q', 2, /queues/],
  ['keys create shop --role read --kind K', 2, /kinds/],
  ['keys create shop --role read --tenant t --permission ops:read', 2, /ops:read reaches beyond the bounds/],
  ['keys rotate nothing0', 4, /no valid key nothing0.*\n {2}queue keys list shows the API keys/],
  ['keys revoke nothing0', 4, /queue keys list shows the API keys/],
])('%s is refused with %d', async (line, code, message) => {
  expect(await run(line)).toMatchObject({ code, stdout: '', stderr: expect.stringMatching(message) })
})

test.each(['5', '0/1', '1/0', '1/1/0', '1.5/1', '1/86401', '1000001/1', '1000/1/99', '1/1/'])(
  'a key cannot have the rate %s',
  async (rate) => {
    expect(await run(`keys create shop --role read --rate-limit ${rate}`)).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('is not a rate; a rate is COUNT/SECONDS'),
    })
  },
)

describe('only the owner of the tables', () => {
  test.each(['api', 'worker', 'readonly', 'enqueue'] as const)(
    'creates and rotates: not %s',
    async (role) => {
      const { id } = JSON.parse(await done('keys create shop --role enqueue --json'))
      for (const line of ['keys create mine --role admin', `keys rotate ${id}`]) {
        expect(await run(line, { DATABASE_URL: world.database.urlAs(role) })).toMatchObject({
          code: 6,
          stdout: '',
        })
      }
      expect(JSON.parse(await done('keys list --json')).data[0]).toMatchObject({ id })
    },
  )

  test.each(['keys create shop --role read', 'keys rotate abcd1234'])(
    'runs %s, so it needs the database',
    async (line) => {
      expect(await world.run('api', line.split(' '))).toEqual({
        code: 2,
        stdout: '',
        stderr:
          'queue: the API cannot create or rotate keys, because its database role must not\n' +
          '  set DATABASE_URL, or give --database URL, with the role that owns the tables\n',
      })
    },
  )

  test('is asked where the environment names the API as well', async () => {
    const { code, stdout } = await world.run('api', ['keys', 'create', 'shop', '--role', 'read'], {
      env: world.env.database,
    })
    expect({ code, key: parseApiKey(stdout.trim()) }).toMatchObject({
      code: 0,
      key: { id: expect.any(String) },
    })
  })
})
