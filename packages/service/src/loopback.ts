import { isIPv4 } from 'node:net'

/**
 * Whether a host, as in a URL or a bind address and without brackets, is this machine itself, which no name server can
 * change.
 */
export function isLoopbackHost(host: string): boolean {
  const name = host.toLowerCase()
  return name === 'localhost' || name === '::1' || (isIPv4(name) && name.startsWith('127.'))
}

/** The host of a Host header or of a URL's authority in lower case, without port, brackets, and a dot at its end. */
export function hostNameOf(authority: string): string {
  const name = authority.startsWith('[')
    ? authority.slice(1, authority.lastIndexOf(']'))
    : (authority.split(':', 1)[0] ?? '')
  return (name.endsWith('.') ? name.slice(0, -1) : name).toLowerCase()
}
