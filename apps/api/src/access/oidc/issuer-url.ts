import { isLoopbackHost } from '@queue/service'

/** What is wrong with a URL of an issuer; undefined when nothing is. Whoever changes what it answers could let anybody in. */
export function issuerUrlFault(text: string): string | undefined {
  if (!URL.canParse(text)) return 'is not a URL'
  const { protocol, hostname, username, password, search, hash } = new URL(text)
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  if (protocol !== 'https:' && !(protocol === 'http:' && isLoopbackHost(host))) {
    return 'is neither https nor on a loopback address'
  }
  if (`${username}${password}${hash}` !== '') return 'has a user, a password or a fragment'
  return search === '' ? undefined : 'has a query'
}

/** Where an issuer says what it is. */
export function discoveryUrlOf(issuer: string): string {
  return `${issuer.endsWith('/') ? issuer.slice(0, -1) : issuer}/.well-known/openid-configuration`
}
