import { isLoopbackHost } from '@queue/service'

/** What is wrong with the URL of an issuer; undefined if it is valid. It must be https, because its responses grant access. */
export function issuerUrlFault(text: string): string | undefined {
  if (!URL.canParse(text)) return 'is not a URL'
  const { protocol, hostname, username, password, search, hash } = new URL(text)
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  if (protocol !== 'https:' && !(protocol === 'http:' && isLoopbackHost(host))) {
    return 'must be https, or http on a loopback address'
  }
  if (`${username}${password}${hash}` !== '') return 'must not have a user, a password or a fragment'
  return search === '' ? undefined : 'must not have a query'
}

/** The URL of the discovery document. */
export function discoveryUrlOf(issuer: string): string {
  return `${issuer.endsWith('/') ? issuer.slice(0, -1) : issuer}/.well-known/openid-configuration`
}
