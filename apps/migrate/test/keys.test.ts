import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { findKeys, parseApiKey, databaseOf } from '@queue/core/internal'
import { createTestDatabase, type TestDatabase } from '@queue/testing'
import { runMigrate } from './run-migrate.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
})

afterAll(() => database.close())

async function run(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await runMigrate(args, { DATABASE_URL: database.url })
  expect([code, stderr]).toEqual([0, ''])
  return stdout.trimEnd()
}

test('a key is created, shown once, listed without its secret, rotated and revoked', async () => {
  const text = await run('keys', 'create', '--name', 'shop', '--role', 'enqueue')
  const presented = parseApiKey(text)
  const id = presented?.id ?? ''
  expect(presented?.digest).toEqual((await findKeys(databaseOf(database.queue), [id])).get(id)?.digest)

  const listed = await run('keys', 'list')
  expect(listed).toMatch(new RegExp(`^${id}  enqueue  "shop"  does not expire  never used$`))

  const limited = parseApiKey(
    await run('keys', 'create', '--name', 'rated', '--role', 'read', '--rate', '100/60/20'),
  )
  expect(await run('keys', 'list')).toContain(
    `${limited?.id}  read  "rated"  rate 100/60/20  does not expire`,
  )
  await run('keys', 'revoke', limited?.id ?? '')

  const rotated = JSON.parse(await run('keys', 'rotate', id, '--json'))
  expect(rotated).toMatchObject({ id: parseApiKey(rotated.key)?.id, replaces: id })

  expect(await run('keys', 'revoke', id)).toMatch(/is revoked/)
  expect(JSON.parse(await run('keys', 'list', '--json')).keys).toMatchObject([
    { id: rotated.id, replaces: id, revoked_at: null },
    { name: 'rated', rate: { count: 100, per_seconds: 60, burst: 20 } },
    { id, name: 'shop', role: 'enqueue', rate: null, revoked_at: expect.any(String) },
  ])
})

test('an invalid request is refused with one line', async () => {
  const env = { DATABASE_URL: database.url }
  const unknown = await runMigrate(['keys', 'revoke', 'nothing0'], env)
  expect(unknown).toMatchObject({ code: 1, stdout: '' })
  expect(unknown.stderr.trimEnd().split('\n')).toEqual([expect.stringContaining('there is no key nothing0')])
  const rated = await runMigrate(['keys', 'create', '--name', 'a', '--role', 'read', '--rate', '5'], env)
  expect(rated).toMatchObject({ code: 2, stdout: '' })
  expect(rated.stderr).toContain('"5" is not a rate')
})

test('a key can be restricted to a tenant, queues and kinds, and is listed with these restrictions', async () => {
  const env = { DATABASE_URL: database.url }
  const bounds = ['--tenant', 'a tenant', '--queue', 'mail', '--queue', 'push', '--kind', 'send_email']
  const created = await runMigrate(['keys', 'create', '--name', 'a', '--role', 'read', ...bounds], env)
  expect(created).toMatchObject({ code: 0 })
  const { stdout } = await runMigrate(['keys', 'list'], env)
  expect(stdout).toContain('read  tenant "a tenant"  queues mail,push  kinds send_email  "a"')
  const { keys } = JSON.parse((await runMigrate(['keys', 'list', '--json'], env)).stdout)
  expect(keys[0]).toMatchObject({ tenant_id: 'a tenant', queues: ['mail', 'push'], kinds: ['send_email'] })
})
