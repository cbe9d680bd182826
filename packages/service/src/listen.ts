import type { Server } from 'node:net'
import { bindServer } from './bind-server.ts'
import type { BindAddress } from './config/bind-address.ts'
import { ExitError, exitCodes } from './exit-code.ts'
import { errorCodeOf, explainError } from './explain-error.ts'

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

export interface ListenOptions extends BindAddress {
  /** The variable with the address, so that an error can name it. */
  readonly variable: string
}

/** The one-line error that ends a process with 1 because its server cannot listen. */
export function listenRefusal(options: ListenOptions, error: unknown): ExitError {
  return new ExitError(exitCodes.failure, explain(options, error), { cause: error })
}

/** The URL of a listening server. */
export function urlOf({ host, port }: BindAddress): string {
  return `http://${bracket(reachable(host))}:${port}`
}

function explain({ host, port, variable }: ListenOptions, error: unknown): string {
  const where = `${variable}: cannot listen on ${bracket(host)}:${port}`
  switch (errorCodeOf(error)) {
    case 'EADDRINUSE':
      return `${where}: the port is in use; stop the process that holds it, or set ${variable} to another port`
    case 'EACCES':
      return `${where}: this user may not use the port; set ${variable} to a port above 1023`
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `${where}: this machine does not have this address; set ${variable}, for example to 127.0.0.1:${port}`
    default:
      return `${where}: ${explainError(error)}`
  }
}

function bracket(host: string): string {
  return host.includes(':') ? `[${host}]` : host
}

/** The host to visit, because a wildcard address cannot be visited. */
function reachable(host: string): string {
  return host === '0.0.0.0' || host === '::' ? 'localhost' : host
}
