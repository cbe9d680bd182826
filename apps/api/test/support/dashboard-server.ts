import { createQueue, createTenantQueues, type Queue, type TenantScope } from '@queue/core'
import { databaseOf } from '@queue/core/internal'
import { createReadiness } from '@queue/service'
import { createTestDatabase, type TestDatabase } from '@queue/testing'
import { createKeyVerifier } from '../../src/access/key-verifier.ts'
import { createKeyCache } from '../../src/access/key-cache.ts'
import { createAuthorizationCode } from '../../src/access/oidc/authorization-code.ts'
import { createIssuerKeys } from '../../src/access/oidc/issuer-keys.ts'
import { type ClaimMapping, principalsOfClaims } from '../../src/access/oidc/token-claims.ts'
import { createRequestRates } from '../../src/access/request-rates.ts'
import type { AppOptions } from '../../src/app.ts'
import type { QueueOf } from '../../src/access/scoped-services.ts'
import { loadBundle } from '../../src/dashboard/load-bundle.ts'
import { createSessions } from '../../src/dashboard/sessions.ts'
import { type DashboardWorld, fillQueue, schedules } from './dashboard-world.ts'
import { startApi, type TestApi } from './start-api.ts'
import { issuerClient, issuerKey, startIssuerAt, type TestIssuer } from './test-issuer.ts'

/** The token of the API, which has access to everything. */
export const token = 'a-token-of-the-dashboard'
export const bearer = { authorization: `Bearer ${token}` }

/** A valid payload for the kind send_email. */
export const mail = { to: 'ada@example.com', subject: 'Hello', body: 'Hello.' }

/** A dashboard with a typical state of the queue, on its own database. */
export interface TestDashboard {
  readonly api: TestApi
  readonly database: TestDatabase
  /** The queue that the API uses. */
  readonly queue: Queue
  readonly world: DashboardWorld
  readonly issuer: TestIssuer
  /** Starts another API with a queue of the caller, who closes both. */
  serve(queue: Queue, options?: Pick<AppOptions, 'clientOf'>): Promise<TestApi>
  close(): Promise<void>
}

export async function startDashboard(): Promise<TestDashboard> {
  const database = await createTestDatabase()
  const queue = createQueue({ connectionString: database.urlAs('api') })
  const tenants = createTenantQueues({
    queue,
    connectionString: database.urlAs('api_tenant'),
  })
  // By name and not by address, so that it is another site for the browser.
  const issuer = await startIssuerAt('localhost', await issuerKey('first'))
  const queueOf: QueueOf = (scope) => tenants.of(scope as TenantScope)
  const serve: TestDashboard['serve'] = (served, options) =>
    serveDashboard({ queue: served, queueOf, issuer, ...options })
  const [api, world] = await Promise.all([serve(queue), fillQueue(database)])
  for (const schedule of schedules) await api.post('/schedules', schedule, bearer)
  await api.fetch('/schedules/monthly-invoices/pause', { method: 'POST', headers: bearer })
  const close = async (): Promise<void> => {
    await api.close()
    await issuer.close()
    await tenants.close()
    await queue.close()
    await database.close()
  }
  return { api, database, queue, world, issuer, serve, close }
}

interface ServedDashboard extends Pick<AppOptions, 'clientOf'> {
  readonly queue: Queue
  readonly queueOf: QueueOf
  readonly issuer: TestIssuer
}

/** An API with keys, sessions and the dashboard, composed as in `serveApi`. */
async function serveDashboard({ queue, queueOf, issuer, clientOf }: ServedDashboard): Promise<TestApi> {
  const database = databaseOf(queue)
  const nowMs = (): number => performance.now()
  const keys = createKeyCache({ database, nowMs })
  const authenticate = createKeyVerifier({ database, nowMs, keys })
  const rates = createRequestRates({ database, nowMs })
  const { clientId } = issuerClient
  const issuerKeys = createIssuerKeys({ issuer: issuer.url, logger: { warn: () => undefined }, nowMs })
  const principalOfClaims = principalsOfClaims({ issuer: issuer.url, clientId, mapping })
  const flow = createAuthorizationCode({
    ...issuerClient,
    issuer: issuer.url,
    scopes: ['openid'],
    keys: issuerKeys,
    nowMs: () => Date.now(),
  })
  return startApi({
    queue,
    token,
    clientOf,
    authenticate,
    readiness: createReadiness({ database }),
    dashboard: { bundle: await loadBundle() },
    sessions: createSessions({ database, nowMs, keys, rates, authenticate, token, principalOfClaims }),
    signIn: { name: 'login.example.com', flow },
    queueOf,
  })
}

const mapping: ClaimMapping = {
  rolesClaim: 'roles',
  roles: new Map([
    ['queue-admins', 'admin'],
    ['support', 'operate'],
  ]),
  tenantsClaim: 'tenants',
  allTenants: new Set(['queue-admins']),
}
