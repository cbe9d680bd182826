import { randomUUID } from 'node:crypto'
import { request } from 'node:http'
import type { TestDatabase } from '@queue/testing'
import type { Random } from '../nemesis/random.ts'

/** The proxies that the API trusts. Its other peers are clients. */
export const trustedNetworks = '127.0.0.1,10.0.0.0/8,::ffff:192.168.0.0/112,fd00::/8'
const proxies = [
  '10.0.0.1',
  '10.255.0.9',
  '::ffff:10.1.2.3',
  '192.168.7.7',
  'fd00::1',
  'FD00:0:0::2',
  'fd12::3%eth0',
]

/** Addresses of clients: as the audit log must have them, and as a proxy may write them. */
const clients: readonly (readonly [string, readonly string[]])[] = [
  ['203.0.113.9', ['203.0.113.9', '203.0.113.9:4711', '::ffff:203.0.113.9', '[::ffff:cb00:7109]:80']],
  ['2001:db8::9', ['2001:db8::9', '2001:0DB8:0:0::9', '[2001:db8::9]', '[2001:db8::9]:443']],
  ['::127.0.0.1', ['::7f00:1', '::127.0.0.1']],
]

/** What a client writes itself before its proxy appends its address. */
const lies = [
  '127.0.0.1',
  '10.0.0.1',
  '198.51.100.1',
  '::1',
  'fd00::1',
  'unknown',
  '',
  '"',
  ';',
  '198.51.100.1:1',
  '%',
]
const separators = [',', ', ', ' ,\t', ',  ']

/** A request, and the address that it must be counted for. */
export interface Chain {
  readonly headers: readonly string[]
  readonly localAddress: string
  readonly address: string
}

/** Draws what a client and its proxies write. The client is known, because it is drawn first. */
export function drawChain(random: Random): Chain {
  const written = Array.from({ length: random.between(0, 40) }, () => random.pick(lies))
  // A client that calls the API itself may write what looks like the work of proxies.
  if (random.chance(0.2)) {
    return { headers: [[...written, ...proxies].join(',')], localAddress: '127.0.0.2', address: '127.0.0.2' }
  }
  const [address, forms] = random.pick(clients)
  const hops = Array.from({ length: random.between(0, 3) }, () => random.pick(proxies))
  // A proxy that does not know its caller is the last that is known.
  const isUnknown = random.chance(0.1)
  const caller = isUnknown ? random.pick(['unknown', '', '_hidden', '012.0.0.1']) : random.pick(forms)
  const members = [...written, caller, ...hops]
  const cut = random.between(0, members.length - 1)
  const headers = [members.slice(0, cut), members.slice(cut)].map((part) =>
    part.join(random.pick(separators)),
  )
  const known = isUnknown ? (hops[0] ?? '127.0.0.1') : address
  return { headers: cut === 0 ? headers.slice(1) : headers, localAddress: '127.0.0.1', address: plain(known) }
}

/** The forms of the proxies above in the audit log. */
function plain(address: string): string {
  const forms: Readonly<Record<string, string>> = {
    '::ffff:10.1.2.3': '10.1.2.3',
    'FD00:0:0::2': 'fd00::2',
    'fd12::3%eth0': 'fd12::3',
  }
  return forms[address] ?? address
}

interface Target {
  readonly url: string
  readonly token: string
  readonly database: TestDatabase
}

/** Sends acts with drawn chains, and compares the addresses in their entries of the audit log. Returns what is wrong. */
export async function findForgedAddresses(
  { url, token, database: { pool, schema } }: Target,
  chains: readonly Chain[],
): Promise<string[]> {
  const sent = await Promise.all(
    chains.map(async (chain) => {
      const requestId = randomUUID()
      return { ...chain, requestId, status: await act({ url, token, requestId, chain }) }
    }),
  )
  const { rows } = await pool.query<{ request_id: string; address: string }>(
    `SELECT request_id, address FROM "${schema}".audit_log WHERE request_id = ANY($1)`,
    [sent.map(({ requestId }) => requestId)],
  )
  const addresses = new Map(rows.map((row) => [row.request_id, row.address]))
  return sent
    .map((each) => ({ ...each, found: addresses.get(each.requestId) }))
    .filter(({ status, found, address }) => status !== 200 || found !== address)
    .map(
      ({ status, found, address, headers, localAddress }) =>
        `${localAddress} with ${JSON.stringify(headers)} was ${found} instead of ${address} (status ${status})`,
    )
}

interface Act {
  readonly url: string
  readonly token: string
  readonly requestId: string
  readonly chain: Chain
}

/** An act that changes nothing, and has an entry. */
function act({ url, token, requestId, chain: { headers, localAddress } }: Act): Promise<number> {
  const body = JSON.stringify({ filter: { kind: 'none' } })
  return new Promise((resolve, reject) => {
    const sent = request(new URL('/jobs/cancel', url), {
      method: 'POST',
      localAddress,
      headers: [
        ['host', new URL(url).host],
        ['authorization', `Bearer ${token}`],
        ['content-type', 'application/json'],
        ['content-length', String(body.length)],
        ['x-request-id', requestId],
        ...headers.map((header) => ['X-Forwarded-For', header]),
      ].flat(),
    })
    sent.once('error', reject)
    sent.once('response', (response) => {
      response.resume().once('end', () => resolve(response.statusCode ?? 0))
    })
    sent.end(body)
  })
}
