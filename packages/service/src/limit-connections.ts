import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/**
 * Limits how many connections an HTTP server has open. When one more comes, the connection that has been idle for longest is
 * closed, so that idle connections do not block new ones. If none is idle, the new one is refused. Call it before the server
 * listens.
 */
export function limitConnections(server: Server, connectionsMax: number): void {
  const open = new Set<Socket>()
  /** The connections without a request, the longest idle first. */
  const idle = new Set<Socket>()
  const requests = new WeakMap<Socket, number>()

  const cut = (socket: Socket): void => {
    open.delete(socket)
    idle.delete(socket)
    socket.destroy()
  }
  const countRequest = (socket: Socket, change: 1 | -1): void => {
    const count = (requests.get(socket) ?? 0) + change
    requests.set(socket, count)
    if (count > 0) idle.delete(socket)
    else if (open.has(socket)) idle.add(socket)
  }

  server.on('connection', (socket: Socket) => {
    open.add(socket)
    idle.add(socket)
    socket.once('close', () => {
      open.delete(socket)
      idle.delete(socket)
    })
    const [longestIdle] = idle
    if (open.size > connectionsMax && longestIdle !== undefined) cut(longestIdle)
  })
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    countRequest(socket, 1)
    response.once('close', () => countRequest(socket, -1))
  })
}
