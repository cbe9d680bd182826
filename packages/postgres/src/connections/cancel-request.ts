// The request to end what a connection is at, which PostgreSQL takes on a connection of its own and without a session:
// also when it has no session left to give, and through a pooler, which knows whose statement it is.
import { isIP, type Socket } from 'node:net'
import pg from 'pg'

/** How a pool makes the sockets of its connections, where its owner has said so. */
export type StreamOption = pg.ClientConfig['stream']

/** What node-postgres knows of a connected client, and its types leave out. */
interface Wire {
  readonly host?: string
  readonly port?: number
  readonly ssl?: boolean | Record<string, unknown>
  readonly sslNegotiation?: string
  readonly processID?: number | null
  readonly secretKey?: number | null
  readonly connection?: { readonly stream?: Socket; end(): void }
}

/** The part of node-postgres' connection that sends such a request. */
interface RequestConnection {
  readonly stream: Socket
  connect(port: number | string, host?: string): void
  requestSsl(): void
  cancel(processId: number, secretKey: number): void
  on(event: 'connect' | 'sslconnect' | 'end', listener: () => void): this
  on(event: 'error', listener: (error: Error) => void): this
}

type ConnectionClass = new (options: object) => RequestConnection

/** What `client` knows of its connection. */
export function wireOf(client: pg.ClientBase): Wire {
  return client as unknown as Wire
}

/** How the sockets of a client were made, where its pool has been told to make them otherwise than by TCP. */
const streams = new WeakMap<pg.ClientBase, StreamOption>()

/** Requests for this client go the way that its own connection went. */
export function rememberStream(client: pg.ClientBase, stream: StreamOption): void {
  if (typeof stream === 'function') streams.set(client, stream)
}

/**
 * Asks the server to cancel what the client's connection is at; it may have ended by then, so the connection must not be
 * used for anything else any more. Gives whether the server, or the pooler before it, has taken the request, which it
 * says by hanging up; false when it did not within `limitMs`. Never rejects.
 */
export async function requestCancel(client: pg.ClientBase, limitMs: number): Promise<boolean> {
  const { processID, secretKey, sslNegotiation, ssl } = wireOf(client)
  if (typeof processID !== 'number' || typeof secretKey !== 'number') return false
  const server = serverOf(client)
  if (server === undefined) return false
  const { Connection } = pg as unknown as { readonly Connection: ConnectionClass }
  const request = new Connection({ ssl: sslFor(client), sslNegotiation, stream: streams.get(client) })
  return new Promise((resolve) => {
    const timer = setTimeout(() => end(false), limitMs)
    const end = (accepted: boolean): void => {
      clearTimeout(timer)
      request.stream.destroy()
      resolve(accepted)
    }
    const send = (): void => request.cancel(processID, secretKey)
    request
      .on('error', () => end(false))
      .on('end', () => end(true))
      .on('sslconnect', send)
      .on('connect', () => {
        if (ssl === undefined || ssl === false) send()
        else if (sslNegotiation !== 'direct') request.requestSsl()
      })
      .connect(server.port, server.host)
  })
}

/**
 * Where the connection leads: the address that it has reached, since a name may lead to another server each time.
 * Undefined when it has none any more.
 */
function serverOf(
  client: pg.ClientBase,
): { readonly port: number | string; readonly host?: string } | undefined {
  const { host = 'localhost', port = 5432, connection } = wireOf(client)
  if (connection?.stream === undefined || connection.stream.destroyed) return undefined
  // As node-postgres has it: a directory in place of a host is that of a socket.
  if (host.startsWith('/')) return { port: `${host}/.s.PGSQL.${port}` }
  const { remoteAddress, remotePort } = connection.stream
  const direct = !streams.has(client) && remoteAddress !== undefined && remotePort !== undefined
  return direct ? { host: remoteAddress, port: remotePort } : { host, port }
}

/** The TLS of the connection, whose certificate is for the name of the host and not for the address that it led to. */
function sslFor(client: pg.ClientBase): Wire['ssl'] {
  const { ssl, host = 'localhost' } = wireOf(client)
  if (ssl === undefined || ssl === false) return false
  const given = ssl === true ? {} : ssl
  const name = isIP(host) === 0 ? { servername: host } : {}
  // node-postgres keeps a key from being enumerated.
  const key = 'key' in given ? { key: given['key'] } : {}
  return { host, ...given, ...key, ...name }
}
