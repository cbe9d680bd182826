import type { BindAddress } from './config/bind-address.ts'
import { ExitError, exitCodes } from './exit-code.ts'
import { errorCodeOf, explainError } from './explain-error.ts'

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
