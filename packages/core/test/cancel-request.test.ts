import { mkdtemp, rm } from 'node:fs/promises'
import { connect as dial, createServer, type Server, Socket } from 'node:net'
import { once } from 'node:events'
import { pipeline } from 'node:stream'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { skippedBehindPooler } from '@queue/dev-postgres'
import { sql } from 'kysely'
import pg from 'pg'
import { connect, type ConnectOptions } from '../src/database/connect.ts'
import { openWorld } from './support/world.ts'

const world = await openWorld()
afterAll(() => world.close())

const watching = skippedBehindPooler('what a session is at is for the pooler to say')
  ? describe.skip
  : describe

watching('a statement that is given up is cancelled on the server', () => {
  const applicationName = 'to-be-cancelled'
  const target = new URL(world.directUrl)
  let directory: string
  let door: Server

  beforeAll(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'queue-socket-'))
    // A socket of the machine, as a server beside its client has it.
    door = createServer((near) => {
      const far = dial(Number(target.port), target.hostname)
      // Each ends with the other: nothing of them may stay when the test is over.
      pipeline(near, far, near, () => undefined)
    })
    door.listen(path.join(directory, '.s.PGSQL.5432'))
    await once(door, 'listening')
  })

  afterAll(async () => {
    door.close()
    await rm(directory, { recursive: true })
  })

  const opened: pg.Pool[] = []
  afterEach(() => Promise.all(opened.splice(0).map((pool) => pool.end())))

  function callersPool(options: pg.PoolConfig): { readonly pool: pg.Pool } {
    const { username, password, pathname } = target
    const made = new pg.Pool({
      user: username,
      password,
      database: pathname.slice(1),
      application_name: applicationName,
      ...options,
    })
    opened.push(made)
    return { pool: made }
  }

  /** A way to the server that only its owner knows. */
  class OwnWay extends Socket {
    override connect(): this {
      return super.connect(Number(target.port), target.hostname)
    }
  }

  function byName(): ConnectOptions {
    const url = new URL(world.directUrl)
    url.hostname = 'localhost'
    return { connectionString: url.href, applicationName }
  }

  test.each<[string, () => ConnectOptions]>([
    ['by an address', () => ({ connectionString: world.directUrl, applicationName })],
    ['by a name', byName],
    ['by a socket of the machine', () => callersPool({ host: directory })],
    ['by a stream of the caller', () => callersPool({ host: 'nowhere.invalid', stream: () => new OwnWay() })],
  ])('that is reached %s', async (_how, optionsOf) => {
    const database = connect({ ...optionsOf(), queryTimeoutMs: 300 })
    await expect(database.run(sql`SELECT pg_sleep(60)`)).rejects.toMatchObject({
      code: 'database_unavailable',
      cause: { message: 'Query read timeout', answered: true, cause: { code: '57014' } },
    })
    const asleep = `SELECT FROM pg_stat_activity WHERE application_name = $1 AND wait_event = 'PgSleep'`
    expect(await world.sql(asleep, [applicationName])).toEqual([])
    await database.close()
  })

  test('and whoever waits is told when no such request can be made', async () => {
    const own = callersPool({ host: target.hostname, port: Number(target.port) })
    own.pool.on('connect', (client) => Object.assign(client, { processID: null }))
    const database = connect({ ...own, queryTimeoutMs: 300 })
    await expect(database.run(sql`SELECT pg_sleep(1)`)).rejects.toMatchObject({
      code: 'database_unavailable',
      cause: { answered: false },
    })
    await database.close()
  })
})
