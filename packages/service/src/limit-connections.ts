import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Marks the connection of a limited server as one to keep until its requests have ended. */
const keepers = new WeakMap<Socket, () => void>()

/**
 * Keeps a connection until its current requests have ended, because the credential of one was verified. Without this, the
 * connection is given up for a new one when all others are in use. Does nothing on a server without a limit.
 */
export function keepConnection(socket: Socket): void {
  keepers.get(socket)?.()
}

/**
 * Limits how many connections an HTTP server has open. When one more comes, the connection that has been idle for longest is
 * closed. If none is idle, it is the one whose request is the oldest of those that nobody has vouched for with `keepConnection`,
 * so that requests which never end cannot keep others out. If all are kept, the new one is refused. Call it before the server
 * listens.
 */
export function limitConnections(server: Server, connectionsMax: number): void {
  const open = new Set<Socket>()
  /** The connections without a request, the longest idle first. */
  const idle = new Set<Socket>()
  /** The connections with a request that may be given up, the oldest first. */
  const unverified = new Set<Socket>()
  const requests = new WeakMap<Socket, number>()

  const forget = (socket: Socket): void => {
    open.delete(socket)
    idle.delete(socket)
    unverified.delete(socket)
  }
  const cut = (socket: Socket): void => {
    forget(socket)
    socket.destroy()
  }
  const begin = (socket: Socket): void => {
    const count = requests.get(socket) ?? 0
    requests.set(socket, count + 1)
    idle.delete(socket)
    if (count === 0 && open.has(socket)) unverified.add(socket)
  }
  const end = (socket: Socket): void => {
    const count = (requests.get(socket) ?? 1) - 1
    requests.set(socket, count)
    if (count > 0 || !open.has(socket)) return
    unverified.delete(socket)
    idle.add(socket)
  }

  server.on('connection', (socket: Socket) => {
    const [longestIdle] = idle
    const [oldestUnverified] = unverified
    open.add(socket)
    idle.add(socket)
    keepers.set(socket, () => unverified.delete(socket))
    socket.once('close', () => forget(socket))
    if (open.size > connectionsMax) cut(longestIdle ?? oldestUnverified ?? socket)
  })
  // Before the listener that answers, which may keep the connection at once.
  server.prependListener('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    begin(socket)
    response.once('close', () => end(socket))
  })
}
