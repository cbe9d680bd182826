import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterEach, expect, test } from '@jest/globals'
import { eventually } from '@queue/testing'
import { serveInOrder } from '../src/index.ts'

const unansweredMax = 10
const servers: Server[] = []
const sockets: Socket[] = []

afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy()
  for (const server of servers.splice(0)) {
    server.close()
    server.closeAllConnections()
  }
})

interface Client {
  /** What the server has sent. */
  received(): string
  isClosed(): boolean
  readonly socket: Socket
}

/** Sends these bytes at once to a server with this listener. */
async function send(bytes: string, listener: RequestListener): Promise<Client> {
  const server = createServer(serveInOrder(listener, unansweredMax))
  servers.push(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  sockets.push(socket)
  let received = ''
  let isClosed = false
  socket.on('error', () => undefined)
  socket.on('data', (chunk) => (received += String(chunk)))
  socket.on('close', () => (isClosed = true))
  socket.write(bytes)
  return { socket, received: () => received, isClosed: () => isClosed }
}

const requestOf = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`
const requests = (count: number): string =>
  Array.from({ length: count }, (_, n) => requestOf(`/${n}`)).join('')

test('the requests of a connection begin one after the other, and are answered in their order', async () => {
  const ends: (() => void)[] = []
  const { received } = await send(requests(3), (req, res) => void ends.push(() => res.end(`of ${req.url}.`)))
  for (const n of [1, 2, 3]) {
    await eventually(() => ends.length === n)
    ends[n - 1]?.()
    await eventually(() => received().includes(`of /${n - 1}.`))
  }
  expect(received().match(/of \/\d\./g)).toEqual(['of /0.', 'of /1.', 'of /2.'])
})

test('a body that follows another request is read', async () => {
  const put = `PUT / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nhello`
  const { received } = await send(requests(1) + put + requests(1), (req, res) => {
    let body = ''
    req.on('data', (chunk) => (body += String(chunk)))
    req.on('end', () => res.end(`${req.method} ${body}.`))
  })
  await eventually(() => (received().match(/200 OK/g) ?? []).length === 3)
  expect(received().match(/(?:GET|PUT) \w*\./g)).toEqual(['GET .', 'PUT hello.', 'GET .'])
})

test('a client that does not await its answers is disconnected, and what it has sent is not begun', async () => {
  const begun: (string | undefined)[] = []
  const { isClosed } = await send(requests(unansweredMax + 2), (req) => void begun.push(req.url))
  await eventually(isClosed)
  expect(begun).toEqual(['/0'])
})

test('as many as a connection can have are all answered', async () => {
  const { received } = await send(requests(unansweredMax), (_req, res) => void res.end('done'))
  await eventually(() => (received().match(/done/g) ?? []).length === unansweredMax)
})

test('what follows the request of a client that has gone is not begun', async () => {
  const begun: (string | undefined)[] = []
  let isOver = false
  const { socket } = await send(requests(3), (req, res) => {
    begun.push(req.url)
    res.once('close', () => (isOver = true))
  })
  await eventually(() => begun.length > 0)
  socket.resetAndDestroy()
  await eventually(() => isOver)
  expect(begun).toEqual(['/0'])
})
