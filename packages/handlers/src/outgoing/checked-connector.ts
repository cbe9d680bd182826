import { lookup as systemLookup } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { buildConnector } from 'undici'
import { refusalOfAddress } from './address-rules.ts'
import { NoPublicAddress, refusedAddress, withoutBrackets } from './outgoing-url.ts'

export interface ConnectorOptions {
  /** Hosts with their ports that are not checked. */
  readonly allow: readonly string[]
  readonly timeoutMs: number
  /** How names are resolved. Default: by the system, as every program on the machine does. */
  readonly lookup?: LookupFunction
  /** Why an address may not be reached; undefined when it may. */
  readonly refusalOf?: (address: string) => string | undefined
}

/**
 * Connects to public addresses only. The addresses that are checked are the very ones that the socket then connects to:
 * the check is the socket's own name resolution, so a name cannot resolve to something else in between.
 */
export function createCheckedConnector(options: ConnectorOptions): buildConnector.connector {
  const { allow, timeoutMs, lookup = systemLookup, refusalOf = refusalOfAddress } = options
  const unchecked = buildConnector({ timeout: timeoutMs, lookup })
  const checked = buildConnector({ timeout: timeoutMs, lookup: checkedLookup(lookup, refusalOf) })
  return (target, callback) => {
    const address = withoutBrackets(target.hostname)
    if (allow.includes(targetName(target))) return unchecked(target, callback)
    // A socket resolves no address, so nothing would look at it.
    const range = isIP(address) === 0 ? undefined : refusalOf(address)
    if (range !== undefined) return callback(refusedAddress(target.hostname, range), null)
    return checked(target, callback)
  }
}

function targetName({ hostname, port, protocol }: buildConnector.Options): string {
  const host = isIP(hostname) === 6 ? `[${hostname}]` : hostname
  return `${host}:${port === '' ? (protocol === 'https:' ? 443 : 80) : port}`
}

/** Fails when any address of the name may not be reached: such a name is not one that a public service has. Each failure is the same. */
function checkedLookup(
  lookup: LookupFunction,
  refusalOf: (address: string) => string | undefined,
): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      const addresses = error === null && Array.isArray(found) ? found : []
      const [first] = addresses
      const isRefused = addresses.some(({ address }) => refusalOf(address) !== undefined)
      if (first === undefined || isRefused) return callback(new NoPublicAddress(hostname), [])
      if (options.all === true) return callback(null, addresses)
      return callback(null, first.address, first.family)
    })
  }
}
