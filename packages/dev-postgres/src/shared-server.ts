import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { PostgresServer } from './postgres-server.ts'

/** The variable that tells the processes of one test run the address at which they get the URL of their shared server. */
const sharedServerVariable = 'QUEUE_TEST_SERVER'

/** One server for all processes of a test run. It starts when the first of them requests it. */
export interface SharedServerOffer {
  /** Environment variables for the processes that share the server. */
  readonly environment: Readonly<Record<string, string>>
  /** Ends the offer, and stops the server if it was started. */
  stop(): Promise<void>
}

/**
 * Offers a server to the child processes of this one. It answers on a loopback port, only to requests with the secret from
 * the environment, and does not keep this process alive.
 */
export async function offerSharedServer(acquire: () => Promise<PostgresServer>): Promise<SharedServerOffer> {
  let acquired: Promise<PostgresServer> | undefined
  const secret = `/${randomBytes(24).toString('hex')}`
  const offer = createServer((request, response) => {
    if (request.url !== secret) {
      response.writeHead(404).end()
      return
    }
    acquired ??= acquire()
    acquired.then(
      (server) => response.end(server.url),
      (error: unknown) => response.writeHead(500).end(String(error)),
    )
  })
  const port = await new Promise<number>((resolve, reject) => {
    offer.once('error', reject)
    offer.listen(0, '127.0.0.1', () => {
      const address = offer.address()
      resolve(typeof address === 'object' && address !== null ? address.port : 0)
    })
  })
  offer.unref()
  return {
    environment: { [sharedServerVariable]: `http://127.0.0.1:${port}${secret}` },
    async stop() {
      offer.close()
      offer.closeAllConnections()
      const server = await acquired?.catch(() => undefined)
      await server?.stop()
    },
  }
}

/** The URL of the server that this test run shares; undefined outside of such a run. Throws if the server did not start. */
export async function requestSharedServer(environment: NodeJS.ProcessEnv): Promise<string | undefined> {
  const address = environment[sharedServerVariable]
  if (address === undefined) return undefined
  const response = await fetch(address, { headers: { connection: 'close' } })
  const answer = await response.text()
  if (!response.ok) throw new Error(`The test run's PostgreSQL could not be started: ${answer}`)
  return answer
}
