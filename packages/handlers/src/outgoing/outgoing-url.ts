import { isIP } from 'node:net'
import { PermanentFailure } from '@queue/executor'
import type { OutgoingSettings } from '../settings.ts'
import { refusalOfAddress } from './address-rules.ts'

/** A request that may not be made, whoever asks for it and however often. */
export class RefusedRequest extends PermanentFailure {}

/**
 * A name that leads to no public address. A name that leads into our network, one that nobody has, and one that nobody could
 * resolve are told apart neither by the text nor by a retry: whoever asks is not to learn which names are in our network.
 */
export class NoPublicAddress extends Error {
  override readonly name = 'NoPublicAddress'

  constructor(hostname: string) {
    super(`${hostname} leads to no public address; OUTGOING_ALLOW may name it with its port`)
  }
}

/** `host:port` as `OUTGOING_ALLOW` has it; an IPv6 address stands in brackets. */
function hostAndPort({ protocol, hostname, port }: URL): string {
  return `${hostname}:${port === '' ? defaultPort(protocol) : port}`
}

/**
 * The URL that a payload names, if it may be requested as far as its text tells: http or https, without credentials, to an
 * allowed port, and not to an address that is not public. URL parsing has already turned octal, hexadecimal, decimal and
 * shortened addresses into their plain form. Throws `RefusedRequest`. What a name resolves to is checked when connecting.
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
    throw new RefusedRequest(`the port ${url.port} is not among those of OUTGOING_PORTS`)
  }
  const refusal = refusalOfHost(hostname)
  if (refusal !== undefined) throw refusal
  return url
}

/** The error for a host that is an address and may not be reached; undefined for others and for names. */
function refusalOfHost(hostname: string): RefusedRequest | undefined {
  const address = withoutBrackets(hostname)
  if (isIP(address) === 0) return undefined
  const range = refusalOfAddress(address)
  return range === undefined ? undefined : refusedAddress(hostname, range)
}

export function refusedAddress(hostname: string, range: string): RefusedRequest {
  return new RefusedRequest(
    `${hostname} does not lead to a public address (${range}); OUTGOING_ALLOW may name it with its port`,
  )
}

export function withoutBrackets(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, '$1')
}

function defaultPort(protocol: string): string {
  return protocol === 'https:' ? '443' : '80'
}
