import { request } from 'node:http'
import { isIPv6 } from 'node:net'
import { type BindAddress, parseBindAddress } from './config/bind-address.ts'

/** Where the checked process listens, and which of its endpoints to request. */
export interface HealthCheckOptions {
  /** The variable that holds the address the process listens on. */
  readonly variable: string
  /** The address where that variable is unset. */
  readonly addressDefault: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** `/livez` or `/readyz`, say. */
  readonly endpoint: string
  /** Milliseconds after which a missing answer counts as unhealthy; default 5 000. */
  readonly timeoutMs?: number
}

export interface HealthCheckResult {
  readonly healthy: boolean
  /** The answer, or why there was none, in one line. */
  readonly text: string
}

/** Above the patience of the endpoints themselves, so that a 503 with its reason comes first. */
const timeoutMsDefault = 5_000

/**
 * Checks the health of a process on this machine. It is for a container's HEALTHCHECK, so that an image needs neither a
 * shell nor curl. This file loads Node's own modules only, because it starts every few seconds. Never throws.
 */
export async function checkHealth(options: HealthCheckOptions): Promise<HealthCheckResult> {
  const address = options.env[options.variable]?.trim() || options.addressDefault
  const parsed = parseBindAddress(address)
  return 'fault' in parsed
    ? { healthy: false, text: `${options.variable} ${parsed.fault}` }
    : ask(parsed.value, options)
}

/** Runs the check as a whole process: prints the answer, and exits with 0 when healthy, else with 1. */
export async function runHealthCheck(options: HealthCheckOptions): Promise<void> {
  const { healthy, text } = await checkHealth(options)
  process.stdout.write(`${text}\n`)
  process.exitCode = healthy ? 0 : 1
}

function ask({ host, port }: BindAddress, options: HealthCheckOptions): Promise<HealthCheckResult> {
  const timeoutMs = options.timeoutMs ?? timeoutMsDefault
  const { promise, resolve } = Promise.withResolvers<HealthCheckResult>()
  const fail = (error: NodeJS.ErrnoException): void => {
    const text = error.name === 'AbortError' ? `no answer within ${timeoutMs} ms` : error.message
    // When every address of a name refuses, Node's error has no message.
    resolve({ healthy: false, text: text || (error.code ?? 'no answer') })
  }
  const signal = AbortSignal.timeout(timeoutMs)
  const sent = request({ host: reachable(host), port, path: options.endpoint, agent: false, signal })
  sent.on('error', fail)
  sent.on('response', (response) => {
    let body = ''
    response.setEncoding('utf8')
    response.on('data', (chunk: string) => (body += chunk))
    response.on('error', fail)
    response.on('end', () => {
      const { statusCode } = response
      resolve({ healthy: statusCode === 200, text: `${statusCode} ${body.trim()}` })
    })
  })
  sent.end()
  return promise
}

/** A wildcard address can be listened on, but not connected to. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  return isIPv6(host) && /^[0:]+$/.test(host) ? '::1' : host
}
