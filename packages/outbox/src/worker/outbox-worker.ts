import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { type ConnectOptions, QueueError } from '@queue/core'
import {
  assertArguments,
  assertKnownOptions,
  having,
  object,
  optional,
  callback,
} from '@queue/loop/arguments'
import {
  besidePool,
  connectionOptions,
  createListener,
  differentCure,
  differentReason,
  type Listener,
  type SchemaVersion,
} from '@queue/postgres'
import { type Logger, logLevels, neverThrowing, stderrLogger } from '@queue/loop'
import { type ConnectedOutbox, connectOutbox, outboxChannel } from '../database/outbox-database.ts'
import type { ClaimedMessage } from '../domain/message.ts'
import { checkOutboxSchema } from '../migrations/index.ts'
import type { OutboxTarget } from '../targets/target.ts'
import { createClaimer } from './claimer.ts'
import { type OutboxWorkerConfig, type OutboxWorkerSettings, parseConfig } from './config.ts'
import { beginDispatch, type Dispatch } from './dispatch.ts'
import { createRecovery, createRetention } from './maintenance.ts'
import { noObserver, type OutboxObserver } from './observer.ts'
import { createRelay, type DispatchEnd } from './relay.ts'
import { completeDispatch } from './complete-dispatch.ts'
import { createCompleter, type Completer } from './completer.ts'

export type OutboxWorkerOptions = ConnectOptions & {
  /** The destination of the messages: `toQueue`, `toHttp` or `toHandler`. */
  readonly target: OutboxTarget
  /** Settings that differ from the defaults. */
  readonly config?: OutboxWorkerSettings
  /** Default: writes warnings and errors to stderr. */
  readonly logger?: Logger
  /** Receives the events behind the metrics, such as `createOutboxMetrics` of `@queue/telemetry`. Default: none. */
  readonly metrics?: OutboxObserver
  /** A uniform draw from [0, 1), for retry jitter. */
  readonly random?: () => number
}

/** The relay. It claims messages from one outbox and delivers them to one target. Any number of relays may run at once. */
export interface OutboxWorker {
  /** The name in `leased_by` and in the history of messages. */
  readonly id: string
  /** How many messages are being dispatched now. */
  readonly running: number
  /**
   * Begins to relay. Throws `schema_mismatch` if this code cannot run on the schema, and `database_unavailable` if there is no
   * connection; a failed start can be tried again. A start during which the relay is stopped resolves once it is given up. Once
   * started, the relay survives outages of the database and of the target.
   */
  start(): Promise<void>
  /**
   * Stops claiming, returns messages that are not dispatched yet, and lets running dispatches end within `shutdownGrace`. Then it
   * aborts them and returns their messages. No returned message is charged. During the start it gives the start up: nothing is
   * claimed. Safe to call twice, and before the start.
   */
  stop(): Promise<void>
}

/**
 * How long the last writes may wait for the database. A message whose end is not written by then is due again after its lease.
 */
const lastWritesMs = 5_000

/** Creates a relay on its own pool, or on the caller's. Throws `InvalidInput` or `QueueError` (`invalid_options`). */
export function createOutboxWorker(options: OutboxWorkerOptions): OutboxWorker {
  assertKnownOptions('createOutboxWorker', options, {
    ...connectionOptions,
    target: true,
    config: true,
    logger: true,
    metrics: true,
    random: true,
  })
  const { target, config, logger, metrics, random } = options
  assertArguments('createOutboxWorker', ownParameters, [target, config, logger, metrics, random])
  const parts = compose(options)
  const stopping = new AbortController()
  let started: Promise<void> | undefined
  let stopped: Promise<void> | undefined
  const startOnce = async (): Promise<void> => {
    try {
      await start(parts, stopping.signal)
    } catch (error) {
      started = undefined
      throw error
    }
  }
  const stopOnce = (): Promise<void> => {
    stopping.abort()
    // The caller of `start` gets its error.
    stopped ??= shutDown(
      parts,
      started?.catch(() => undefined),
    )
    return stopped
  }
  return {
    id: parts.workerId,
    get running() {
      return parts.relay.running
    },
    start: async () => {
      if (stopped !== undefined)
        throw new QueueError('invalid_options', 'this relay was stopped: create another one')
      started ??= startOnce()
      await started
    },
    stop: stopOnce,
  }
}

const ownParameters = {
  target: having('a target: toQueue, toHttp or toHandler makes one', 'dispatch'),
  config: optional(object),
  logger: optional(object),
  metrics: optional(object),
  random: optional(callback),
}

type Parts = ReturnType<typeof compose>

/** Creates all parts of a relay and connects them. Nothing runs yet. */
function compose(options: OutboxWorkerOptions) {
  const config = parseConfig(options.config ?? {})
  const { target } = options
  if (target.topics.length === 0)
    throw new QueueError('invalid_options', 'the target has no topics: there is nothing to relay')
  const logger = neverThrowing(options.logger ?? stderrLogger, {
    names: logLevels,
    onFault: (error) => stderrLogger.error('the logger throws errors: log lines are lost', { error }),
  })
  const observer = neverThrowing(options.metrics ?? noObserver, {
    names: Object.keys(noObserver) as (keyof OutboxObserver)[],
    onFault: (error) => logger.error('the metrics observer throws errors: metrics are lost', { error }),
  })
  const database = connectOutbox(options)
  const workerId = `outbox-${hostname()}-${process.pid}-${randomBytes(4).toString('hex')}`
  const shared = {
    config,
    logger,
    observer,
    database,
    workerId,
    target,
    random: options.random ?? Math.random,
  }
  const giveUp = new AbortController()
  const completer = createCompleter({
    database,
    giveUp: giveUp.signal,
    onOutage: (error) => logger.warn('the ends of dispatches could not be recorded; trying again', { error }),
  })
  const dispatches = new Set<Dispatch>()
  const relay = createRelay({
    config,
    claimer: createClaimer({ ...shared, topics: target.topics }),
    nowMs: () => performance.now(),
    run: (message) => run(message, { ...shared, completer, dispatches }),
    returnUnstarted: (messages, waitMs) => returnUnstarted(messages, waitMs, { completer, logger }),
  })
  return {
    ...shared,
    giveUp,
    completer,
    dispatches,
    relay,
    recovery: createRecovery(shared),
    retention: createRetention(shared),
    listener: config.notifications ? listenerOf(shared, () => relay.wake()) : undefined,
  }
}

interface ListenerParts {
  readonly database: ConnectedOutbox
  readonly logger: Logger
  readonly observer: OutboxObserver
  readonly target: OutboxTarget
}

function listenerOf({ database, logger, observer, target }: ListenerParts, wake: () => void): Listener {
  return createListener({
    database,
    channel: outboxChannel(database.schema),
    connection: besidePool(database.pool),
    logger,
    onHealth: observer.listenerHealthy,
    onNotification: (topic) => {
      if (target.topics.includes(topic)) wake()
    },
    onGap: wake,
  })
}

interface RunDeps {
  readonly config: OutboxWorkerConfig
  readonly logger: Logger
  readonly observer: OutboxObserver
  readonly random: () => number
  readonly target: OutboxTarget
  readonly completer: Completer
  readonly dispatches: Set<Dispatch>
}

async function run(message: ClaimedMessage, deps: RunDeps): Promise<DispatchEnd> {
  const startedMs = performance.now()
  const dispatch = beginDispatch(deps.target, message, deps.config.dispatchTimeout)
  deps.dispatches.add(dispatch)
  const result = await dispatch.result
  deps.dispatches.delete(dispatch)
  return completeDispatch(message, { result, seconds: (performance.now() - startedMs) / 1_000 }, deps)
}

function returnUnstarted(
  messages: readonly ClaimedMessage[],
  waitMs: number,
  { completer, logger }: { readonly completer: Completer; readonly logger: Logger },
): void {
  for (const { lease } of messages) {
    completer.release({ lease, waitMs, error: null }).catch((error: unknown) => {
      logger.warn('a message could not be returned; it is due again when its lease ends', {
        error,
        message_id: lease.id,
      })
    })
  }
}

function assertCompatible(version: SchemaVersion): void {
  const { status, databaseVersion, codeVersion } = version
  if (status === 'compatible') return
  const message =
    status === 'different'
      ? `${differentReason(version)}: ${differentCure('queue-migrate outbox up')}`
      : `the outbox schema is ${status} (database ${databaseVersion}, code ${codeVersion}): ` +
        (status === 'newer'
          ? 'run a newer release of the relay'
          : 'run queue-migrate outbox up, or migrateOutbox, first')
  throw new QueueError('schema_mismatch', message)
}

/** Begins nothing once `stopping` has aborted. */
async function start(parts: Parts, stopping: AbortSignal): Promise<void> {
  const { database, relay, recovery, retention, listener } = parts
  assertCompatible(await checkOutboxSchema(database))
  if (stopping.aborted) return
  parts.observer.topics(parts.target.topics)
  recovery.start()
  retention.start()
  relay.start()
  listener?.start()
}

/**
 * Stops the relay. It never rejects, and a database that does not answer delays it by at most 6 s beyond the grace. `startEnded`
 * resolves when the start has ended or is given up; undefined if there was none.
 */
async function shutDown(parts: Parts, startEnded?: Promise<void>): Promise<void> {
  const { relay, dispatches, config, logger, giveUp } = parts
  const claimsEnded = relay.stop()
  if (!(await endedWithin(dispatches, config.shutdownGrace))) {
    logger.warn('the shutdown grace has passed: aborting running dispatches', { messages: dispatches.size })
    for (const dispatch of dispatches) dispatch.interrupt()
    // Each ends at the latest `abortGraceMs` after its interrupt.
    await Promise.all([...dispatches].map((dispatch) => dispatch.result))
  }
  const gaveUp = Promise.withResolvers<void>()
  const timer = setTimeout(() => {
    logger.warn(
      'the database does not answer: giving up the last writes; their messages are due again when their leases end',
    )
    giveUp.abort()
    gaveUp.resolve()
  }, lastWritesMs)
  await Promise.race([writeLast(parts, Promise.all([startEnded, claimsEnded])), gaveUp.promise])
  clearTimeout(timer)
  giveUp.abort()
}

async function endedWithin(dispatches: ReadonlySet<Dispatch>, ms: number): Promise<boolean> {
  const timer = new AbortController()
  const timedOut = sleep(ms, false, { signal: timer.signal }).catch(() => false)
  const ended = Promise.all([...dispatches].map((dispatch) => dispatch.result)).then(() => true)
  try {
    return await Promise.race([ended, timedOut])
  } finally {
    timer.abort()
  }
}

async function writeLast(parts: Parts, begunEnded: Promise<unknown>): Promise<void> {
  const { relay, completer, recovery, retention, listener, database, logger } = parts
  try {
    await Promise.all([begunEnded, relay.idle()])
    await completer.drained()
    await Promise.all([recovery.stop(), retention.stop(), listener?.stop()])
    await database.close()
  } catch (error) {
    logger.warn('the relay did not stop cleanly', { error })
  }
}
