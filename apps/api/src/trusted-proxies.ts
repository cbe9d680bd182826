import { isIP } from 'node:net'
import type { IncomingMessage } from 'node:http'
import proxyAddr from 'proxy-addr'
import { z } from 'zod'

/** Finds the address of the client that has sent a request; undefined once its connection is closed. */
export type ClientOf = (req: IncomingMessage) => string | undefined

/** The address at the other end of the connection: the client, or the last proxy before the API. */
export const peerOf: ClientOf = (req) => req.socket.remoteAddress

/** The proxies whose `X-Forwarded-For` is believed, as an environment variable has them. */
export const trustedProxies = z
  .string()
  .transform((text, context): ClientOf => {
    const networks = text.split(',').map((network) => network.trim())
    const invalid = networks.find((network) => !isNetwork(network))
    if (invalid === undefined) return clientBehind(networks)
    const message = `contains ${JSON.stringify(invalid)}, which is no IP address and no network`
    context.addIssue({ code: 'custom', message })
    return z.NEVER
  })
  .meta({
    accepted:
      'IP addresses and networks, separated by commas, such as 10.0.0.0/8,fd00::/8; also loopback, linklocal and ' +
      'uniquelocal, which are the networks of that kind',
  })

const kindsOfNetworks = new Set(['loopback', 'linklocal', 'uniquelocal'])

/** The network of all addresses is none: every client would be trusted. */
function isNetwork(text: string): boolean {
  const [address = '', length = '1', ...others] = text.split('/')
  const version = isIP(address)
  if (version === 0) return kindsOfNetworks.has(text)
  return others.length === 0 && /^[1-9]\d{0,2}$/.test(length) && Number(length) <= (version === 4 ? 32 : 128)
}

/**
 * Each proxy appends to `X-Forwarded-For` the address that has called it, so of the addresses from the right the first that is
 * no trusted proxy is the client. What stands left of it the client itself may have written.
 */
function clientBehind(networks: readonly string[]): ClientOf {
  const isProxy = proxyAddr.compile([...networks])
  return (req) => {
    const peer = peerOf(req)
    if (peer === undefined) return undefined
    const client = proxyAddr(req, isProxy)
    // A text that is no address cannot be counted as one. The proxy that has passed it on is known.
    return isIP(client) !== 0 ? client : peer
  }
}
