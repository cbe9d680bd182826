import { once } from 'node:events'
import type { Server } from 'node:net'
import type { BindAddress } from './config/variable-kinds.ts'
import { ExitError, exitCodes } from './exit-code.ts'
import { errorCodeOf, explainError } from './explain-error.ts'
import { rememberConnections } from './silent-connections.ts'

export interface ListenOptions extends BindAddress {
  /** The variable that the address came from, so that a refusal can name it. */
  readonly variable: string
}

/**
 * Listens, and gives the address as it came out (the port that was chosen for port 0). Throws an ExitError
 * (1) whose one line names the variable when the port is in use or not permitted, or the host is not one of
 * this machine's.
 */
export async function listen(
  server: Server,
  options: ListenOptions,
): Promise<BindAddress & { readonly url: string }> {
  const { host, port } = options
  rememberConnections(server)
  try {
    const listening = once(server, 'listening')
    server.listen({ host, port })
    await listening
  } catch (error) {
    throw new ExitError(exitCodes.failure, explain(options, error), { cause: error })
  }
  const address = server.address()
  const chosenPort = typeof address === 'object' && address !== null ? address.port : port
  return { host, port: chosenPort, url: `http://${bracket(reachable(host))}:${chosenPort}` }
}

function explain({ host, port, variable }: ListenOptions, error: unknown): string {
  const where = `${variable}: cannot listen on ${bracket(host)}:${port}`
  switch (errorCodeOf(error)) {
    case 'EADDRINUSE':
      return `${where}: the port is in use; stop what holds it, or set ${variable} to another port`
    case 'EACCES':
      return `${where}: this user may not use the port; set ${variable} to a port above 1023`
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `${where}: no such address on this machine; set ${variable} to 0.0.0.0:${port}, for example`
    default:
      return `${where}: ${explainError(error)}`
  }
}

function bracket(host: string): string {
  return host.includes(':') ? `[${host}]` : host
}

/** A wildcard address is one to listen on and none to visit. */
function reachable(host: string): string {
  return host === '0.0.0.0' || host === '::' ? 'localhost' : host
}
