import { isIP } from 'node:net'
import { PermanentFailure } from '@queue/executor'
import type { OutgoingSettings } from '../settings.ts'
import { refusalOfAddress } from './address-rules.ts'

/** A request that a rule forbids, so that no retry can succeed. */
export class RefusedRequest extends PermanentFailure {}

/**
 * A name that has no public address. A name inside our network, a name that does not exist, and a name that could not be
 * resolved get the same message and the same retries, so that a caller cannot learn which names exist in our network.
 */
export class NoPublicAddress extends Error {
  override readonly name = 'NoPublicAddress'

  constructor(hostname: string) {
    super(`${hostname} has no public address; to allow it, add it with its port to OUTGOING_ALLOW`)
  }
}

/** `host:port` in the form of `OUTGOING_ALLOW`; an IPv6 address is in brackets. */
function hostAndPort({ protocol, hostname, port }: URL): string {
  return `${hostname}:${port === '' ? defaultPort(protocol) : port}`
}

/**
 * Parses the URL that a payload names, and checks what its text shows: http or https, no credentials, an allowed port, and no
 * address that is not public. URL parsing turns octal, hexadecimal, decimal and shortened addresses into their plain form. The
 * addresses of a name are checked when connecting. Throws `RefusedRequest`.
 */
export function checkOutgoingUrl(text: string, { allow, ports }: OutgoingSettings): URL {
  const url = URL.parse(text)
  if (url === null) throw new RefusedRequest('the URL cannot be read')
  const { protocol, hostname, username, password } = url
  if (protocol !== 'http:' && protocol !== 'https:')
    throw new RefusedRequest('the URL is neither http nor https')
  if (username !== '' || password !== '') throw new RefusedRequest('the URL has credentials')
  if (hostname.endsWith('.')) throw new RefusedRequest('the host name ends with a dot')
  if (allow.includes(hostAndPort(url))) return url
  if (!ports.includes(Number(url.port === '' ? defaultPort(protocol) : url.port))) {
    throw new RefusedRequest(`the port ${url.port} is not listed in OUTGOING_PORTS`)
  }
  const refusal = refusalOfHost(hostname)
  if (refusal !== undefined) throw refusal
  return url
}

/** The error for an IP address that may not be reached; undefined for other addresses and for names. */
function refusalOfHost(hostname: string): RefusedRequest | undefined {
  const address = withoutBrackets(hostname)
  if (isIP(address) === 0) return undefined
  const range = refusalOfAddress(address)
  return range === undefined ? undefined : refusedAddress(hostname, range)
}

export function refusedAddress(hostname: string, range: string): RefusedRequest {
  return new RefusedRequest(
    `${hostname} is not a public address (${range}); to allow it, add it with its port to OUTGOING_ALLOW`,
  )
}

export function withoutBrackets(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, '$1')
}

function defaultPort(protocol: string): string {
  return protocol === 'https:' ? '443' : '80'
}
