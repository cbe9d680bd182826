// The request to cancel a connection's current statement. PostgreSQL takes it on a separate connection that needs no
// session, so it works when all sessions are in use, and through a pooler, which knows the statement's server.
import { isIP, type Socket } from 'node:net'
import pg from 'pg'

/** How a pool makes the sockets of its connections, if its owner has set that. */
export type StreamOption = pg.ClientConfig['stream']

/** Fields of a connected node-postgres client that its types leave out. */
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

/** `client` with those fields. */
export function wireOf(client: pg.ClientBase): Wire {
  return client as unknown as Wire
}

/** How a client's socket was made, where its pool has a `stream` function for that. */
const streams = new WeakMap<pg.ClientBase, StreamOption>()

/** From now on cancel requests for this client use the same kind of socket. */
export function rememberStream(client: pg.ClientBase, stream: StreamOption): void {
  if (typeof stream === 'function') streams.set(client, stream)
}

/**
 * Asks the server to cancel the client's current statement. That may have ended by then, so the connection must not be
 * used for anything else any more. Gives whether the server, or the pooler before it, has taken the request, which it
 * shows by closing the request's connection; false when it did not within `limitMs`. Never rejects.
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
 * The address that the connection has reached, because a name may lead to another server each time. Undefined when the
 * connection is closed.
 */
function serverOf(
  client: pg.ClientBase,
): { readonly port: number | string; readonly host?: string } | undefined {
  const { host = 'localhost', port = 5432, connection } = wireOf(client)
  if (connection?.stream === undefined || connection.stream.destroyed) return undefined
  // As in node-postgres, a path in place of a host is the directory of a socket.
  if (host.startsWith('/')) return { port: `${host}/.s.PGSQL.${port}` }
  const { remoteAddress, remotePort } = connection.stream
  const direct = !streams.has(client) && remoteAddress !== undefined && remotePort !== undefined
  return direct ? { host: remoteAddress, port: remotePort } : { host, port }
}

/** The TLS options of the connection. The certificate is for the host's name, and not for the address that was reached. */
function sslFor(client: pg.ClientBase): Wire['ssl'] {
  const { ssl, host = 'localhost' } = wireOf(client)
  if (ssl === undefined || ssl === false) return false
  const given = ssl === true ? {} : ssl
  const name = isIP(host) === 0 ? { servername: host } : {}
  // node-postgres makes the key not enumerable.
  const key = 'key' in given ? { key: given['key'] } : {}
  return { host, ...given, ...key, ...name }
}
