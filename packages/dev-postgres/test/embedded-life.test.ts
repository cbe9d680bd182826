import { once } from 'node:events'
import { access, chmod, mkdtemp, readFile, rm, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, expect, test } from '@jest/globals'
import { sweepStaleServers } from '../src/embedded/sweep-stale-servers.ts'
import { freePort, startEmbeddedPostgres } from '../src/index.ts'
import { eventually } from '../src/index.ts'
import { answers, type HeldServer, type HoldOptions, holdServer, query } from './held-server.ts'

const cleanUps: (() => Promise<unknown>)[] = []

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

async function hold(options: HoldOptions): Promise<HeldServer> {
  const server = await holdServer(options)
  cleanUps.push(() => server.end())
  return server
}

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'life-'))
  await chmod(folder, 0o755) // Otherwise a server started by root could not use it.
  cleanUps.push(() => rm(folder, { recursive: true, force: true }))
  return path.join(folder, 'postgres')
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  )
}

async function killSupervisor(directory: string): Promise<void> {
  const { supervisor } = JSON.parse(await readFile(path.join(directory, 'owner.json'), 'utf8'))
  process.kill(supervisor, 'SIGKILL')
}

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  test(`${signal} to the starter's process group leaves the server up until the starter stops it`, async () => {
    const server = await hold({})
    process.kill(-(server.child.pid as number), signal)
    expect(await server.nextLine()).toBe(`served after ${signal}`)
    const [code] = await once(server.child, 'exit')
    expect(code).toBe(0)
    expect(await answers(server.url)).toBe(false)
    expect(await exists(server.directory)).toBe(false)
  })
}

test('if the starter is killed, its server stops and its temporary data is removed', async () => {
  const server = await hold({})
  process.kill(-(server.child.pid as number), 'SIGKILL')
  await eventually(async () => !(await answers(server.url)), { what: 'the end of the server' })
  await eventually(async () => !(await exists(server.directory)), { what: 'the removal of its files' })
})

test('a server whose supervisor was killed is stopped by the next start on its data, without data loss', async () => {
  const directory = await newFolder()
  const first = await hold({ directory })
  await query(first.url, 'CREATE TABLE kept AS SELECT 1 AS one')
  await killSupervisor(directory)
  expect(await answers(first.url)).toBe(true)
  const second = await hold({ directory })
  expect(await answers(first.url)).toBe(false)
  expect((await query(second.url, 'SELECT one FROM kept')).rows).toEqual([{ one: 1 }])
})

test('a temporary server is not removed while it is in use, but when its supervisor was killed', async () => {
  const server = await hold({})
  const anHourAgo = new Date(Date.now() - 3_600_000)
  await utimes(server.directory, anHourAgo, anHourAgo)
  await sweepStaleServers()
  expect(await answers(server.url)).toBe(true)
  await killSupervisor(server.directory)
  await utimes(server.directory, new Date(), new Date())
  await sweepStaleServers()
  expect(await answers(server.url)).toBe(true) // Too young: its owner file might not be written yet.
  await utimes(server.directory, anHourAgo, anHourAgo)
  await sweepStaleServers()
  expect(await answers(server.url)).toBe(false)
  expect(await exists(server.directory)).toBe(false)
})

test('data in use and a port in use are refused with different messages, and without side effects', async () => {
  const running = await hold({ directory: await newFolder() })
  await expect(startEmbeddedPostgres({ directory: running.directory })).rejects.toThrow(
    /in use by process \d+/,
  )
  const directory = await newFolder()
  await expect(startEmbeddedPostgres({ directory, port: running.port })).rejects.toThrow(/could not bind/)
  expect(await answers(running.url)).toBe(true)
  const port = await freePort()
  const server = await startEmbeddedPostgres({ directory, port })
  cleanUps.push(() => server.stop())
  expect(server.port).toBe(port)
  expect(await answers(server.url)).toBe(true)
})

test('a directory that is not persistent is left unchanged', async () => {
  const directory = await newFolder()
  const server = await startEmbeddedPostgres({ directory, persistent: false })
  cleanUps.push(() => server.stop())
  expect((await query(server.url, 'SHOW fsync')).rows).toEqual([{ fsync: 'off' }])
  await server.stop()
  expect(await exists(path.join(server.directory, 'data'))).toBe(false)
  expect(await exists(path.join(server.directory, 'owner.json'))).toBe(false)
})

test('a persistent server is durable, accepts settings, and reports its end', async () => {
  const server = await startEmbeddedPostgres({ directory: await newFolder(), settings: { work_mem: '7MB' } })
  cleanUps.push(() => server.stop())
  const settings = await query(
    server.url,
    "SELECT current_setting('fsync') AS fsync, current_setting('max_connections') AS max, current_setting('work_mem') AS mem",
  )
  expect(settings.rows).toEqual([{ fsync: 'on', max: '300', mem: '7MB' }])
  await Promise.all([server.stop(), server.stop()])
  await server.ended
})
