// Requests to cancel a connection's current statement. PostgreSQL accepts them on a separate connection that needs no session,
// so they also work when all sessions are in use, and through a pooler, which knows the server of the statement.
import { isIP, type Socket } from 'node:net'
import pg from 'pg'

/** The function with which a pool creates the sockets of its connections, if its owner has set one. */
export type StreamOption = pg.ClientConfig['stream']

/** Fields of a connected node-postgres client that its types do not declare. */
interface Wire {
  readonly host?: string
  readonly port?: number
  readonly ssl?: boolean | Record<string, unknown>
  readonly sslNegotiation?: string
  readonly processID?: number | null
  readonly secretKey?: number | null
  readonly connection?: { readonly stream?: Socket; end(): void }
}

/** The members of node-postgres' connection that are needed to send such a request. */
interface RequestConnection {
  readonly stream: Socket
  connect(port: number | string, host?: string): void
  requestSsl(): void
  cancel(processId: number, secretKey: number): void
  on(event: 'connect' | 'sslconnect' | 'end', listener: () => void): this
  on(event: 'error', listener: (error: Error) => void): this
}

type ConnectionClass = new (options: object) => RequestConnection

/** The client with its undeclared fields. */
export function wireOf(client: pg.ClientBase): Wire {
  return client as unknown as Wire
}

/** The `stream` option of each client whose pool has one. */
const streams = new WeakMap<pg.ClientBase, StreamOption>()

/** Records the `stream` option with which the client's socket was created, so that cancel requests use the same. */
export function rememberStream(client: pg.ClientBase, stream: StreamOption): void {
  if (typeof stream === 'function') streams.set(client, stream)
}

/**
 * Requests the server to cancel the client's current statement. The statement may have ended before, so the connection must not
 * be used for anything else afterwards. Resolves with whether the server, or the pooler in front of it, has accepted the request,
 * which it shows by closing the connection of the request; false if it did not within `limitMs`. Never rejects.
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
 * The address to which the client is connected, because a name may resolve to another server each time. Undefined if the
 * connection is closed.
 */
function serverOf(
  client: pg.ClientBase,
): { readonly port: number | string; readonly host?: string } | undefined {
  const { host = 'localhost', port = 5432, connection } = wireOf(client)
  if (connection?.stream === undefined || connection.stream.destroyed) return undefined
  // As in node-postgres, a path instead of a host name is the directory of a Unix socket.
  if (host.startsWith('/')) return { port: `${host}/.s.PGSQL.${port}` }
  const { remoteAddress, remotePort } = connection.stream
  const direct = !streams.has(client) && remoteAddress !== undefined && remotePort !== undefined
  return direct ? { host: remoteAddress, port: remotePort } : { host, port }
}

/** The TLS options of the connection. The certificate is checked against the host name and not the address. */
function sslFor(client: pg.ClientBase): Wire['ssl'] {
  const { ssl, host = 'localhost' } = wireOf(client)
  if (ssl === undefined || ssl === false) return false
  const options = ssl === true ? {} : ssl
  const name = isIP(host) === 0 ? { servername: host } : {}
  // node-postgres makes the key non-enumerable.
  const key = 'key' in options ? { key: options['key'] } : {}
  return { host, ...options, ...key, ...name }
}
