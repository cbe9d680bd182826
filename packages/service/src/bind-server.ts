import { once } from 'node:events'
import type { Server } from 'node:net'
import type { BindAddress } from './config/bind-address.ts'
import { rememberConnections } from './silent-connections.ts'

/** Listens, and resolves with the actual port; for port 0 the system chooses it. Throws Node's own error. */
export async function bindServer(server: Server, { host, port }: BindAddress): Promise<number> {
  rememberConnections(server)
  const listening = once(server, 'listening')
  server.listen({ host, port })
  await listening
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : port
}
