import { isIPv4 } from 'node:net'

/**
 * Whether a host of a URL or bind address, without brackets, always means this machine, whatever a name server says.
 */
export function isLoopbackHost(host: string): boolean {
  const name = host.toLowerCase()
  return name === 'localhost' || name === '::1' || (isIPv4(name) && name.startsWith('127.'))
}

/** The host of a Host header or of a URL's authority, in lower case, without port, brackets and a final dot. */
export function hostNameOf(authority: string): string {
  const name = authority.startsWith('[')
    ? authority.slice(1, authority.lastIndexOf(']'))
    : (authority.split(':', 1)[0] ?? '')
  return (name.endsWith('.') ? name.slice(0, -1) : name).toLowerCase()
}
