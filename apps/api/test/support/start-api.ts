import { once } from 'node:events'
import type { Server } from 'node:http'
import { createQueue, type Queue } from '@queue/core'
import { databaseOf, findInternals } from '@queue/core/internal'
import { createReadiness } from '@queue/service'
import { createMetricsRegistry } from '@queue/telemetry'
import { createTestDatabase, type LogLine, recordLogger, type TestDatabase } from '@queue/testing'
import { createJobLinks } from '../../src/access/job-links.ts'
import { createDiagnose } from '../../src/diagnoses.ts'
import { connectionsMaxDefault, keepAliveMs } from '../../src/http/limits.ts'
import { type AppOptions, createApp } from '../../src/app.ts'
import { createHttpServer } from '../../src/http/server.ts'
import { checkedFetch, type CheckedResponse } from './checked-fetch.ts'

/** An API that listens on a free port of this process. */
export interface TestApi {
  readonly base: string
  readonly port: number
  readonly log: readonly LogLine[]
  fetch(path: string, init?: RequestInit): Promise<CheckedResponse>
  /** POSTs a body: JSON unless it is text already. */
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<CheckedResponse>
  close(): Promise<void>
}

/** Starts an API on whatever is given instead of a database. */
export async function startApi(
  options: Omit<AppOptions, 'logger' | 'registry'> & Partial<Pick<AppOptions, 'registry'>>,
): Promise<TestApi> {
  const logger = recordLogger()
  const jobLinks = createJobLinks({
    secret: 'a-secret-of-these-tests',
    token: options.token,
    keys: undefined,
    nowMs: () => Date.now(),
  })
  const { queue } = options
  const app = createApp({
    jobLinks,
    ...(isConnected(queue) && {
      diagnose: createDiagnose({ database: databaseOf(queue), nowMs: () => Date.now() }),
    }),
    registry: createMetricsRegistry({ service: 'api-test' }),
    ...options,
    logger,
  })
  const server = createHttpServer(app, { connectionsMax: connectionsMaxDefault })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // As it is deployed: with Node's own 5 s a test that waits so long finds its connection closed.
  server.keepAliveTimeout = keepAliveMs
  return { ...talkTo(server), log: logger.lines }
}

/** Whether it is a queue with a database, and not what a test has put in its place. */
function isConnected(queue: AppOptions['queue']): queue is Queue {
  return findInternals(queue) !== undefined
}

function talkTo(server: Server): Omit<TestApi, 'log'> {
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('the server does not listen')
  const base = `http://127.0.0.1:${address.port}`
  const fetchChecked: TestApi['fetch'] = (path, init) => checkedFetch(base, path, init)
  return {
    base,
    port: address.port,
    fetch: fetchChecked,
    post: (path, body, headers = {}) => fetchChecked(path, postOf(body, headers)),
    close: async () => {
      server.close()
      server.closeAllConnections()
      if (server.listening) await once(server, 'close')
    },
  }
}

function postOf(body: unknown, headers: Record<string, string>): RequestInit {
  if (body === undefined) return { method: 'POST', headers }
  return {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  }
}

export interface DatabaseApi extends TestApi {
  readonly database: TestDatabase
  /** The queue as this API has it. */
  readonly queue: Queue
}

interface DatabaseApiOptions extends Partial<AppOptions> {
  /** How many connections its queue may have. Default: that of `createQueue`. */
  readonly poolMax?: number
}

/** Starts an API on a database of its own, with the role of an API; `database` is the owner's. */
export async function startDatabaseApi({
  poolMax,
  ...options
}: DatabaseApiOptions = {}): Promise<DatabaseApi> {
  const database = await createTestDatabase()
  const queue = createQueue({
    connectionString: database.urlAs('api'),
    ...(poolMax !== undefined && { poolMax }),
  })
  const api = await startApi({
    queue,
    readiness: createReadiness({ database: databaseOf(queue) }),
    ...options,
  })
  const close = async (): Promise<void> => {
    await api.close()
    await queue.close()
    await database.close()
  }
  return { ...api, database, queue, close }
}
