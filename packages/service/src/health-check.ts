import { request } from 'node:http'
import { isIPv6 } from 'node:net'
import { type BindAddress, parseBindAddress } from './config/bind-address.ts'

export { workerBindAddressDefault } from './config/bind-address.ts'

/** The address of the checked process, and the endpoint to request. */
export interface HealthCheckOptions {
  /** The variable with the address on which the process listens. */
  readonly variable: string
  /** The address if that variable is unset. */
  readonly addressDefault: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** For example `/livez` or `/readyz`. */
  readonly endpoint: string
  /** Milliseconds without an answer after which the process counts as unhealthy; default 5 000. */
  readonly timeoutMs?: number
}

export interface HealthCheckResult {
  readonly healthy: boolean
  /** The answer, or the reason why there was none, in one line. */
  readonly text: string
}

/** Longer than the timeouts of the endpoints themselves, so that a 503 with its reason comes first. */
const timeoutMsDefault = 5_000

/**
 * Checks the health of a process on this machine, for the HEALTHCHECK of a container, so that an image needs neither a shell nor
 * curl. This file loads only Node's own modules, because it runs every few seconds. Never throws.
 */
export async function checkHealth(options: HealthCheckOptions): Promise<HealthCheckResult> {
  const address = options.env[options.variable]?.trim() || options.addressDefault
  const parsed = parseBindAddress(address)
  return 'fault' in parsed
    ? { healthy: false, text: `${options.variable} ${parsed.fault}` }
    : requestHealth(parsed.value, options)
}

/** Runs the check as a process of its own: prints the answer, and exits with 0 if healthy, else with 1. */
export async function runHealthCheck(options: HealthCheckOptions): Promise<void> {
  const { healthy, text } = await checkHealth(options)
  process.stdout.write(`${text}\n`)
  process.exitCode = healthy ? 0 : 1
}

function requestHealth({ host, port }: BindAddress, options: HealthCheckOptions): Promise<HealthCheckResult> {
  const timeoutMs = options.timeoutMs ?? timeoutMsDefault
  const { promise, resolve } = Promise.withResolvers<HealthCheckResult>()
  const fail = (error: NodeJS.ErrnoException): void => {
    const text = error.name === 'AbortError' ? `no answer within ${timeoutMs} ms` : error.message
    // If all addresses of a name refuse the connection, Node's error has no message.
    resolve({ healthy: false, text: text || (error.code ?? 'no answer') })
  }
  const signal = AbortSignal.timeout(timeoutMs)
  const clientRequest = request({ host: reachable(host), port, path: options.endpoint, agent: false, signal })
  clientRequest.on('error', fail)
  clientRequest.on('response', (response) => {
    let body = ''
    response.setEncoding('utf8')
    response.on('data', (chunk: string) => (body += chunk))
    response.on('error', fail)
    response.on('end', () => {
      const { statusCode } = response
      resolve({ healthy: statusCode === 200, text: `${statusCode} ${body.trim()}` })
    })
  })
  clientRequest.end()
  return promise
}

/** The address to connect to, because one cannot connect to a wildcard address. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  return isIPv6(host) && /^[0:]+$/.test(host) ? '::1' : host
}
