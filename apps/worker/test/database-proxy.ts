import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

/** Stands between a process and its database. */
export interface DatabaseProxy {
  /** The URL of the database as reached through it. */
  readonly url: string
  /** How many statements have gone through so far. */
  statements(): number
  close(): Promise<void>
}

/** Forwards to the database at `target`; without a port, on any free one. */
export async function startDatabaseProxy(
  target: string,
  { port = 0 }: { readonly port?: number } = {},
): Promise<DatabaseProxy> {
  let statements = 0
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    const upstream = connectTo(new URL(target))
    const count = countStatements(() => (statements += 1))
    socket.on('data', count)
    for (const [end, other] of [
      [socket, upstream],
      [upstream, socket],
    ] as const) {
      sockets.add(end)
      end.on('error', () => end.destroy())
      end.on('close', () => other.destroy())
      end.pipe(other)
    }
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const url = new URL(target)
  url.hostname = '127.0.0.1'
  url.port = String((server.address() as AddressInfo).port)
  return { url: url.href, statements: () => statements, close: () => close(server, sockets) }
}

function connectTo(url: URL): Socket {
  return connect({ host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port || 5432) })
}

async function close(server: Server, sockets: ReadonlySet<Socket>): Promise<void> {
  server.close()
  for (const socket of sockets) socket.destroy()
  await once(server, 'close')
}

/** Length (4 bytes) of every message of PostgreSQL's protocol, which counts itself, after a type of 1 byte. */
const lengthBytes = 4
const typeBytes = 1
/** A statement is sent as Query, or in parts of which each has one Execute; one that stays prepared has no Parse. */
const statementTypes = new Set(['Q', 'E'])

/** Reads what a client sends, and calls `onStatement` for each statement in it. The first message has no type. */
function countStatements(onStatement: () => void): (chunk: Buffer) => void {
  let rest = Buffer.alloc(0)
  let headBytes = 0
  return (chunk) => {
    rest = Buffer.concat([rest, chunk])
    while (rest.length >= headBytes + lengthBytes) {
      const end = headBytes + rest.readInt32BE(headBytes)
      if (rest.length < end) return
      if (headBytes > 0 && statementTypes.has(String.fromCharCode(rest[0] ?? 0))) onStatement()
      rest = rest.subarray(end)
      headBytes = typeBytes
    }
  }
}
