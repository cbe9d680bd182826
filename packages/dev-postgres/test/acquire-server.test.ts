import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, jest, test } from '@jest/globals'
import { acquireServer, freePort, offerSharedServer } from '../src/index.ts'
import { answers } from './held-server.ts'

const cleanUps: (() => unknown)[] = []

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

/** An environment in which nothing names a server. */
function bareEnvironment(extra: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return { PATH: process.env['PATH'], ...extra }
}

async function engine(respond: (server: Server) => void): Promise<string> {
  const server = createServer()
  respond(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  cleanUps.push(() => {
    server.close()
    server.closeAllConnections()
  })
  return `tcp://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('TEST_DATABASE_URL takes precedence, is logged once, and its server is never stopped', async () => {
  const log = jest.fn<(line: string) => void>()
  const url = 'postgres://somebody:secret@192.0.2.1/postgres'
  const environment = bareEnvironment({ TEST_DATABASE_URL: url, DOCKER_HOST: 'tcp://192.0.2.1:2375' })
  const server = await acquireServer({ environment, log })
  await server.stop()
  expect(server).toMatchObject({ url, kind: 'given' })
  expect(log).toHaveBeenCalledTimes(1)
  expect(log.mock.calls[0]?.[0]).not.toContain('secret')
})

test('after the probe of an engine that never answers, an embedded server is started', async () => {
  const log = jest.fn<(line: string) => void>()
  const host = await engine((server) => server.on('request', () => undefined))
  const server = await acquireServer({ environment: environmentOf(host), dockerProbeMs: 200, log })
  cleanUps.push(() => server.stop())
  expect(server.kind).toBe('embedded')
  expect(await answers(server.url)).toBe(true)
  expect(log.mock.calls).toEqual([[expect.stringContaining('took longer than 200 ms')]])
})

test('an engine that refuses is named as the reason for the embedded server', async () => {
  const log = jest.fn<(line: string) => void>()
  const server = await acquireServer({
    environment: environmentOf(`tcp://127.0.0.1:${await freePort()}`),
    log,
  })
  cleanUps.push(() => server.stop())
  expect(server.kind).toBe('embedded')
  expect(log.mock.calls).toEqual([[expect.stringContaining('no container')]])
})

/** Sets the engine in the environment of this process too, because the container library reads it. */
function environmentOf(dockerHost: string): NodeJS.ProcessEnv {
  const before = process.env['DOCKER_HOST']
  process.env['DOCKER_HOST'] = dockerHost
  cleanUps.push(() => {
    if (before === undefined) delete process.env['DOCKER_HOST']
    else process.env['DOCKER_HOST'] = before
  })
  return bareEnvironment({ DOCKER_HOST: dockerHost })
}

test('the processes of a run share one server, which is started by the first one and stopped at the end', async () => {
  const stop = jest.fn(async () => undefined)
  const start = jest.fn(async () => ({ url: 'postgres://shared/postgres', kind: 'embedded' as const, stop }))
  const offer = await offerSharedServer(start)
  const environment = bareEnvironment(offer.environment)
  expect(start).not.toHaveBeenCalled()
  const servers = await Promise.all([acquireServer({ environment }), acquireServer({ environment })])
  for (const server of servers) {
    expect(server.url).toBe('postgres://shared/postgres')
    await server.stop()
  }
  expect(start).toHaveBeenCalledTimes(1)
  expect(stop).not.toHaveBeenCalled()
  await offer.stop()
  expect(stop).toHaveBeenCalledTimes(1)
})

test('if the server of a run cannot be started, every process gets the reason', async () => {
  const offer = await offerSharedServer(async () => {
    throw new Error('initdb failed: disk full')
  })
  cleanUps.push(() => offer.stop())
  const environment = bareEnvironment(offer.environment)
  await expect(acquireServer({ environment })).rejects.toThrow('disk full')
})

test('an unused offer stops nothing', async () => {
  const start = jest.fn(async () => {
    throw new Error('must not be called')
  })
  const offer = await offerSharedServer(start)
  await offer.stop()
  expect(start).not.toHaveBeenCalled()
})
