import type { Server, Socket } from 'node:net'

const connectionsOf = new WeakMap<Server, Set<Socket>>()

/** Records a server's new connections, so that closeSilentConnections can find them. */
export function rememberConnections(server: Server): void {
  const connections = new Set<Socket>()
  connectionsOf.set(server, connections)
  server.on('connection', (socket: Socket) => {
    connections.add(socket)
    socket.once('close', () => connections.delete(socket))
  })
}

/**
 * Closes the connections on which nothing has arrived yet. Browsers and load balancers open such connections in advance. Node
 * counts them as busy, so a drain would wait for them until its deadline.
 */
export function closeSilentConnections(server: Server): void {
  for (const socket of connectionsOf.get(server) ?? []) {
    if (socket.bytesRead === 0) socket.destroy()
  }
}
