import { createTestDatabase, type TestDatabase } from '@queue/testing'
import { raceBoundedWaits } from '../bounds/bounded-waits.ts'
import { type Chain, drawChain, findForgedAddresses, trustedNetworks } from '../bounds/forged-addresses.ts'
import { startApiProcess } from '../fleet/api-process.ts'
import { type Scenario, type ScenarioContext, resultOf } from './scenario.ts'

const token = 'a-token-of-the-fault-suite'
const chainsAtOnce = 20

/**
 * Clients write addresses of proxies, of others and of nobody into the headers that their proxies extend, while waits with bounds
 * are for jobs that move out of them and back.
 */
export const bounds: Scenario = {
  number: 41,
  name: 'bounds',
  law: 'nobody chooses the address that the audit log has, and a wait tells nothing of jobs beyond its bounds',
  counted: 'waits, and tenths of them forged addresses',
  full: { jobs: 0, count: 30_000, minutesMax: 10 },
  reduced: { jobs: 0, count: 400, minutesMax: 2 },
  run: async ({ serverUrl, size, random, signal, defect, mutation }) => {
    const database = await createTestDatabase({ serverUrl })
    try {
      const chains = Array.from({ length: Math.ceil(size.count / 10) }, () => drawChain(random))
      const [forged, { faults, outcomes }] = await Promise.all([
        forgeAddresses(database, { chains, signal, defect }),
        raceBoundedWaits(database, { random: random.fork('waits'), waits: size.count, signal, mutation }),
      ])
      const isVoid = Object.values(outcomes).includes(0)
      return resultOf({
        faults: [...forged, ...faults],
        counts: { addresses: chains.length, ...outcomes },
        voidBecause: isVoid ? 'the waits did not end in every way' : undefined,
      })
    } finally {
      await database.close()
    }
  },
}

interface Forging extends Pick<ScenarioContext, 'signal' | 'defect'> {
  readonly chains: readonly Chain[]
}

/** Sends the chains to an API of its own. Returns what is wrong. */
async function forgeAddresses(
  database: TestDatabase,
  { chains, signal, defect }: Forging,
): Promise<string[]> {
  const api = await startApiProcess({
    env: { DATABASE_URL: database.urlAs('api'), API_TOKEN: token, API_TRUSTED_PROXIES: trustedNetworks },
    defect,
  })
  const forged: string[] = []
  try {
    for (let n = 0; n < chains.length && !signal.aborted; n += chainsAtOnce) {
      const some = chains.slice(n, n + chainsAtOnce)
      forged.push(...(await findForgedAddresses({ url: api.url, token, database }, some)))
    }
    return forged
  } finally {
    await api.stop()
  }
}
