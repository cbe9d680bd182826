import type { IncomingMessage } from 'node:http'
import { BlockList, isIP, SocketAddress } from 'node:net'
import { z } from 'zod'
import { groupsOf } from './access/address-limiter.ts'

/** Finds the address of the client that has sent a request; undefined once its connection is closed. */
export type ClientOf = (req: IncomingMessage) => string | undefined

/** The address at the other end of the connection: the client, or the last proxy before the API. */
export const peerOf: ClientOf = ({ socket: { remoteAddress } }) =>
  remoteAddress === undefined ? undefined : addressOf(remoteAddress)

/** The proxies whose `X-Forwarded-For` is believed, as an environment variable has them. */
export const trustedProxies = z
  .string()
  .transform((text, context): ClientOf => {
    const proxies = new BlockList()
    for (const network of text.split(',').map((part) => part.trim())) {
      const fault = addNetwork(proxies, network)
      if (fault === undefined) continue
      context.addIssue({ code: 'custom', message: `contains ${JSON.stringify(network)}, which ${fault}` })
      return z.NEVER
    }
    return clientBehind(proxies)
  })
  .meta({
    accepted:
      'IP addresses and networks, separated by commas, such as 10.0.0.0/8,fd00::/8; also loopback, linklocal and ' +
      'uniquelocal, which are the networks of that kind',
  })

const kindsOfNetworks: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
}

/** Adds the addresses of a network. Returns what is wrong with it. */
function addNetwork(proxies: BlockList, text: string): string | undefined {
  const networks = Object.hasOwn(kindsOfNetworks, text) ? kindsOfNetworks[text] : undefined
  for (const network of networks ?? []) addNetwork(proxies, network)
  if (networks !== undefined) return undefined
  const [written = '', length, ...others] = text.split('/')
  const address = isIP(written) === 0 ? undefined : addressOf(written)
  if (address === undefined || others.length > 0) return noNetwork
  const family = familyOf(address)
  if (length === undefined) {
    proxies.addAddress(address, family)
    return undefined
  }
  if (!/^(?:0|[1-9]\d{0,2})$/.test(length)) return noNetwork
  const lengthMax = family === 'ipv4' ? 32 : 128
  // An IPv4 network can be written as one of IPv6.
  const prefix = Number(length) - (isIP(written) === 6 && family === 'ipv4' ? mappedLength : 0)
  if (prefix > lengthMax || prefix < 0) return noNetwork
  if (prefix === 0) return 'has all addresses, so that any client could name any address'
  if (hasBitsBeyond(address, prefix))
    return 'is an address and not the first one of its network: write that one, or the address without a length'
  proxies.addSubnet(address, prefix, family)
  return undefined
}

/** Whether bits after the prefix are set. Such an address may stand for itself, or for the whole network. */
function hasBitsBeyond(address: string, prefix: number): boolean {
  const bytes = isIP(address) === 4 ? address.split('.').map(Number) : bytesOfIPv6(address)
  return bytes.some((byte, n) => (byte & (0xff >> Math.min(8, Math.max(0, prefix - 8 * n)))) !== 0)
}

function bytesOfIPv6(address: string): number[] {
  // A URL writes all of it in groups, also its end where that could be an IPv4 address.
  const text = new URL(`http://[${address}]`).hostname.slice(1, -1)
  return groupsOf(text).flatMap((group) => [
    Number.parseInt(group, 16) >> 8,
    Number.parseInt(group, 16) & 0xff,
  ])
}

const noNetwork = 'is no IP address and no network'
const mappedPrefix = '::ffff:'
/** The bits before the IPv4 address in one that is written as IPv6. */
const mappedLength = 96

/**
 * Each proxy appends to `X-Forwarded-For` the address that has called it, so of the addresses from the right the first that is
 * no trusted proxy is the client. What stands left of it the client itself may have written. The same holds left of what is no
 * address: then the proxy that has passed it on is the last that is known.
 */
function clientBehind(proxies: BlockList): ClientOf {
  return (req) => {
    let client = peerOf(req)
    let rest = headerOf(req)
    while (client !== undefined && rest !== undefined && proxies.check(client, familyOf(client))) {
      const comma = rest.lastIndexOf(',')
      const caller = addressOf(rest.slice(comma + 1).trim())
      if (caller === undefined) break
      client = caller
      rest = comma < 0 ? undefined : rest.slice(0, comma)
    }
    return client
  }
}

/** Node joins repeated headers of this name. */
function headerOf({ headers }: IncomingMessage): string | undefined {
  const header = headers['x-forwarded-for']
  return typeof header === 'string' ? header : undefined
}

/** An IPv4 address, or an IPv6 address in brackets, with or without the port that some proxies add. */
const withPort = /^(?:\[([^\]]*)\](?::\d{1,5})?|([\d.]+):\d{1,5})$/

/**
 * The address in the one form in which it is counted, logged and compared: without port and zone, an IPv4 address not as IPv6,
 * and any other IPv6 address as RFC 5952 writes it. Undefined where the text is none.
 */
function addressOf(text: string): string | undefined {
  const [, bracketed, numbers] = withPort.exec(text) ?? []
  const written = bracketed ?? numbers ?? text
  const version = isIP(written)
  if (version === 0) return undefined
  if (version === 4) return written
  const { address } = new SocketAddress({ address: written, family: 'ipv6' })
  const mapped = address.startsWith(mappedPrefix) ? address.slice(mappedPrefix.length) : ''
  return isIP(mapped) === 4 ? mapped : address
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 4 ? 'ipv4' : 'ipv6'
}
