import { createServer, type Server } from 'node:http'
import { afterEach, describe, expect, test } from '@jest/globals'
import { bindServer } from '../src/bind-server.ts'
import { checkHealth, type HealthCheckOptions } from '../src/health-check.ts'

const servers: Server[] = []

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

/** A server that answers each of these paths with its status, and never answers other paths. */
async function startEndpoints(
  endpoints: Readonly<Record<string, number>>,
  host = '127.0.0.1',
): Promise<number> {
  const server = createServer((request, response) => {
    const status = endpoints[request.url ?? '']
    if (status !== undefined) response.writeHead(status).end('{"status":"as asked"}\n')
  })
  servers.push(server)
  return bindServer(server, { host, port: 0 })
}

const check = (address: string | undefined, overrides: Partial<HealthCheckOptions> = {}) =>
  checkHealth({
    variable: 'BIND_ADDR',
    addressDefault: '127.0.0.1:1',
    env: { BIND_ADDR: address },
    endpoint: '/livez',
    ...overrides,
  })

describe('a health check', () => {
  test('is healthy only if the endpoint answers with 200, and prints the answer', async () => {
    const port = await startEndpoints({ '/livez': 200, '/readyz': 503, '/moved': 302 })
    const address = `127.0.0.1:${port}`
    expect(await check(address)).toEqual({ healthy: true, text: '200 {"status":"as asked"}' })
    expect(await check(address, { endpoint: '/readyz' })).toEqual({
      healthy: false,
      text: '503 {"status":"as asked"}',
    })
    expect(await check(address, { endpoint: '/moved' })).toMatchObject({ healthy: false })
  })

  test.each(['0.0.0.0', 'localhost'])('reaches a process that listens on %s', async (host) => {
    const port = await startEndpoints({ '/livez': 200 }, host)
    expect(await check(`${host}:${port}`)).toMatchObject({ healthy: true })
  })

  test('uses the default address if the variable is unset or empty', async () => {
    const addressDefault = `127.0.0.1:${await startEndpoints({ '/livez': 200 })}`
    expect(await check(undefined, { addressDefault })).toMatchObject({ healthy: true })
    expect(await check(' ', { addressDefault })).toMatchObject({ healthy: true })
  })

  test('is unhealthy, with the reason, if nothing listens', async () => {
    const result = await check('127.0.0.1:1')
    expect(result).toMatchObject({ healthy: false, text: expect.stringContaining('ECONNREFUSED') })
  })

  test('is unhealthy if no answer comes in time', async () => {
    const port = await startEndpoints({})
    expect(await check(`127.0.0.1:${port}`, { timeoutMs: 100 })).toEqual({
      healthy: false,
      text: 'no answer within 100 ms',
    })
  })

  test('is unhealthy if the address is invalid', async () => {
    expect(await check('8080')).toEqual({ healthy: false, text: 'BIND_ADDR is not of the form host:port' })
  })
})
