import { once } from 'node:events'
import {
  Agent,
  createServer,
  get,
  type IncomingMessage,
  request,
  type RequestListener,
  type Server,
} from 'node:http'
import { connect, type Socket } from 'node:net'
import { afterEach, describe, expect, test } from '@jest/globals'
import { closeHttpServer, ExitError, listen } from '../src/index.ts'

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

function createTestServer(onRequest?: RequestListener): Server {
  const server = createServer(onRequest)
  servers.push(server)
  return server
}

const local = { host: '127.0.0.1', port: 0, variable: 'API_BIND_ADDR' }

describe('listen', () => {
  test('resolves with the chosen port and a URL', async () => {
    const address = await listen(createTestServer(), local)
    expect(address.port).toBeGreaterThan(0)
    expect(address.url).toBe(`http://127.0.0.1:${address.port}`)
  })

  test('resolves with a usable URL for a wildcard address', async () => {
    expect((await listen(createTestServer(), { ...local, host: '0.0.0.0' })).url).toMatch(
      /^http:\/\/localhost:/,
    )
  })

  test('a port in use is one line that names the variable, with exit code 1', async () => {
    const { port } = await listen(createTestServer(), local)
    const second = listen(createTestServer(), { ...local, port })
    await expect(second).rejects.toThrow(ExitError)
    await expect(second).rejects.toMatchObject({
      exitCode: 1,
      message:
        `API_BIND_ADDR: cannot listen on 127.0.0.1:${port}: the port is in use; ` +
        'stop the process that holds it, or set API_BIND_ADDR to another port',
    })
  })

  test.each([
    ['192.0.2.1', '192.0.2.1:8080'],
    ['2001:db8::1', '[2001:db8::1]:8080'],
  ])('an address of another machine (%s) is also one line', async (host, shown) => {
    await expect(listen(createTestServer(), { ...local, host, port: 8080 })).rejects.toThrow(
      `API_BIND_ADDR: cannot listen on ${shown}: `,
    )
  })
})

describe('closeHttpServer', () => {
  async function open(port: number): Promise<Socket> {
    const socket = connect(port, '127.0.0.1')
    await once(socket, 'connect')
    return socket
  }

  test('waits for the response to a request in flight, and then closes its kept-alive connection', async () => {
    const arrived = Promise.withResolvers<() => void>()
    const server = createTestServer((_request, response) => arrived.resolve(() => response.end('done')))
    const { port } = await listen(server, local)
    const agent = new Agent({ keepAlive: true })
    const answered = once(get({ host: '127.0.0.1', port, agent }), 'response') as Promise<[IncomingMessage]>
    const finish = await arrived.promise
    const closed = closeHttpServer(server, { graceMs: 20_000 })
    finish()
    const [response] = await answered
    response.resume()
    expect(response.statusCode).toBe(200)
    await expect(closed).resolves.toBe('drained')
    agent.destroy()
  })

  test('closes idle connections at once, including those that never sent a request', async () => {
    const server = createTestServer((_request, response) => response.end('done'))
    const { port } = await listen(server, local)
    const agent = new Agent({ keepAlive: true })
    const [response] = (await once(get({ host: '127.0.0.1', port, agent }), 'response')) as [IncomingMessage]
    response.resume()
    await once(response, 'end')
    const silent = await open(port)
    // The grace time is longer than the test.
    await expect(closeHttpServer(server, { graceMs: 3_600_000 })).resolves.toBe('drained')
    silent.destroy()
    agent.destroy()
  })

  test('cuts connections that remain after the grace time', async () => {
    const arrived = Promise.withResolvers<void>()
    const server = createTestServer(() => arrived.resolve())
    const { port } = await listen(server, local)
    const endless = request({ host: '127.0.0.1', port })
    const cut = once(endless, 'error')
    endless.end()
    await arrived.promise
    await expect(closeHttpServer(server, { graceMs: 50 })).resolves.toBe('cut')
    await cut
  })

  test('accepts no more connections', async () => {
    const server = createTestServer()
    const { port } = await listen(server, local)
    await closeHttpServer(server, { graceMs: 1_000 })
    await expect(open(port)).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  })

  test('can be called twice, and on a server that never listened', async () => {
    const server = createTestServer()
    await expect(closeHttpServer(server, { graceMs: 1_000 })).resolves.toBe('drained')
    await expect(closeHttpServer(server, { graceMs: 1_000 })).resolves.toBe('drained')
  })
})
