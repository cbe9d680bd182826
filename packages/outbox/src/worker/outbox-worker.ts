import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { type ConnectOptions, QueueError } from '@queue/core'
import { besidePool, createListener, type Listener } from '@queue/postgres'
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
import { completeDispatch } from './run-message.ts'
import { createCompleter, type Completer } from './completer.ts'

export type OutboxWorkerOptions = ConnectOptions & {
  /** Where the messages go: `toQueue`, `toHttp` or `toHandler`. */
  readonly target: OutboxTarget
  /** How the relay works, where its defaults will not do. */
  readonly config?: OutboxWorkerSettings
  /** Default: warnings and errors on stderr. */
  readonly logger?: Logger
  /** Told of everything that is worth a metric, such as `createOutboxMetrics` of `@queue/telemetry`. Default: nobody. */
  readonly metrics?: OutboxObserver
  /** A uniform draw from [0, 1), for retry jitter. */
  readonly random?: () => number
}

/** The relay: it claims messages from one outbox and hands them to one target. Any number may run beside each other. */
export interface OutboxWorker {
  /** The name in `leased_by` and in the history of messages. */
  readonly id: string
  /** Messages that are being dispatched now. */
  readonly running: number
  /**
   * Begins to relay. Throws `schema_mismatch` when the schema is not one that this code runs on,
   * `database_unavailable` when there is no connection; such a start can be tried again. Once started, neither a
   * database nor a target that goes away ends it.
   */
  start(): Promise<void>
  /**
   * Stops claiming, returns at once what it has not begun, lets running dispatches end within `shutdownGrace`, then
   * aborts them and returns what did not end. Nothing of it is charged. Safe to call twice, and before the start.
   */
  stop(): Promise<void>
}

/** How long the last writes may wait for the database: what is not written by then comes back when its lease ends. */
const lastWritesMs = 5_000

/** A relay on its own pool, or on the caller's. Throws `InvalidInput` or `QueueError` (`invalid_options`). */
export function createOutboxWorker(options: OutboxWorkerOptions): OutboxWorker {
  const parts = compose(options)
  let started: Promise<void> | undefined
  let stopped: Promise<void> | undefined
  const startOnce = async (): Promise<void> => {
    try {
      await start(parts)
    } catch (error) {
      started = undefined
      throw error
    }
  }
  const stopAfterStart = async (): Promise<void> => {
    await started?.catch(() => undefined)
    await shutDown(parts)
  }
  return {
    id: parts.workerId,
    get running() {
      return parts.relay.running
    },
    start: async () => {
      if (stopped !== undefined) throw new Error('this relay was stopped: create another one')
      started ??= startOnce()
      await started
    },
    stop: () => (stopped ??= stopAfterStart()),
  }
}

type Parts = ReturnType<typeof compose>

/** Every part with what it needs of the others; nothing runs yet. */
function compose(options: OutboxWorkerOptions) {
  const config = parseConfig(options.config ?? {})
  const { target } = options
  if (target.topics.length === 0)
    throw new QueueError('invalid_options', 'the target takes no topic: there is nothing to relay')
  const logger = neverThrowing(options.logger ?? stderrLogger, {
    names: logLevels,
    onFault: (error) => stderrLogger.error('the logger throws: lines are lost', { error }),
  })
  const observer = neverThrowing(options.metrics ?? noObserver, {
    names: Object.keys(noObserver) as (keyof OutboxObserver)[],
    onFault: (error) => logger.error('the observer throws: metrics are lost', { error }),
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
    onOutage: (error) => logger.warn('the ends of dispatches could not be written; trying again', { error }),
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
      logger.warn('a message could not be returned; its lease will end', { error, message_id: lease.id })
    })
  }
}

async function start(parts: Parts): Promise<void> {
  const { database, relay, recovery, retention, listener } = parts
  const { status, databaseVersion, codeVersion } = await checkOutboxSchema(database)
  if (status !== 'compatible') {
    throw new QueueError(
      'schema_mismatch',
      `the outbox schema is ${status} (database ${databaseVersion}, code ${codeVersion}): ` +
        (status === 'newer'
          ? 'run a newer release of the relay'
          : 'run migrate outbox up, or migrateOutbox, first'),
    )
  }
  parts.observer.topics(parts.target.topics)
  recovery.start()
  retention.start()
  relay.start()
  listener?.start()
}

/** Never rejects, and a database that does not answer cannot keep it for much longer than the grace. */
async function shutDown(parts: Parts): Promise<void> {
  const { relay, dispatches, config, logger, giveUp } = parts
  const claimsEnded = relay.stop()
  if (!(await endedWithin(dispatches, config.shutdownGrace))) {
    logger.warn('the shutdown grace has passed: dispatches are told to stop', { messages: dispatches.size })
    for (const dispatch of dispatches) dispatch.interrupt()
    // Each ends by itself within the grace that an abort has.
    await Promise.all([...dispatches].map((dispatch) => dispatch.result))
  }
  const patience = new AbortController()
  const late = new Promise<void>((resolve) => {
    const timer = setTimeout(() => {
      logger.warn('the database does not answer: what could not be written comes back when its lease ends')
      giveUp.abort()
      resolve()
    }, lastWritesMs)
    patience.signal.addEventListener('abort', () => clearTimeout(timer))
  })
  await Promise.race([writeLast(parts, claimsEnded), late])
  patience.abort()
  giveUp.abort()
}

async function endedWithin(dispatches: ReadonlySet<Dispatch>, ms: number): Promise<boolean> {
  const patience = new AbortController()
  const late = sleep(ms, false, { signal: patience.signal }).catch(() => false)
  const ended = Promise.all([...dispatches].map((dispatch) => dispatch.result)).then(() => true)
  try {
    return await Promise.race([ended, late])
  } finally {
    patience.abort()
  }
}

async function writeLast(parts: Parts, claimsEnded: Promise<void>): Promise<void> {
  const { relay, completer, recovery, retention, listener, database, logger } = parts
  try {
    await Promise.all([claimsEnded, relay.idle()])
    await completer.drained()
    await Promise.all([recovery.stop(), retention.stop(), listener?.stop()])
    await database.close()
  } catch (error) {
    logger.warn('the relay did not end cleanly', { error })
  }
}
