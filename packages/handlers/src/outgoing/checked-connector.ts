import { lookup as systemLookup } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { buildConnector } from 'undici'
import { refusalOfAddress } from './address-rules.ts'
import { refusedAddress, withoutBrackets } from './outgoing-url.ts'

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

/** Fails when any address of the name may not be reached: such a name is not one that a public service has. */
function checkedLookup(
  lookup: LookupFunction,
  refusalOf: (address: string) => string | undefined,
): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error !== null) return callback(error, [])
      const addresses = Array.isArray(found) ? found : []
      const [first] = addresses
      const refusal = addresses.map(({ address }) => refusalOf(address)).find((range) => range !== undefined)
      if (refusal !== undefined) return callback(refusedAddress(hostname, refusal), [])
      if (first === undefined) return callback(new Error(`${hostname} has no address`), [])
      if (options.all === true) return callback(null, addresses)
      return callback(null, first.address, first.family)
    })
  }
}
