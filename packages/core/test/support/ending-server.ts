import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'

/**
 * A server that speaks just enough of PostgreSQL's protocol to accept a client and to end its session in the same
 * packet. A client that first checks the host is told that it accepts writes.
 */
export interface EndingServer {
  readonly url: string
  readonly port: number
  close(): Promise<void>
}

/** A message of the protocol: its type, its length, its body. */
function message(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5)
  head.write(type, 'latin1')
  head.writeUInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}

const authenticationOk = message('R', Buffer.alloc(4))
const readyForQuery = message('Z', Buffer.from('I'))
const terminated = message('E', Buffer.from('SFATAL\0VFATAL\0C57P01\0Mterminating connection\0\0', 'latin1'))

const field = Buffer.from('suits\0\0\0\0\0\0\0\0\0\0\x10\0\x01\xff\xff\xff\xff\0\0', 'latin1')
const greeting = Buffer.concat([
  message('T', Buffer.concat([Buffer.from([0, 1]), field])),
  message('D', Buffer.from([0, 1, 0, 0, 0, 1, 0x74])),
  message('C', Buffer.from('SELECT 1\0', 'latin1')),
  readyForQuery,
])

function admit(socket: Socket, startup: Buffer): void {
  if (startup.includes('queue-host-check')) {
    socket.write(Buffer.concat([authenticationOk, readyForQuery]))
    socket.once('data', () => socket.write(greeting))
  } else socket.end(Buffer.concat([authenticationOk, readyForQuery, terminated]))
}

/** Imitates `pg_terminate_backend` on a session that has just begun, over a slow network. */
export async function startEndingServer(): Promise<EndingServer> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => socket.destroy())
    socket.once('data', (startup) => admit(socket, startup))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    port,
    url: `postgres://nobody@127.0.0.1:${port}/none`,
    close: async () => {
      server.close()
      for (const socket of sockets) socket.destroy()
      await once(server, 'close')
    },
  }
}
