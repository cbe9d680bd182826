import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { type Server, Socket, connect as dial, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pipeline } from 'node:stream'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { skippedBehindPooler } from '@queue/dev-postgres'
import { sql } from 'kysely'
import pg from 'pg'
import { type ConnectOptions, connect } from '../../src/database/connect.ts'
import { openWorld } from '../support/world.ts'

const world = await openWorld()
afterAll(() => world.close())

const describeWithSessions = skippedBehindPooler('what a session is at is for the pooler to say')
  ? describe.skip
  : describe

describeWithSessions('a statement that is given up is cancelled on the server', () => {
  const applicationName = 'to-be-cancelled'
  const target = new URL(world.directUrl)
  let directory: string
  let socketServer: Server

  beforeAll(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'queue-socket-'))
    // A Unix socket in front of the server, like that of a server on the same machine.
    socketServer = createServer((clientSocket) => {
      const serverSocket = dial(Number(target.port), target.hostname)
      // Each end closes the other: no connection may remain after the test.
      pipeline(clientSocket, serverSocket, clientSocket, () => undefined)
    })
    socketServer.listen(path.join(directory, '.s.PGSQL.5432'))
    await once(socketServer, 'listening')
  })

  afterAll(async () => {
    socketServer.close()
    await rm(directory, { recursive: true })
  })

  const pools: pg.Pool[] = []
  afterEach(() => Promise.all(pools.splice(0).map((pool) => pool.end())))

  function callersPool(options: pg.PoolConfig): { readonly pool: pg.Pool } {
    const { username, password, pathname } = target
    const pool = new pg.Pool({
      user: username,
      password,
      database: pathname.slice(1),
      application_name: applicationName,
      ...options,
    })
    pools.push(pool)
    return { pool }
  }

  /** A stream to the server that only the caller knows how to make. */
  class CallerSocket extends Socket {
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
    [
      'by a stream of the caller',
      () => callersPool({ host: 'nowhere.invalid', stream: () => new CallerSocket() }),
    ],
  ])('that is reached %s', async (_how, optionsOf) => {
    // The answer to the cancel may take half of this time, which has to be enough on a busy machine.
    const database = connect({ ...optionsOf(), queryTimeoutMs: 1_000 })
    await expect(database.run(sql`SELECT pg_sleep(60)`)).rejects.toMatchObject({
      code: 'database_unavailable',
      cause: { message: 'Query read timeout', answered: true, cause: { code: '57014' } },
    })
    const sleepingSessions = `SELECT FROM pg_stat_activity WHERE application_name = $1 AND wait_event = 'PgSleep'`
    expect(await world.sql(sleepingSessions, [applicationName])).toEqual([])
    await database.close()
  })

  test('and the caller gets an error when no cancel request can be sent', async () => {
    const callers = callersPool({ host: target.hostname, port: Number(target.port) })
    callers.pool.on('connect', (client) => Object.assign(client, { processID: null }))
    const database = connect({ ...callers, queryTimeoutMs: 300 })
    await expect(database.run(sql`SELECT pg_sleep(1)`)).rejects.toMatchObject({
      code: 'database_unavailable',
      cause: { answered: false },
    })
    await database.close()
  })
})
