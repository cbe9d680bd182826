import { Socket } from 'node:net'
import { describe, expect, test } from '@jest/globals'
import pg from 'pg'
import { besidePool, besidePoolInThread } from '../src/connections/beside-pool.ts'
import { openDatabase } from '../src/database.ts'

/** Every option of a connection that is data. It is created for each use, because node-postgres changes the object. */
const data = (): pg.PoolConfig => ({
  user: 'user',
  password: 'secret',
  host: 'db.example',
  port: 6543,
  database: 'app',
  ssl: { ca: 'an authority', cert: 'a certificate', key: 'a key' },
  options: '-c search_path=app',
  client_encoding: 'utf8',
  statement_timeout: 1_000,
  query_timeout: 2_000,
  lock_timeout: 3_000,
  idle_in_transaction_session_timeout: 4_000,
  keepAlive: true,
  keepAliveInitialDelayMillis: 5_000,
})
/** Further options of a pool, which a thread with a single connection that reads no values does not need. */
const ofConnections: pg.PoolConfig = {
  types: { getTypeParser: pg.types.getTypeParser },
  pipeline: true,
  connectionTimeoutMillis: 6_000,
  idleTimeoutMillis: 7_000,
  maxUses: 8,
  maxLifetimeSeconds: 9,
  allowExitOnIdle: true,
  verify: (_client, done) => done(),
}

describe("connections beside the caller's pool", () => {
  test('have all of its options except its size and its name', () => {
    class OwnClient extends pg.Client {}
    const sized = { max: 3, min: 1, application_name: 'app', log: () => undefined, Client: OwnClient }
    const pool = new pg.Pool({ ...data(), ...ofConnections, ...sized })
    const { onConnect: _, ...beside } = besidePool(pool)
    expect(beside).toEqual({ ...data(), ...ofConnections, Client: OwnClient })
  })

  test('have those of its options that are data in another thread too', () => {
    const pool = new pg.Pool({ ...data(), ...ofConnections, max: 3 })
    // node-postgres makes the key non-enumerable.
    void new pg.Client(pool.options)
    const config = besidePoolInThread(pool)
    expect(config).toEqual(data())
    expect(structuredClone(config)).toEqual(data())
  })

  test.each<[string, pg.PoolConfig]>([
    ['stream', { stream: () => new Socket() }],
    ['password', { password: () => 'a token' }],
    ['ssl', { ssl: { checkServerIdentity: () => undefined } }],
    ['onConnect', { onConnect: () => undefined }],
  ])('are refused in another thread for `%s`, with its name and the remedy', (name, options) => {
    const pool = new pg.Pool({ host: 'db.example', ...options })
    expect(() => besidePoolInThread(pool)).toThrow(
      expect.objectContaining({
        code: 'invalid_options',
        message: expect.stringMatching(new RegExp(`\`${name}\`.*give the worker a connectionString`)),
      }),
    )
  })

  test('are set up like its own connections', async () => {
    const events: string[] = []
    const pool = new pg.Pool({ onConnect: () => void events.push('onConnect') })
    pool.on('connect', () => void events.push('connect'))
    await Promise.resolve(besidePool(pool).onConnect?.(new pg.Client()))
    expect(events).toEqual(['onConnect', 'connect'])
  })
})

test("connections beside the queue's own pool are made only from its connection string", async () => {
  const connectionString = 'postgres://user:secret@db.example:6543/app?options=-c%20search_path%3Dapp'
  const { pool, close } = openDatabase({ connectionString, poolMax: 3, preparedStatements: true })
  expect(besidePool(pool)).toEqual({ connectionString })
  expect(besidePoolInThread(pool)).toEqual({ connectionString })
  await close()
})
