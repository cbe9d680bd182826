/** Which servers are suitable: any; those that take writes; those that are no standby. */
export type Acceptance = 'any' | 'read-write' | 'primary'

/** The servers that a connection string names. */
export interface Servers {
  readonly accept: Acceptance
  /** A connection string for each of them, in the order in which they are tried. */
  readonly urls: readonly string[]
}

/** What is wrong with a connection string: text that follows its name. */
export interface ServersFault {
  readonly fault: string
}

const acceptances: readonly string[] = ['any', 'read-write', 'primary'] satisfies readonly Acceptance[]

/** Scheme, user and password, hosts, path, query. */
const urlPattern = /^(postgres(?:ql)?:\/\/)([^/?#]*@)?([^/?#]*)([^?#]*)(?:\?([^#]*))?/i

/**
 * Reads a connection string as libpq does (PostgreSQL manual, 34.1.1): hosts and their ports are lists, in the authority
 * or in the parameters `host` and `port`, and `target_session_attrs` says which of them are suitable. With several hosts
 * its default is `read-write`, because a queue is useless on a server that takes no writes. A string that uses none of this
 * is returned unchanged.
 */
export function parseServers(connectionString: string): Servers | ServersFault {
  const match = urlPattern.exec(connectionString)
  if (match === null) return { accept: 'any', urls: [connectionString] }
  const [, scheme = '', user = '', authority = '', path = '', query = ''] = match
  const parameters = new URLSearchParams(query)
  const hosts = hostsOf(authority, parameters)
  const accept = parameters.get('target_session_attrs')
  const fault = hostsFault(hosts) ?? acceptanceFault(accept) ?? balanceFault(parameters)
  if (fault !== undefined) return { fault }
  if (hosts.length === 1 && accept === null) return { accept: 'any', urls: [connectionString] }
  for (const name of ['host', 'port', 'target_session_attrs', 'load_balance_hosts']) parameters.delete(name)
  const rest = parameters.size === 0 ? path : `${path}?${parameters.toString()}`
  return {
    accept: (accept ?? 'read-write') as Acceptance,
    urls: hosts.map(({ name, port }) => `${scheme}${user}${name}${port === '' ? '' : `:${port}`}${rest}`),
  }
}

/** As a URL spells it; a missing port is empty. */
interface Host {
  readonly name: string
  readonly port: string | undefined
}

/** The parameters win over the authority, as they do where there is one host only. */
function hostsOf(authority: string, parameters: URLSearchParams): Host[] {
  const listed = authority.split(',').map((text) => {
    const [, name = '', port = ''] = /^(\[[^\]]*\]|[^:]*):?(.*)$/.exec(text) ?? []
    return { name, port }
  })
  const names = parameters.get('host')?.split(',').map(hostText) ?? listed.map(({ name }) => name)
  const ports =
    parameters.get('port')?.split(',') ?? (parameters.has('host') ? [''] : listed.map(({ port }) => port))
  return names.map((name, index) => ({ name, port: ports.length === 1 ? ports[0] : ports[index] }))
}

/** A host of the parameters, which may be a socket's directory, as the authority of a URL spells it. */
function hostText(host: string): string {
  return host.includes(':') ? `[${host}]` : encodeURIComponent(host)
}

function hostsFault(hosts: readonly Host[]): string | undefined {
  // One empty host is the default of node-postgres.
  if (hosts.length > 1 && hosts.some(({ name }) => name === '')) return 'has an empty host among its hosts'
  if (hosts.some(({ port }) => port === undefined)) return 'has fewer ports than hosts'
  if (hosts.some(({ port = '' }) => !/^\d*$/.test(port) || Number(port) > portMax))
    return 'has an invalid port'
  return undefined
}

const portMax = 65_535

function acceptanceFault(accept: string | null): string | undefined {
  if (accept === null || acceptances.includes(accept)) return undefined
  return `has target_session_attrs=${accept}: the queue writes, so it must be ${acceptances.join(', ')} or absent`
}

function balanceFault(parameters: URLSearchParams): string | undefined {
  const balance = parameters.get('load_balance_hosts') ?? 'disable'
  return balance === 'disable'
    ? undefined
    : `has load_balance_hosts=${balance}: hosts are tried in order, so leave it out`
}
