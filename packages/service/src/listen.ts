import type { Server } from 'node:net'
import { bindServer } from './bind-server.ts'
import type { BindAddress } from './config/bind-address.ts'
import { type ListenOptions, listenRefusal, urlOf } from './listen-refusal.ts'

/** An address that a server listens on, and its URL. */
export interface ListeningAddress extends BindAddress {
  readonly url: string
}

/**
 * Listens, and resolves with the actual address (for port 0, with the chosen port). If the port is in use or not permitted, or
 * the host is not an address of this machine, throws an ExitError (1) that names the variable.
 */
export async function listen(server: Server, options: ListenOptions): Promise<ListeningAddress> {
  const { host } = options
  try {
    const port = await bindServer(server, options)
    return { host, port, url: urlOf({ host, port }) }
  } catch (error) {
    throw listenRefusal(options, error)
  }
}
