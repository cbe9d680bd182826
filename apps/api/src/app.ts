import {
  builtInJobs,
  createGroupedEnqueue,
  type EnqueueTracing,
  type GroupedEnqueue,
  type JobDefinition,
  QueueError,
} from '@queue/core'
import { traceEnqueues } from '@queue/core/fields'
import type { Readiness } from '@queue/service'
import { createHttpMetrics, limitLines, type Logger, type MetricsRegistry } from '@queue/telemetry'
import express, { type Express } from 'express'
import { createKeyBudgets, type KeyBudgetLimits } from './access/budget.ts'
import type { JobLinks } from './access/job-links.ts'
import type { RequestRates } from './access/request-rates.ts'
import { type QueueOf, scopedServices } from './access/scoped-services.ts'
import type { Diagnose } from './diagnoses.ts'
import type { Bundle } from './dashboard/load-bundle.ts'
import { type IssuerSignIn, serveDashboard } from './dashboard/serve-dashboard.ts'
import type { Sessions } from './dashboard/sessions.ts'
import { type Authenticate, letEverybodyIn, requireCredential } from './http/authenticate.ts'
import { type AllowedHosts, ownHosts, refuseForeignOrigin, requireOwnHost } from './http/foreign-pages.ts'
import { handleErrors } from './http/handle-errors.ts'
import {
  eventStreamsMax,
  keyBytesMaxDefault,
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
import { createEventStreams } from './watch/event-streams.ts'
import { createJobWatcher } from './watch/job-watcher.ts'

export interface AppOptions {
  readonly queue: ApiQueue
  readonly readiness: Readiness
  /** What doctor finds. Without it nothing is known: the API says that it has no database to look at. */
  readonly diagnose?: Diagnose | undefined
  readonly logger: Logger
  /** Not shared with another app: the metrics of HTTP are registered in it. */
  readonly registry: MetricsRegistry
  /** Aborted when the process begins to stop: answers then ask their clients for a new connection. */
  readonly stopping?: AbortSignal
  /** The kinds of job that may be enqueued; the built-in ones by default. */
  readonly catalogue?: readonly JobDefinition[]
  /** The kinds of `catalogue` and of the registry, where the caller tells it of changes. Default: one of the app's own. */
  readonly kinds?: KindCatalogue
  /** Default `refuse`. */
  readonly unknownKinds?: KindCatalogueOptions['unknownKinds']
  /** Default `refuse`. */
  readonly kindChanges?: Services['kindChanges']
  /** The bearer token that permits everything. */
  readonly token?: string | undefined
  /** Whose any other bearer credential is. Without it and without `token`, everybody may do everything. */
  readonly authenticate?: Authenticate | undefined
  /** The OpenID Connect issuer whose tokens `authenticate` knows: the document names it. */
  readonly issuer?: string | undefined
  /** Counts the requests of keys that have a rate. Without it none is limited. */
  readonly rates?: RequestRates | undefined
  /** Makes links that read one job. Without it there are none. */
  readonly jobLinks?: JobLinks | undefined
  /** What the requests of one key may have of this process at once. Default: 200 streams, 200 waits, 64 MiB of bodies. */
  readonly budgets?: KeyBudgetLimits | undefined
  /** The queue as a caller with bounds has it. Without it none is served. */
  readonly queueOf?: QueueOf | undefined
  /**
   * The hosts that requests may name, beside the loopback names and the address that was reached. Default: any with a
   * token, which no page of another site has, and no further one without.
   */
  readonly allowedHosts?: AllowedHosts | undefined
  /** Whether the documentation is served, to everybody. Default `on`. */
  readonly docs?: 'on' | 'off'
  /** The dashboard, served to everybody: what it shows, it asks the API for. Without it none is served. */
  readonly dashboard?: { readonly bundle: Bundle; readonly basePath?: string | undefined } | undefined
  /** Who is signed in to the dashboard. Without it nobody can be, where credentials are asked for. */
  readonly sessions?: Sessions | undefined
  /** Where people sign in to the dashboard without a key. Absent: nowhere. */
  readonly signIn?: IssuerSignIn | undefined
  /** Default `replay`. */
  readonly idempotencyMismatch?: IdempotencyMismatch
  /** Milliseconds until a request is answered with 504; default 30 000. */
  readonly requestTimeoutMs?: number
  /** How many jobs may wait to be written at once; one more is answered with 503. Default 1 000. */
  readonly enqueueWaitingMax?: number
  /** How many streams of events may be open at once; one more is answered with 503. Default 1 000. */
  readonly eventStreamsMax?: number
  /** What writes the jobs of POST /jobs; by default, what arrives together is written together. */
  readonly enqueuer?: GroupedEnqueue
  /** Makes the enqueue of each request an operation of a trace. The queue itself is then to have none. */
  readonly tracing?: EnqueueTracing
}

export type KindsOptions = Pick<AppOptions, 'catalogue' | 'queue' | 'logger' | 'unknownKinds'>

/** The HTTP API as an Express app, to be served by `createHttpServer`. Throws when two definitions share a kind. */
export function createApp(options: AppOptions): Express {
  const kinds = options.kinds ?? kindsOf(options)
  const requestTimeoutMs = options.requestTimeoutMs ?? requestTimeoutMsDefault
  const stopping = options.stopping ?? new AbortController().signal
  const watcher = createJobWatcher((ids) => options.queue.states(ids))
  const { queue, logger, tracing, enqueueWaitingMax: waitingMax, token, authenticate, rates } = options
  const isOpen = token === undefined && authenticate === undefined
  const served = options.docs === 'off' ? operations.filter(({ tag }) => tag !== 'Documentation') : operations
  const grouping = { waitingMax, tracing, waiting: { now: 0 } }
  const everybodys: Omit<Services, 'servicesFor'> = {
    queue: { ...queue, enqueueMany: traceEnqueues(queue.enqueueMany, tracing) },
    grouped: options.enqueuer ?? createGroupedEnqueue(queue, grouping),
    kinds,
    kindChanges: options.kindChanges ?? 'refuse',
    watcher,
    eventStreams: createEventStreams({
      watcher,
      stopping,
      streamsMax: options.eventStreamsMax ?? eventStreamsMax,
    }),
    jobLinks: options.jobLinks,
    shared: createSharedAnswers(() => performance.now()),
    budgets: createKeyBudgets(options.budgets ?? budgetsDefault),
    waitMsMax: Math.min(waitSecondsMax * 1_000, (requestTimeoutMs * 5) / 6),
    stopping,
    readiness: options.readiness,
    diagnose: options.diagnose ?? diagnoseNothing,
    registry: options.registry,
    openApiText: JSON.stringify(buildDocument(kinds.definitions, options.issuer)),
    idempotencyMismatch: options.idempotencyMismatch ?? 'replay',
  }
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  app.set('query parser', false)
  app.use(observeRequests({ logger, metrics: createHttpMetrics(options.registry) }))
  app.use(closeConnections(stopping))
  app.use(limitTime(requestTimeoutMs))
  app.use(securityHeaders())
  app.use(requireOwnHost(ownHosts(options.allowedHosts ?? (isOpen ? [] : 'any'))))
  app.use(refuseForeignOrigin)
  if (options.dashboard !== undefined) {
    const { bundle, basePath = '' } = options.dashboard
    const sessions = isOpen ? undefined : options.sessions
    app.use(serveDashboard({ bundle, basePath, sessions, signIn: options.signIn, logger }))
  }
  if (isOpen) app.use(letEverybodyIn)
  else {
    const onRefused = limitLines(
      (fields) => logger.info('a request without a valid credential was refused', fields),
      {
        linesMax: refusedTokenLinesPerMinuteMax,
      },
    )
    const publicPaths = publicPathsOf(served)
    app.use(
      requireCredential({ token, authenticate, sessions: options.sessions, rates, publicPaths, onRefused }),
    )
  }
  const servicesFor = scopedServices({ everybodys, queueOf: options.queueOf ?? serveNobody, grouping })
  app.use(createRouter(served, servicesFor))
  app.use(handleErrors(logger))
  return app
}

/** A key with bounds opens nothing where nothing holds it to them. */
const serveNobody: QueueOf = () => {
  throw new QueueError('database_unavailable', 'this API serves no keys with bounds')
}

/** As with a database that cannot be reached. */
const diagnoseNothing: Diagnose = () =>
  Promise.reject(
    new QueueError('database_unavailable', 'this API has no database of which to make a diagnosis'),
  )

const budgetsDefault: KeyBudgetLimits = {
  streamsMax: keyStreamsMaxDefault,
  waitsMax: keyWaitsMaxDefault,
  bytesMax: keyBytesMaxDefault,
}

/** The kinds of these options, without anybody who tells of changes in the registry. */
export function kindsOf({ catalogue, queue, logger, unknownKinds }: KindsOptions): KindCatalogue {
  return createKindCatalogue({
    definitions: catalogue ?? builtInJobs,
    list: () => queue.kinds.list(),
    unknownKinds: unknownKinds ?? 'refuse',
    onUncompilable: ({ kind, version }, error) =>
      logger.warn('the schema of a kind cannot be compiled: its payloads are checked by its handlers alone', {
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
