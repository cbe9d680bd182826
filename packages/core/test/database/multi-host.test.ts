import { once } from 'node:events'
import { type Server, type Socket, connect as connectTo, createServer } from 'node:net'
import { afterAll, describe, expect, test } from '@jest/globals'
import { freePort, until } from '@queue/dev-postgres'
import { MultiHostClient, parseServers } from '@queue/postgres'
import { knownTimelines, learnTimelines } from '@queue/postgres/connection'
import { sql } from 'kysely'
import { type ConnectedDatabase, connect } from '../../src/database/connect.ts'
import { migrateUp, migrationStatus } from '../../src/facade/manage-schema.ts'
import { startEndingServer } from '../support/ending-server.ts'
import { startTwoServers, urlOf } from '../support/two-servers.ts'

const servers = await startTwoServers()
afterAll(() => servers.close())

/** Runs `work` with a pool that connects to `url`. */
async function withDatabase<Result>(
  url: string,
  work: (database: ConnectedDatabase) => Promise<Result>,
): Promise<Result> {
  const database = connect({ connectionString: url, acquireTimeoutMs: 60_000, poolMax: 3 })
  try {
    return await work(database)
  } finally {
    await database.close()
  }
}

async function portOf(database: ConnectedDatabase): Promise<number> {
  const [row] = await database.run(sql<{ port: number }>`SELECT inet_server_port() AS port`)
  return row?.port ?? 0
}

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

describe('a URL with several hosts', () => {
  test('connects to the first server that accepts writes: after a closed port, a silent server and a read-only one', async () => {
    const visitors: Socket[] = []
    const silent = createServer((socket) => visitors.push(socket))
    const { first, second } = servers
    const url = urlOf([await freePort(), await listen(silent), second.port, first.port])
    try {
      expect(await withDatabase(url, portOf)).toBe(first.port)
    } finally {
      silent.close()
      for (const socket of visitors) socket.destroy()
    }
  })

  test('connects to the server that has taken over, without a restart', async () => {
    const { first, second, url } = servers
    await withDatabase(url, async (database) => {
      const write = () => database.run(sql`CREATE TABLE IF NOT EXISTS written (id int)`)
      await write()
      expect(await portOf(database)).toBe(first.port)
      await servers.setWritable(second)
      await until('the statement that is refused has cost its connection', async () => {
        await write().catch((error: unknown) => expect(error).toMatchObject({ code: 'database_unavailable' }))
        return (await portOf(database)) === second.port
      })
      // An old primary that is restarted beside the new one accepts writes too.
      await servers.setWritable(first, second)
      expect(await withDatabase(url, portOf)).toBe(second.port)
    })
    await servers.setWritable(first)
  })

  test('without a server that accepts writes is database_unavailable, with the reason for each', async () => {
    const { second } = servers
    const closed = await freePort()
    const failure = await withDatabase(urlOf([closed, second.port]), portOf).catch((error: unknown) => error)
    expect(failure).toMatchObject({ code: 'database_unavailable' })
    const { message } = (failure as { cause: Error }).cause
    expect(message).toMatch(
      new RegExp(`127.0.0.1:${closed}: .*ECONNREFUSED.*127.0.0.1:${second.port}: does not accept writes`),
    )
    expect(message).not.toContain('of-both')
  })

  test('stops at the first server that refuses the user', async () => {
    const { first, second } = servers
    const url = urlOf([second.port, first.port]).replace('of-both', 'wrong')
    await expect(withDatabase(url, portOf)).rejects.toMatchObject({ cause: { code: '28P01' } })
  })

  test('searches once for connections that are made at the same time', async () => {
    const { first, second } = servers
    let questions = 0
    const counting = createServer((socket) => {
      questions += 1
      socket.pipe(connectTo(second.port, '127.0.0.1')).pipe(socket)
    })
    const url = urlOf([await listen(counting), first.port])
    await withDatabase(url, async (database) => {
      const ports = await Promise.all([portOf(database), portOf(database), portOf(database)])
      expect(ports).toEqual([first.port, first.port, first.port])
    })
    expect(questions).toBe(1)
    counting.close()
  })

  test('survives a connection that ends right after it was made', async () => {
    const ending = await startEndingServer()
    const failure = await withDatabase(urlOf([ending.port, await freePort()]), portOf).catch(
      (error: unknown) => error,
    )
    await ending.close()
    expect(failure).toMatchObject({ code: 'database_unavailable' })
  })

  test('is migrated on the server that accepts writes', async () => {
    const connectionString = urlOf([servers.second.port, servers.first.port])
    expect(await migrateUp({ connectionString })).toMatchObject({ from: 0 })
    expect(await migrationStatus({ connectionString: urlOf([servers.first.port]) })).toMatchObject({
      databaseVersion: 1,
    })
  })
})

describe('target_session_attrs', () => {
  test('read-write refuses a single host that accepts no writes', async () => {
    const url = `${urlOf([servers.second.port])}?target_session_attrs=read-write`
    await expect(withDatabase(url, portOf)).rejects.toMatchObject({ code: 'database_unavailable' })
    expect(await withDatabase(urlOf([servers.second.port]), portOf)).toBe(servers.second.port)
  })

  test('any takes the first that answers', async () => {
    const url = `${urlOf([await freePort(), servers.second.port])}?target_session_attrs=any`
    expect(await withDatabase(url, portOf)).toBe(servers.second.port)
  })

  test('primary takes the first that is not a standby', async () => {
    const url = `${urlOf([servers.second.port])}?target_session_attrs=primary`
    expect(await withDatabase(url, portOf)).toBe(servers.second.port)
  })
})

test('a client of a URL with one host makes one connection, and sends no query about it', async () => {
  const client = new MultiHostClient({ connectionString: urlOf([servers.first.port]) })
  const sent: string[] = []
  const query = client.query.bind(client)
  client.query = ((...args: Parameters<typeof query>) => {
    sent.push(args[0])
    return query(...args)
  }) as typeof client.query
  await client.connect()
  await client.end()
  expect(sent).toEqual([])
})

describe('the hosts of a URL', () => {
  const read = (url: string) => {
    const parsed = parseServers(url)
    return 'fault' in parsed ? parsed.fault : [parsed.accept, ...parsed.urls]
  }

  test.each([
    ['postgres://u:p@a/db', ['any', 'postgres://u:p@a/db']],
    ['postgres://u:p@a,b/db', ['read-write', 'postgres://u:p@a/db', 'postgres://u:p@b/db']],
    ['postgresql://a:1,[::1]:2', ['read-write', 'postgresql://a:1', 'postgresql://[::1]:2']],
    [
      'postgres://u:p%40@a:1,b/db?x=1#y',
      ['read-write', 'postgres://u:p%40@a:1/db?x=1', 'postgres://u:p%40@b/db?x=1'],
    ],
    ['postgres://a,b/db?target_session_attrs=any&x=1', ['any', 'postgres://a/db?x=1', 'postgres://b/db?x=1']],
    ['postgres://u@/db?host=a,b&port=1,2', ['read-write', 'postgres://u@a:1/db', 'postgres://u@b:2/db']],
    ['postgres://u@/db?host=a,b&port=7', ['read-write', 'postgres://u@a:7/db', 'postgres://u@b:7/db']],
    [
      'postgres://u@/db?host=/run/x,/run/y',
      ['read-write', 'postgres://u@%2Frun%2Fx/db', 'postgres://u@%2Frun%2Fy/db'],
    ],
    ['postgres://a/db?target_session_attrs=primary', ['primary', 'postgres://a/db']],
    ['postgres://a/db?sslmode=verify-full', ['any', 'postgres://a/db?sslmode=verify-full']],
    ['postgres://u@/db?host=/run/x', ['any', 'postgres://u@/db?host=/run/x']],
  ])('%s', (url, expected) => {
    expect(read(url)).toEqual(expected)
  })

  test.each([
    ['postgres://a,,b/db', 'an empty host'],
    ['postgres://a,b/db?target_session_attrs=standby', 'target_session_attrs=standby'],
    ['postgres://a/db?target_session_attrs=prefer-standby', 'target_session_attrs=prefer-standby'],
    ['postgres://a,b/db?load_balance_hosts=random', 'load_balance_hosts=random'],
    ['postgres:///db?host=a,b,c&port=1,2', 'fewer ports than hosts'],
  ])('%s is refused by name', (url, fault) => {
    expect(read(url)).toContain(fault)
  })
})

test('an old primary is refused once its successor was found, unless it is the only host', async () => {
  const { first } = servers
  const url = urlOf([first.port, await freePort()])
  expect(await withDatabase(url, portOf)).toBe(first.port)
  const [cluster] = await withDatabase(url, (database) =>
    database.run(sql<{ id: string }>`SELECT system_identifier::text AS id FROM pg_control_system()`),
  )
  const found = { cluster: cluster?.id ?? '', number: 1 }
  expect(knownTimelines(url)).toContainEqual(found)
  learnTimelines([{ ...found, number: 2 }], url)
  const failure = await withDatabase(url, portOf).catch((error: unknown) => error)
  expect(failure).toMatchObject({ code: 'database_unavailable' })
  expect((failure as { cause: Error }).cause.message).toContain(
    `127.0.0.1:${first.port}: is an old primary: it is on timeline 1, and its successor on 2 was found before`,
  )
  // What is older than what is known changes nothing.
  learnTimelines([found], url)
  await expect(withDatabase(url, portOf)).rejects.toMatchObject({ code: 'database_unavailable' })
  expect(await withDatabase(urlOf([first.port]), portOf)).toBe(first.port)
  // A copy of a cluster, such as a staging system, has its system identifier, and is not its successor.
  expect(await withDatabase(urlOf([first.port, await freePort()]), portOf)).toBe(first.port)
})
