import { loadDefinitions } from '@queue/admin'
import { builtInJobs, createQueue, type JobDefinition, type Queue, QueueError } from '@queue/core'
import { acquireTimeoutsOf } from '@queue/postgres'
import {
  connect,
  type ConnectedDatabase,
  databaseOf,
  deadLetterDepth,
  limitUsage,
  nextDueMs,
  oldestSnapshotSeconds,
  tableSizes,
  takesWrites,
  unservedJobs,
} from '@queue/core/internal'
import {
  announceReady,
  closeAtExit,
  closeHttpServer,
  ConfigError,
  createReadiness,
  listen,
  type MainContext,
  startOpsServer,
  waitForAbort,
  waitForSchema,
} from '@queue/service'
import {
  createMetricsRegistry,
  createRefusalMetrics,
  createTracing,
  observePools,
  observeQueues,
  type QueueReading,
} from '@queue/telemetry'
import { createKeyVerifier } from './access/key-verifier.ts'
import { createAuthorizationCode } from './access/oidc/authorization-code.ts'
import { createIssuerKeys } from './access/oidc/issuer-keys.ts'
import { principalsOfClaims } from './access/oidc/token-claims.ts'
import { createTokenVerifier } from './access/oidc/token-verifier.ts'
import { createJobLinks } from './access/job-links.ts'
import { createKeyCache, type KeyCache } from './access/key-cache.ts'
import { createRequestRates } from './access/request-rates.ts'
import { createScopedQueues } from './access/scoped-queues.ts'
import { createApp, kindsOf } from './app.ts'
import { loadBundle } from './dashboard/load-bundle.ts'
import { createSessions } from './dashboard/sessions.ts'
import { createDiagnose } from './diagnoses.ts'
import { asksForCredentials, type Config } from './config.ts'
import type { Authenticate } from './http/principal.ts'
import { accessConnectionsMax, keyConnectionsShare, statementTimeoutMs } from './http/limits.ts'
import { createHttpServer } from './http/server.ts'
import { watchKinds } from './kinds/watch-kinds.ts'
import { oidcOf } from './oidc-config.ts'
import { program } from './program.ts'

const nowMs = (): number => performance.now()

/** Time that a running probe has to finish at the stop. */
const opsGraceMs = 1_000

export interface ServeApiOptions {
  /** Kinds that the API accepts in addition to the built-in and the registered ones. */
  readonly definitions?: readonly JobDefinition[]
}

/**
 * Runs the API until the signal is aborted and the running requests are answered. It listens before the database is available, so
 * that probes can report why it is not ready. Throws the errors of `listen` and `waitForSchema`. The kinds are the built-in ones,
 * `definitions`, those of API_KINDS_MODULE and the registered ones.
 */
export async function serveApi(
  { config, logger, signal }: MainContext<Config, undefined>,
  { definitions = [] }: ServeApiOptions = {},
): Promise<void> {
  const { API_KINDS_MODULE: module, API_UNKNOWN_KINDS: unknownKinds } = config
  const loaded = module === undefined ? [] : await definitionsIn(module)
  const { registry, queue, scopes, access } = openObservedQueues(config)
  const database = databaseOf(queue)
  const readiness = createReadiness({ database, signal })
  const catalogue = [...builtInJobs, ...definitions, ...loaded]
  const kinds = kindsOf({ queue, logger, catalogue, unknownKinds })
  const kindsWatch =
    config.DATABASE_POOLER === 'transaction' ? undefined : watchKinds({ database, kinds, logger })
  const app = createApp({
    queue,
    logger,
    kinds,
    registry,
    tracing: createTracing(),
    readiness,
    diagnose: createDiagnose({ database, nowMs: () => Date.now() }),
    stopping: signal,
    ...accessOf({ config, database: access, logger }),
    ...(config.API_DASHBOARD && {
      dashboard: { bundle: await loadBundle(), basePath: config.API_BASE_PATH },
    }),
    queueOf: scopes.of,
    ...settingsOf(config),
  })
  const server = createHttpServer(app, { connectionsMax: config.API_MAX_CONNECTIONS })
  const address = { ...config.API_OPS_BIND_ADDR, variable: 'API_OPS_BIND_ADDR' }
  const probes = await startOpsServer({ readiness, logger, address })
  try {
    signal.throwIfAborted()
    const { url } = await listen(server, { ...config.API_BIND_ADDR, variable: 'API_BIND_ADDR' })
    const pages = {
      ...(config.API_DASHBOARD && { dashboard: `${url}/dashboard` }),
      ...(config.API_DOCS && { docs: `${url}/docs` }),
    }
    logger.info('listening', { url, ...pages, probes: probes.url })
    if (!asksForCredentials(config)) {
      logger.warn('neither API_TOKEN nor API_KEYS is set: every caller of the API has every permission')
    }
    await waitForSchema({ database, logger, signal })
    kindsWatch?.start()
    logger.info('ready', { url })
    announceReady(url)
    await waitForAbort(signal)
  } finally {
    const outcome = await closeHttpServer(server, { graceMs: config.API_SHUTDOWN_GRACE_MS })
    if (outcome === 'cut')
      logger.warn('requests were still running after API_SHUTDOWN_GRACE_MS, so their connections were closed')
    await probes.close({ graceMs: opsGraceMs })
    await closeAtExit(Promise.all([scopes.close(), kindsWatch?.stop(), access.close(), queue.close()]))
    logger.info('stopped')
  }
}

/** The queues, with the metrics of their pools and jobs. */
function openObservedQueues(config: Config) {
  const registry = createMetricsRegistry({ service: program.name, version: program.version })
  const { queue, scopes, access } = openQueues(config, createRefusalMetrics(registry))
  const pools = {
    main: databaseOf(queue).pool,
    access: access.pool,
    ...(scopes.tenantPool !== undefined && { tenants: scopes.tenantPool }),
  }
  observePools(registry, { pools, acquireTimeouts: acquireTimeoutsOf })
  observeQueues(registry, { read: () => readQueues(queue) })
  return { registry, queue, scopes, access }
}

/**
 * The queue of callers without a scope, those of scoped callers, and the database on which credentials are verified. It has
 * connections of its own, so that a revocation is seen, and nobody is cut off, while requests occupy all others. `onRefused` is
 * called for enqueues into full queues.
 */
function openQueues(config: Config, onRefused: (queue: string) => void) {
  const connection = {
    connectionString: config.DATABASE_URL,
    schema: config.QUEUE_SCHEMA,
    ...config.pool,
    applicationName: program.name,
    queryTimeoutMs: statementTimeoutMs,
    preparedStatements: config.DATABASE_POOLER !== 'transaction',
  }
  const queue = createQueue({ ...connection, onRefused })
  const tenantUrl = config.API_TENANT_DATABASE_URL
  const tenants = tenantUrl === undefined ? undefined : { ...connection, connectionString: tenantUrl }
  const access = connect({ ...connection, poolMax: accessConnectionsMax })
  return { queue, scopes: createScopedQueues({ queue, tenants }), access }
}

/** The settings of requests. */
function settingsOf(config: Config) {
  return {
    kindChanges: kindChangesOf(config),
    allowedHosts: config.API_ALLOWED_HOSTS,
    clientOf: config.API_TRUSTED_PROXIES,
    docs: config.API_DOCS ? 'on' : 'off',
    idempotencyMismatch: config.IDEMPOTENCY_MISMATCH,
    requestTimeoutMs: config.API_REQUEST_TIMEOUT_MS,
    enqueueWaitingMax: config.API_ENQUEUE_WAITING_MAX,
    databaseConnectionsMax: config.pool.poolMax,
  } as const
}

interface AccessOptions extends Pick<MainContext<Config, undefined>, 'config' | 'logger'> {
  readonly database: ConnectedDatabase
}

/** The settings of authentication and of rate limits. */
function accessOf({ config, database, logger }: AccessOptions) {
  const { API_TOKEN: token, API_LINK_SECRET: secret, API_OIDC_ISSUER: issuer } = config
  const keys = asksForCredentials(config) ? createKeyCache({ database, nowMs }) : undefined
  return {
    token,
    issuer,
    ...(keys !== undefined && credentialsOf({ config, database, logger }, keys)),
    ...(secret !== undefined && {
      jobLinks: createJobLinks({ secret, token, issuer, keys, nowMs: () => Date.now() }),
    }),
    budgets: {
      requestsMax: Math.max(1, Math.floor(config.API_MAX_CONNECTIONS * keyConnectionsShare)),
      streamsMax: config.API_KEY_MAX_STREAMS,
      waitsMax: config.API_KEY_MAX_WAITS,
      bytesMax: config.API_KEY_MAX_BYTES,
    },
  }
}

/** Verifies API keys, tokens of the issuer and sessions. */
function credentialsOf({ config, database, logger }: AccessOptions, keys: KeyCache) {
  const { API_KEY_RATE: rateDefault, API_TOKEN: token } = config
  const options = { database, keys, nowMs, rateDefault }
  const authenticateKey = createKeyVerifier(options)
  const issuer = issuerOf({ config, logger })
  const rates = createRequestRates(options)
  return {
    authenticate: withIssuer(authenticateKey, issuer?.authenticate),
    rates,
    sessions: createSessions({
      ...options,
      rates,
      authenticate: authenticateKey,
      token,
      principalOfClaims: issuer?.principalOfClaims,
    }),
    signIn: issuer?.signIn,
  }
}

/** Verifies the tokens of the issuer, and lets people sign in there; undefined without an issuer. */
function issuerOf({ config, logger }: Omit<AccessOptions, 'database'>) {
  const oidc = oidcOf(config)
  if (oidc === undefined) return undefined
  const { issuer, mapping, client } = oidc
  const keys = createIssuerKeys({ issuer, logger, nowMs })
  keys.warmUp()
  const clock = { nowMs: () => Date.now() }
  const rate = config.API_KEY_RATE
  return {
    authenticate: createTokenVerifier({ ...oidc, ...clock, keys, rate }),
    principalOfClaims: client && principalsOfClaims({ issuer, clientId: client.clientId, mapping, rate }),
    signIn: client && {
      name: new URL(issuer).hostname,
      flow: createAuthorizationCode({ ...client, ...clock, issuer, keys }),
    },
  }
}

/** Accepts API keys and, if there is an issuer, its tokens. */
function withIssuer(
  authenticateKey: Authenticate,
  authenticateToken: Authenticate | undefined,
): Authenticate {
  if (authenticateToken === undefined) return authenticateKey
  return async (credential) => (await authenticateKey(credential)) ?? authenticateToken(credential)
}

async function definitionsIn(module: string): Promise<readonly JobDefinition[]> {
  return loadDefinitions(module).catch((error: unknown) => {
    throw error instanceof QueueError ? new ConfigError([`API_KINDS_MODULE: ${error.message}`]) : error
  })
}

function kindChangesOf({ KIND_CHANGES, NODE_ENV }: Config): 'replace' | 'refuse' {
  if (KIND_CHANGES !== 'auto') return KIND_CHANGES
  return NODE_ENV === 'production' ? 'refuse' : 'replace'
}

/** One query after the other, so that a scrape uses only one connection. */
async function readQueues(queue: Queue): Promise<QueueReading> {
  const database = databaseOf(queue)
  const queues = await queue.queues()
  return {
    queues,
    deadLetters: await deadLetterDepth(database),
    tables: await tableSizes(database),
    oldestSnapshotSeconds: await oldestSnapshotSeconds(database),
    writable: await takesWrites(database),
    scheduleDueMs: await nextDueMs(database),
    unserved: await unservedJobs(database),
    limits: await limitUsage(database),
  }
}
