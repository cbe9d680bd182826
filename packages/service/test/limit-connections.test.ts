import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterEach, expect, test } from '@jest/globals'
import { eventually } from '@queue/testing'
import { keepConnection, limitConnections } from '../src/index.ts'

const servers: Server[] = []
const sockets: Socket[] = []

afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy()
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

async function start(connectionsMax: number, listener: RequestListener): Promise<Server> {
  const server = createServer(listener)
  servers.push(server)
  limitConnections(server, connectionsMax)
  // Each connection of a test is awaited separately.
  server.setMaxListeners(0)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}

interface Client {
  readonly socket: Socket
  /** Sends a request. Resolves with the whole response. */
  request(): Promise<string>
  readonly isClosed: () => boolean
}

/** Opens a connection, and waits until the server has accepted it. */
async function open(server: Server): Promise<Client> {
  const { port } = server.address() as AddressInfo
  const socket = connect(port, '127.0.0.1')
  sockets.push(socket)
  socket.on('error', () => undefined)
  let received = ''
  let closed = false
  socket.on('data', (chunk) => (received += String(chunk)))
  socket.on('close', () => (closed = true))
  await Promise.all([once(socket, 'connect'), once(server, 'connection')])
  const request = async (): Promise<string> => {
    received = ''
    socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
    return eventually(() => (received.endsWith('done') ? received : undefined), { what: 'an answer' })
  }
  return { socket, request, isClosed: () => closed }
}

const serve: RequestListener = (_request, response) => void response.end('done')

test('the connection that has been silent for longest gives way to a new one', async () => {
  const server = await start(3, serve)
  const silent = [await open(server), await open(server), await open(server)]
  const late = await open(server)
  expect(await late.request()).toContain('200 OK')
  await eventually(() => silent[0]?.isClosed())
  expect(silent.map(({ isClosed }) => isClosed())).toEqual([true, false, false])
})

test('one that was answered recently has been idle for a shorter time than one without requests', async () => {
  const server = await start(2, serve)
  const idle = await open(server)
  const silent = await open(server)
  await idle.request()
  const late = await open(server)
  await eventually(() => silent.isClosed())
  expect(await idle.request()).toContain('200 OK')
  // Now the last connection has been idle for the longest time.
  expect(await (await open(server)).request()).toContain('200 OK')
  await eventually(() => late.isClosed())
  expect(idle.isClosed()).toBe(false)
})

test('one with headers that do not end is idle', async () => {
  const server = await start(1, serve)
  const slow = await open(server)
  slow.socket.write('GET / HTTP/1.1\r\nHost: localhost\r\nX: ')
  expect(await (await open(server)).request()).toContain('200 OK')
  await eventually(() => slow.isClosed())
})

test('one whose caller is known is kept until its response; if all are kept, the new one is refused', async () => {
  const pendingResponses: (() => void)[] = []
  const server = await start(2, ({ socket }, response) => {
    keepConnection(socket)
    pendingResponses.push(() => response.end('done'))
  })
  const working = [await open(server), await open(server)]
  const answers = working.map((client) => client.request())
  await eventually(() => pendingResponses.length === 2)
  for (let count = 0; count < 5; count += 1) {
    const refused = await open(server)
    await eventually(() => refused.isClosed())
  }
  for (const release of pendingResponses.splice(0)) release()
  for (const answer of await Promise.all(answers)) expect(answer).toContain('200 OK')
  // When they are idle, they are closed.
  const late = await open(server)
  const answered = late.request()
  await eventually(() => pendingResponses.length === 1)
  pendingResponses[0]?.()
  expect(await answered).toContain('200 OK')
})

test('one with pipelined requests is busy until the last is answered', async () => {
  const pendingResponses: (() => void)[] = []
  const server = await start(1, ({ socket }, response) => {
    keepConnection(socket)
    pendingResponses.push(() => response.end('done'))
  })
  const pipelined = await open(server)
  pipelined.socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(2))
  await eventually(() => pendingResponses.length === 2)
  pendingResponses[0]?.()
  const refused = await open(server)
  await eventually(() => refused.isClosed())
  expect(pipelined.isClosed()).toBe(false)
  pendingResponses[1]?.()
  const late = await open(server)
  await eventually(() => pipelined.isClosed())
  expect(late.isClosed()).toBe(false)
})

test('of those that work for a caller who is not known, the one with the oldest request gives way', async () => {
  const server = await start(3, ({ url, socket }, response) => {
    if (url === '/known') keepConnection(socket)
    if (url === '/') response.end('done')
  })
  const send = async ({ socket }: Client, path: string): Promise<void> => {
    socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
    await once(server, 'request')
  }
  const [known, first, second] = [await open(server), await open(server), await open(server)]
  await send(known, '/known')
  await send(first, '/stalled')
  await send(second, '/stalled')
  expect(await (await open(server)).request()).toContain('200 OK')
  await eventually(() => first.isClosed())
  expect([known, second].map(({ isClosed }) => isClosed())).toEqual([false, false])
})

test('of two hundred at the same time, as many as allowed stay open', async () => {
  const server = await start(10, serve)
  await Promise.all(Array.from({ length: 200 }, () => open(server)))
  const count = (): Promise<number> =>
    new Promise((resolve) => server.getConnections((_error, connections) => resolve(connections)))
  await eventually(async () => (await count()) <= 10)
  expect(await (await open(server)).request()).toContain('200 OK')
})
