import { once } from 'node:events'
import type { Server, Socket } from 'node:net'
import type { BindAddress } from './config/bind-address.ts'

/** Listens, and resolves with the actual port; for port 0 the system chooses it. Throws Node's own error. */
export async function bindServer(server: Server, { host, port }: BindAddress): Promise<number> {
  rememberConnections(server)
  const listening = once(server, 'listening')
  server.listen({ host, port })
  await listening
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : port
}

const connectionsOf = new WeakMap<Server, Set<Socket>>()

/** Records a server's new connections, so that closeSilentConnections can find them. */
function rememberConnections(server: Server): void {
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
