import { setTimeout as wait } from 'node:timers/promises'
import {
  builtInJobs,
  createGroupedEnqueue,
  type EnqueueTracing,
  type GroupedEnqueue,
  type JobDefinition,
  limits,
  QueueError,
} from '@queue/core'
import { traceEnqueues } from '@queue/core/internal'
import type { Readiness } from '@queue/service'
import {
  createHttpMetrics,
  limitLines,
  type LogFields,
  type Logger,
  type MetricsRegistry,
} from '@queue/telemetry'
import express, { type Express, type RequestHandler } from 'express'
import { connectionBounds, createAdmission, enqueueBounds, scrapeBounds } from './access/admission.ts'
import { createKeyBudgets, type KeyBudgetLimits } from './access/budget.ts'
import type { JobLinks } from './access/job-links.ts'
import { createLoopTurns, type LoopTurns, takeTurns } from './access/loop-turns.ts'
import { createRefusalPace } from './access/refusal-pace.ts'
import type { RequestRates } from './access/request-rates.ts'
import { type QueueOf, scopedServices } from './access/scoped-services.ts'
import type { Diagnose } from './diagnoses.ts'
import type { Bundle } from './dashboard/load-bundle.ts'
import { type IssuerSignIn, serveDashboard } from './dashboard/serve-dashboard.ts'
import type { Sessions } from './dashboard/sessions.ts'
import { allowAnonymous, requireCredential } from './http/authenticate.ts'
import type { Authenticate } from './http/principal.ts'
import { type AllowedHosts, ownHosts, refuseForeignOrigin, requireOwnHost } from './http/foreign-pages.ts'
import { handleErrors } from './http/handle-errors.ts'
import {
  connectionsMaxDefault,
  eventStreamsMax,
  keyBytesMaxDefault,
  keyConnectionsShare,
  keyStreamsMaxDefault,
  keyWaitsMaxDefault,
  refusedTokenLinesPerMinuteMax,
  requestTimeoutMsDefault,
  waitSecondsMax,
} from './http/limits.ts'
import type { Operation } from './http/operation.ts'
import { limitTime, observeRequests } from './http/request-context.ts'
import { createRouter } from './http/router.ts'
import { securityHeaders } from './http/security-headers.ts'
import { closeConnections } from './http/server.ts'
import { createSharedAnswers } from './http/shared-answers.ts'
import { buildDocument } from './openapi/build-document.ts'
import { createKindCatalogue, type KindCatalogue, type KindCatalogueOptions } from './kinds/kind-catalogue.ts'
import { operations } from './operations/index.ts'
import type { ApiQueue, IdempotencyMismatch, Services } from './services.ts'
import { type ClientOf, peerOf } from './trusted-proxies.ts'
import { createEventStreams } from './watch/event-streams.ts'
import { createJobWatcher } from './watch/job-watcher.ts'
import { createLineReads } from './watch/line-reads.ts'

export interface AppOptions extends AccessOptions {
  readonly queue: ApiQueue
  readonly readiness: Readiness
  /** Runs the doctor checks. Without it, GET /diagnosis answers that the database is unavailable. */
  readonly diagnose?: Diagnose | undefined
  readonly logger: Logger
  /** Not shared with another app: the HTTP metrics are registered in it. */
  readonly registry: MetricsRegistry
  /** Aborted when the process begins to stop. Responses then ask clients to open a new connection. */
  readonly stopping?: AbortSignal
  /** The kinds that can be enqueued. Default: the built-in kinds. */
  readonly catalogue?: readonly JobDefinition[]
  /** A catalogue of kinds that the caller expires when the registry changes. Default: one without notifications. */
  readonly kinds?: KindCatalogue
  /** Default `refuse`. */
  readonly unknownKinds?: KindCatalogueOptions['unknownKinds']
  /** Default `refuse`. */
  readonly kindChanges?: Services['kindChanges']
  /**
   * The hosts that requests may name, in addition to the loopback names and the server address. Default: any host with
   * authentication, because pages of other sites have no credential; otherwise none.
   */
  readonly allowedHosts?: AllowedHosts | undefined
  /** Finds the address of the client of a request. Default: the other end of its connection. */
  readonly clientOf?: ClientOf | undefined
  /** Whether the documentation is served, without authentication. Default `on`. */
  readonly docs?: 'on' | 'off'
  /** The dashboard. Its page needs no authentication; the data it shows does. Absent: it is not served. */
  readonly dashboard?: { readonly bundle: Bundle; readonly basePath?: string | undefined } | undefined
  /** Default `replay`. */
  readonly idempotencyMismatch?: IdempotencyMismatch
  /** Milliseconds until a request is answered with 504. Default 30 000. */
  readonly requestTimeoutMs?: number
  /** Maximum number of jobs that wait to be written. Further ones are answered with 503. Default 1 000. */
  readonly enqueueWaitingMax?: number
  /** Maximum number of connections of each pool. Default 10. */
  readonly databaseConnectionsMax?: number
  /** Maximum number of open event streams. Further ones are answered with 503. Default 1 000. */
  readonly eventStreamsMax?: number
  /** Writes the jobs of POST /jobs. Default: concurrent requests are written together. */
  readonly enqueuer?: GroupedEnqueue
  /** The turns of callers for the event loop. Default: those of this process. */
  readonly turns?: LoopTurns
  /** Traces the enqueue of each request. The queue itself must then have no tracing. */
  readonly tracing?: EnqueueTracing
}

/** Who may call the API, and how much. */
interface AccessOptions {
  /** The bearer token that has every permission. */
  readonly token?: string | undefined
  /** Verifies every other bearer credential. Without it and without `token`, every caller has every permission. */
  readonly authenticate?: Authenticate | undefined
  /** The OpenID Connect issuer whose tokens `authenticate` accepts, for the OpenAPI document. */
  readonly issuer?: string | undefined
  /** Counts the requests of keys with a rate limit. Without it, none is limited. */
  readonly rates?: RequestRates | undefined
  /** Creates links that read one job. Without it, links are not supported. */
  readonly jobLinks?: JobLinks | undefined
  /** What the requests of one key can use of this process at a time. Default: 1 000 requests, 200 streams, 200 waits, 8 MiB of bodies. */
  readonly budgets?: Partial<KeyBudgetLimits> | undefined
  /** The queue of a scoped caller. Without it, scoped callers are refused. */
  readonly queueOf?: QueueOf | undefined
  /** The sessions of the dashboard. Without it, nobody can sign in to a dashboard that needs it. */
  readonly sessions?: Sessions | undefined
  /** Sign-in to the dashboard at an OpenID Connect issuer. Absent: not available. */
  readonly signIn?: IssuerSignIn | undefined
}

export type KindsOptions = Pick<AppOptions, 'catalogue' | 'queue' | 'logger' | 'unknownKinds'>

/** The HTTP API as an Express app for `createHttpServer`. Throws if two definitions have the same kind. */
export function createApp(options: AppOptions): Express {
  const { queue, logger, tracing, enqueueWaitingMax: waitingMax } = options
  const stopping = options.stopping ?? new AbortController().signal
  const isOpen = options.token === undefined && options.authenticate === undefined
  const served = options.docs === 'off' ? operations.filter(({ tag }) => tag !== 'Documentation') : operations
  const grouping = { waitingMax, tracing, waiting: { now: 0 } }
  const unscoped: Omit<Services, 'servicesFor'> = {
    ...createServices(options, stopping),
    queue: { ...queue, enqueueMany: traceEnqueues(queue.enqueueMany, tracing) },
    grouped: options.enqueuer ?? createGroupedEnqueue(queue, grouping),
  }
  const { turns } = unscoped
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  app.set('query parser', false)
  app.use(
    observeRequests({
      logger,
      metrics: createHttpMetrics(options.registry),
      clientOf: options.clientOf ?? peerOf,
    }),
  )
  app.use(closeConnections(stopping))
  app.use(limitTime(options.requestTimeoutMs ?? requestTimeoutMsDefault))
  app.use(securityHeaders())
  app.use(requireOwnHost(ownHosts(options.allowedHosts ?? (isOpen ? [] : 'any'))))
  app.use(refuseForeignOrigin)
  if (options.dashboard !== undefined) {
    const { bundle, basePath = '' } = options.dashboard
    const sessions = isOpen ? undefined : options.sessions
    app.use(serveDashboard({ bundle, basePath, sessions, signIn: options.signIn, turns, logger }))
  }
  app.use(isOpen ? allowAnonymous : authentication(options, { served, turns }))
  app.use(takeTurns(unscoped))
  const servicesFor = scopedServices({
    unscoped,
    queueOf: options.queueOf ?? refuseScopedCallers,
    tenantAdmission: createAdmission(connectionBounds(options.databaseConnectionsMax ?? poolMaxDefault)),
    grouping,
  })
  app.use(createRouter(served, servicesFor))
  app.use(handleErrors({ logger, turns, refusals: createRefusalPace(() => performance.now()) }))
  return app
}

/** The services of callers without a scope, except those that write jobs. */
function createServices(
  options: AppOptions,
  stopping: AbortSignal,
): Omit<Services, 'servicesFor' | 'queue' | 'grouped'> {
  const kinds = options.kinds ?? kindsOf(options)
  const requestTimeoutMs = options.requestTimeoutMs ?? requestTimeoutMsDefault
  const watcher = createJobWatcher((ids) => options.queue.states(ids))
  return {
    kinds,
    kindChanges: options.kindChanges ?? 'refuse',
    watcher,
    eventStreams: createEventStreams({
      watcher,
      stopping,
      streamsMax: options.eventStreamsMax ?? eventStreamsMax,
    }),
    lineReads: createLineReads({
      readLogs: options.queue.logs,
      nowMs: () => performance.now(),
      wait: async (ms) => wait(ms),
    }),
    jobLinks: options.jobLinks,
    shared: createSharedAnswers(() => performance.now()),
    turns: options.turns ?? createLoopTurns({ nowMs: () => performance.now(), afterEvents: setImmediate }),
    admission: createAdmission(connectionBounds(options.databaseConnectionsMax ?? poolMaxDefault)),
    enqueueAdmission: createAdmission(enqueueBounds(options.enqueueWaitingMax ?? limits.enqueueWaitingMax)),
    scrapeAdmission: createAdmission(scrapeBounds),
    budgets: createKeyBudgets({ ...budgetsDefault, ...options.budgets }),
    waitMsMax: Math.min(waitSecondsMax * 1_000, (requestTimeoutMs * 5) / 6),
    stopping,
    readiness: options.readiness,
    diagnose: options.diagnose ?? refuseDiagnosis,
    registry: options.registry,
    openApiBytes: Buffer.from(JSON.stringify(buildDocument(kinds.definitions, options.issuer))),
    idempotencyMismatch: options.idempotencyMismatch ?? 'replay',
  }
}

/** Refuses requests without a valid credential, and logs a bounded number of them. */
function authentication(
  { token, authenticate, sessions, rates, logger }: AppOptions,
  { served, turns }: { readonly served: readonly Operation[]; readonly turns: LoopTurns },
): RequestHandler {
  const logRefusal = (fields: LogFields): void =>
    logger.info('a request without a valid credential was refused', fields)
  return requireCredential({
    token,
    authenticate,
    sessions,
    rates,
    publicPaths: publicPathsOf(served),
    turns,
    onRefused: limitLines(logRefusal, { linesMax: refusedTokenLinesPerMinuteMax }),
  })
}

/** Refuses scoped callers of an API that has no queue with their scope. */
const refuseScopedCallers: QueueOf = () => {
  throw new QueueError('database_unavailable', 'this API does not serve scoped credentials')
}

/** Refuses the diagnosis of an API that was created without a database. */
const refuseDiagnosis: Diagnose = () =>
  Promise.reject(new QueueError('database_unavailable', 'this API has no database to diagnose'))

/** As the pool of a queue has them. */
const poolMaxDefault = 10

const budgetsDefault: KeyBudgetLimits = {
  requestsMax: Math.floor(connectionsMaxDefault * keyConnectionsShare),
  streamsMax: keyStreamsMaxDefault,
  waitsMax: keyWaitsMaxDefault,
  bytesMax: keyBytesMaxDefault,
}

/** The catalogue of kinds for these options, without notifications of changes in the registry. */
export function kindsOf({ catalogue, queue, logger, unknownKinds }: KindsOptions): KindCatalogue {
  return createKindCatalogue({
    definitions: catalogue ?? builtInJobs,
    list: (kind) => queue.kinds.list(kind),
    unknownKinds: unknownKinds ?? 'refuse',
    onUncompilable: ({ kind, version }, error) =>
      logger.warn('the schema of a kind cannot be compiled, so only its handler validates payloads', {
        kind,
        version,
        error,
      }),
    nowMs: () => performance.now(),
  })
}

function publicPathsOf(served: readonly Operation[]): readonly string[] {
  return served.filter(({ permission }) => permission === 'none').map(({ path }) => path)
}
