import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/** Stands between an API and its database, so that the database can come late and go away. */
export interface Proxy {
  /** The database's URL by way of the proxy. */
  readonly url: string
  /** Breaks every connection and takes no more. */
  cut(): void
}

/** Starts a proxy to the server of `url`, on a free port unless one is given. */
export async function startProxy(url: string, port = 0): Promise<Proxy> {
  const target = new URL(url)
  const sockets = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect(Number(target.port || 5432), target.hostname)
    sockets.add(near).add(far)
    near.on('error', () => far.destroy()).pipe(far)
    far.on('error', () => near.destroy()).pipe(near)
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const cut = (): void => {
    server.close()
    for (const socket of sockets) socket.destroy()
  }
  return { url: throughPort(url, portOf(server.address())), cut }
}

/** A port on which nothing listens now. */
export async function reservePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const port = portOf(server.address())
  server.close()
  await once(server, 'close')
  return port
}

/** The URL of a database with this machine's `port` in the place of its server. */
export function throughPort(url: string, port: number): string {
  const near = new URL(url)
  near.host = `127.0.0.1:${port}`
  return near.href
}

function portOf(address: ReturnType<ReturnType<typeof createServer>['address']>): number {
  if (typeof address === 'object' && address !== null) return address.port
  throw new Error('the server does not listen on a port')
}
