import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import {
  type ConnectedDatabase,
  connect,
  databaseOf,
  findKeys,
  listKeys,
  parseApiKey,
  permissionReach,
  permissions,
  revokeKey,
} from '@queue/core/internal'
import { createTestDatabase, eventually, type TestDatabase } from '@queue/testing'
import { createKey, mintKey, rotateKey } from '../src/keys/manage-keys.ts'

let database: TestDatabase
let owner: ConnectedDatabase

beforeAll(async () => {
  database = await createTestDatabase()
  owner = databaseOf(database.queue)
})

afterEach(() =>
  database.pool.query(
    'DELETE FROM queue.api_keys; DELETE FROM queue.api_key_revocations; DELETE FROM queue.audit_log',
  ),
)

afterAll(() => database.close())

async function storedKey(id: string) {
  return (await findKeys(databaseOf(database.queue), [id])).get(id)
}

async function createdKey(expiresInMs?: number) {
  const key = mintKey()
  await createKey(owner, key, { name: 'shop', role: 'enqueue', permissions: ['jobs:read'], expiresInMs })
  return key
}

describe('a key', () => {
  test('is stored only as the digest of its secret', async () => {
    const key = await createdKey()
    const { rows } = await database.pool.query('SELECT to_jsonb(k)::text AS row FROM queue.api_keys AS k')
    const secret = key.text.slice('queue_abcd1234_'.length, -8)
    expect(rows).toHaveLength(1)
    expect(rows[0].row).not.toContain(secret)
    const stored = await storedKey(key.id)
    expect(stored).toMatchObject({ permissions: ['jobs:enqueue', 'jobs:read'], revoked: false })
    expect(stored?.digest).toEqual(parseApiKey(key.text)?.digest)
  })

  test('that is written again after a lost answer is one key', async () => {
    const key = await createdKey()
    await createKey(owner, key, { name: 'shop', role: 'enqueue' })
    expect(await listKeys(owner)).toHaveLength(1)
  })

  test('cannot have the id of another key', async () => {
    const key = await createdKey()
    const sameIdKey = { ...mintKey(), id: key.id }
    await expect(createKey(owner, sameIdKey, { name: 'b', role: 'read' })).rejects.toMatchObject({
      code: 'invalid_options',
    })
  })

  test.each(['', ' ', 'n'.repeat(101)])('cannot have the name %j', async (name) => {
    await expect(createKey(owner, mintKey(), { name, role: 'read' })).rejects.toMatchObject({
      code: 'invalid_options',
    })
  })

  test.each([
    [`tenant_id = ''`, 'api_keys_tenant_check'],
    [`queues = '{}'`, 'api_keys_queues_check'],
    [`kinds = '{}'`, 'api_keys_kinds_check'],
  ])('cannot have a restriction without effect: %s', async (bound, constraint) => {
    const { id } = await createdKey()
    const bind = database.pool.query(`UPDATE queue.api_keys SET ${bound} WHERE id = '${id}'`)
    await expect(bind).rejects.toMatchObject({ constraint })
  })

  test('with restrictions has no permissions beyond them, and neither has its replacement', async () => {
    const key = mintKey()
    const bounds = { tenantId: 'acme', queues: ['mail'], kinds: ['send_email'] }
    await createKey(owner, key, { name: 'shop', role: 'admin', ...bounds })
    const replacement = mintKey()
    await rotateKey(owner, replacement, { replaces: key.id, overlapMs: 60_000 })
    for (const { id } of [key, replacement]) {
      const stored = await storedKey(id)
      expect(stored?.scope).toEqual(bounds)
      expect(stored?.permissions).toEqual(
        permissions.filter((permission) => permissionReach[permission] === 'own'),
      )
    }
    expect(await listKeys(owner)).toMatchObject([bounds, bounds])
  })

  test.each([
    ['the tenant', { tenantId: '' }],
    ['a queue', { queues: ['NO QUEUE'] }],
    ['no queue', { queues: [] }],
    ['a kind', { kinds: ['NO KIND'] }],
    ['what reaches beyond', { tenantId: 'acme', permissions: ['ops:read'] as const }],
  ])('cannot have invalid restrictions: %s', async (_what, bounds) => {
    const written = createKey(owner, mintKey(), { name: 'shop', role: 'read', ...bounds })
    await expect(written).rejects.toMatchObject({ code: 'invalid_options' })
    expect(await listKeys(owner)).toEqual([])
  })

  test('has a valid rate limit, and so has its replacement', async () => {
    const rate = { count: 100, perSeconds: 60, burst: 20 }
    const key = mintKey()
    await createKey(owner, key, { name: 'shop', role: 'enqueue', rate })
    await rotateKey(owner, mintKey(), { replaces: key.id, overlapMs: 1 })
    expect((await listKeys(owner)).map((one) => one.rate)).toEqual([rate, rate])
    for (const invalidRate of [
      '{}',
      '[]',
      '{"count": 0, "per_seconds": 1, "burst": 1}',
      '{"count": 1, "per_seconds": 1}',
    ]) {
      const bind = database.pool.query('UPDATE queue.api_keys SET rate = $1', [invalidRate])
      await expect(bind).rejects.toMatchObject({ constraint: 'api_keys_rate_check' })
    }
  })

  test.each(['api', 'worker', 'readonly'] as const)('cannot be created or rotated as %s', async (process) => {
    const { id } = await createdKey()
    const user = connect({ connectionString: database.urlAs(process) })
    await expect(createKey(user, mintKey(), { name: 'mine', role: 'admin' })).rejects.toThrow(
      'permission denied',
    )
    await expect(rotateKey(user, mintKey(), { replaces: id, overlapMs: 1 })).rejects.toThrow(
      'permission denied',
    )
    await user.close()
    expect(await listKeys(owner)).toHaveLength(1)
  })
})

test('each change of a key has one entry in the audit log, also where it is sent again', async () => {
  const request = { name: 'shop', role: 'enqueue' } as const
  const [key, next] = [mintKey(), mintKey()]
  for (const _ of [1, 2]) await createKey(owner, key, request)
  for (const _ of [1, 2]) await rotateKey(owner, next, { replaces: key.id, overlapMs: 60_000 })
  await createKey(owner, { ...mintKey(), id: key.id }, request).catch(() => undefined)
  const { entries } = await database.queue.audit.list()
  const { rows } = await database.pool.query<{ role: string }>('SELECT CURRENT_USER::text AS role')
  const role = rows[0]?.role
  expect(entries.map(({ act, target }) => [act, target])).toEqual([
    ['key.rotate', key.id],
    ['key.create', key.id],
  ])
  for (const entry of entries) {
    expect(entry).toMatchObject({ actorType: 'role', actor: role, databaseRole: role, count: 1 })
  }
})

test('a revocation is permanent and idempotent', async () => {
  const { id } = await createdKey()
  expect(await revokeKey(owner, id)).toBe('revoked')
  const [first] = await listKeys(owner)
  expect(await revokeKey(owner, id)).toBe('known')
  expect((await listKeys(owner))[0]?.revokedAt).toEqual(first?.revokedAt)
  expect(await storedKey(id)).toMatchObject({ revoked: true })
})

describe('a rotation', () => {
  test('creates a key with the same permissions, and makes the old one expire', async () => {
    const old = await createdKey()
    const key = mintKey()
    await rotateKey(owner, key, { replaces: old.id, overlapMs: 60_000 })
    await rotateKey(owner, key, { replaces: old.id, overlapMs: 60_000 })
    const keys = await listKeys(owner)
    expect(keys).toHaveLength(2)
    const replacement = keys.find(({ id }) => id === key.id)
    expect(replacement).toMatchObject({
      name: 'shop',
      role: 'enqueue',
      permissions: ['jobs:read'],
      replaces: old.id,
      expiresAt: null,
    })
    const remaining = (await storedKey(old.id))?.expiresInMs ?? 0
    expect(remaining).toBeGreaterThan(0)
    expect(remaining).toBeLessThanOrEqual(60_000)
  })

  test('of a key that expires creates one with the same lifetime', async () => {
    const old = await createdKey(5_000)
    const key = mintKey()
    await rotateKey(owner, key, { replaces: old.id, overlapMs: 1_000 })
    const stored = (await listKeys(owner)).find(({ id }) => id === key.id)
    expect(Number(stored?.expiresAt) - Number(stored?.createdAt)).toBe(5_000)
  })

  test('never extends the lifetime of a key', async () => {
    const old = await createdKey(5_000)
    await rotateKey(owner, mintKey(), { replaces: old.id, overlapMs: 60_000 })
    expect((await storedKey(old.id))?.expiresInMs).toBeLessThanOrEqual(5_000)
  })

  test('is refused for a key that was already replaced', async () => {
    const old = await createdKey()
    const replaces = old.id
    await rotateKey(owner, mintKey(), { replaces, overlapMs: 60_000 })
    const secondRotation = rotateKey(owner, mintKey(), { replaces, overlapMs: 60_000 })
    await expect(secondRotation).rejects.toMatchObject({ code: 'key_not_found' })
    expect(await listKeys(owner)).toHaveLength(2)
  })

  test('is refused to one of two that wait for the key at the same time', async () => {
    const { id: replaces } = await createdKey()
    const holder = await database.pool.connect()
    await holder.query('BEGIN')
    await holder.query('SELECT FROM queue.api_keys WHERE id = $1 FOR UPDATE', [replaces])
    const rotations = [mintKey(), mintKey()].map((key) =>
      rotateKey(owner, key, { replaces, overlapMs: 3_600_000 }),
    )
    const settled = Promise.allSettled(rotations)
    await eventually(async () => {
      const { rowCount } = await database.pool.query(
        `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`,
      )
      return rowCount === 2
    })
    await holder.query('COMMIT')
    holder.release()
    const outcomes = (await settled).map((one) => (one.status === 'fulfilled' ? 'rotated' : one.reason.code))
    expect(outcomes.toSorted((a, b) => (a < b ? -1 : 1))).toEqual(['key_not_found', 'rotated'])
    const replacements = (await listKeys(owner)).filter((key) => key.replaces === replaces)
    expect(replacements).toMatchObject([{ expiresAt: null }])
  })

  test('is refused for a key that is no longer valid', async () => {
    const revoked = await createdKey()
    await revokeKey(owner, revoked.id)
    const expired = await createdKey(-1)
    for (const replaces of [revoked.id, expired.id, 'nothing0']) {
      const rotated = rotateKey(owner, mintKey(), { replaces, overlapMs: 1 })
      await expect(rotated).rejects.toMatchObject({ code: 'key_not_found' })
    }
  })
})
