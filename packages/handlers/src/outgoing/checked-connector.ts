import { lookup as systemLookup } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { buildConnector } from 'undici'
import { refusalOfAddress } from './address-rules.ts'
import { NoPublicAddress, refusedAddress, withoutBrackets } from './outgoing-url.ts'

export interface ConnectorOptions {
  /** Hosts with their ports that are not checked. */
  readonly allow: readonly string[]
  readonly timeoutMs: number
  /** Resolves host names. Default: the resolver of the operating system. */
  readonly lookup?: LookupFunction
  /** Why an address may not be reached; undefined if it may. */
  readonly refusalOf?: (address: string) => string | undefined
}

/**
 * Connects to public addresses only. The check is part of the socket's own name resolution, so the socket connects to exactly
 * the addresses that were checked: a name cannot resolve to another address in between.
 */
export function createCheckedConnector(options: ConnectorOptions): buildConnector.connector {
  const { allow, timeoutMs, lookup = systemLookup, refusalOf = refusalOfAddress } = options
  const unchecked = buildConnector({ timeout: timeoutMs, lookup })
  const checked = buildConnector({ timeout: timeoutMs, lookup: checkedLookup(lookup, refusalOf) })
  return (target, callback) => {
    const address = withoutBrackets(target.hostname)
    if (allow.includes(targetName(target))) return unchecked(target, callback)
    // A socket does not resolve an IP address, so the checked lookup would not see it.
    const range = isIP(address) === 0 ? undefined : refusalOf(address)
    if (range !== undefined) return callback(refusedAddress(target.hostname, range), null)
    return checked(target, callback)
  }
}

function targetName({ hostname, port, protocol }: buildConnector.Options): string {
  const host = isIP(hostname) === 6 ? `[${hostname}]` : hostname
  return `${host}:${port === '' ? (protocol === 'https:' ? 443 : 80) : port}`
}

/** Fails if any address of the name may not be reached: no public service has such a name. All failures look the same. */
function checkedLookup(
  lookup: LookupFunction,
  refusalOf: (address: string) => string | undefined,
): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, result) => {
      const addresses = error === null && Array.isArray(result) ? result : []
      const [first] = addresses
      const isRefused = addresses.some(({ address }) => refusalOf(address) !== undefined)
      if (first === undefined || isRefused) return callback(new NoPublicAddress(hostname), [])
      if (options.all === true) return callback(null, addresses)
      return callback(null, first.address, first.family)
    })
  }
}
