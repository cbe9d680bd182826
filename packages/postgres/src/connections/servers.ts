/** The servers that are suitable: all, those that accept writes, or those that are not a standby. */
export type Acceptance = 'any' | 'read-write' | 'primary'

/** The servers that a connection string names. */
export interface Servers {
  readonly accept: Acceptance
  /** A connection string for each of them, in the order in which they are tried. */
  readonly urls: readonly string[]
}

/** The problem of a connection string, as a text that continues "the connection string". */
export interface ServersFault {
  readonly fault: string
}

const acceptances: readonly string[] = ['any', 'read-write', 'primary'] satisfies readonly Acceptance[]

/** Scheme, user and password, hosts, path, query. */
const urlPattern = /^(postgres(?:ql)?:\/\/)([^/?#]*@)?([^/?#]*)([^?#]*)(?:\?([^#]*))?/i

/** The URL of something else. node-postgres would take its host for that of a PostgreSQL. It has URLs of sockets too. */
const foreignScheme = /^(?!socket:)[a-z][a-z\d+.-]*:\/\//i

/**
 * Parses a connection string as libpq does (PostgreSQL manual, 34.1.1): hosts and their ports are lists, in the authority or in
 * the parameters `host` and `port`, and `target_session_attrs` determines which of them are suitable. With several hosts its
 * default is `read-write`, because a queue is useless on a server that does not accept writes. A string without these features is
 * returned unchanged.
 */
export function parseServers(connectionString: string): Servers | ServersFault {
  const match = urlPattern.exec(connectionString)
  if (match === null && foreignScheme.test(connectionString))
    return { fault: 'must begin with postgres:// or postgresql://' }
  if (match === null) return { accept: 'any', urls: [connectionString] }
  const [, scheme = '', user = '', authority = '', path = '', query = ''] = match
  const parameters = new URLSearchParams(query)
  const hosts = hostsOf(authority, parameters)
  const acceptance = parameters.get('target_session_attrs')
  const fault = hostsFault(hosts) ?? acceptanceFault(acceptance) ?? balanceFault(parameters)
  if (fault !== undefined) return { fault }
  if (hosts.length === 1 && acceptance === null) return { accept: 'any', urls: [connectionString] }
  for (const name of ['host', 'port', 'target_session_attrs', 'load_balance_hosts']) parameters.delete(name)
  const pathAndParameters = parameters.size === 0 ? path : `${path}?${parameters.toString()}`
  return {
    accept: (acceptance ?? 'read-write') as Acceptance,
    urls: hosts.map(
      ({ name, port }) => `${scheme}${user}${name}${port === '' ? '' : `:${port}`}${pathAndParameters}`,
    ),
  }
}

/** A host as written in a URL. A missing port is empty; undefined means that there are fewer ports than hosts. */
interface Host {
  readonly name: string
  readonly port: string | undefined
}

/** The hosts with their ports. The parameters take precedence over the authority, as with a single host. */
function hostsOf(authority: string, parameters: URLSearchParams): Host[] {
  const authorityHosts = authority.split(',').map((text) => {
    const [, name = '', port = ''] = /^(\[[^\]]*\]|[^:]*):?(.*)$/.exec(text) ?? []
    return { name, port }
  })
  const names = parameters.get('host')?.split(',').map(hostText) ?? authorityHosts.map(({ name }) => name)
  const ports =
    parameters.get('port')?.split(',') ??
    (parameters.has('host') ? [''] : authorityHosts.map(({ port }) => port))
  return names.map((name, index) => ({ name, port: ports.length === 1 ? ports[0] : ports[index] }))
}

/** Writes a host of the parameters, which may be the directory of a socket, as in the authority of a URL. */
function hostText(host: string): string {
  return host.includes(':') ? `[${host}]` : encodeURIComponent(host)
}

function hostsFault(hosts: readonly Host[]): string | undefined {
  // A single empty host means the default of node-postgres.
  if (hosts.length > 1 && hosts.some(({ name }) => name === '')) return 'has an empty host among its hosts'
  if (hosts.some(({ port }) => port === undefined)) return 'has fewer ports than hosts'
  if (hosts.some(({ port = '' }) => !/^\d*$/.test(port) || Number(port) > portMax))
    return 'has an invalid port'
  return undefined
}

const portMax = 65_535

function acceptanceFault(acceptance: string | null): string | undefined {
  if (acceptance === null || acceptances.includes(acceptance)) return undefined
  return `has target_session_attrs=${acceptance}: because the queue writes, set it to ${acceptances.join(', ')}, or leave it out`
}

function balanceFault(parameters: URLSearchParams): string | undefined {
  const balance = parameters.get('load_balance_hosts') ?? 'disable'
  return balance === 'disable'
    ? undefined
    : `has load_balance_hosts=${balance}: hosts are tried in order, so leave it out`
}
