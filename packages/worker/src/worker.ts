import { QueueError } from '@queue/core'
import { differentCure, differentReason } from '@queue/postgres'
import {
  checkSchemaVersion,
  type ConnectedDatabase,
  parseVersionedKind,
  syncSchedules,
} from '@queue/core/internal'
import { compose, type WorkerParts } from './compose.ts'
import { assertWorkerOptions, type WorkerOptions } from './options.ts'
import { registerDefinitions } from './register-definitions.ts'
import {
  assertRunOptions,
  type RunUntilEmptyOptions,
  type RunUntilEmptyResult,
  untilEmpty,
} from './run-until-empty.ts'
import { shutDown } from './shut-down.ts'

/** The runtime that claims jobs and runs them. */
export interface Worker {
  /** The id in `jobs.locked_by` and in the registry; undefined before the start and while the lease is lost. */
  readonly id: string | undefined
  /** How many handlers run now. */
  readonly running: number
  /**
   * Resolves with the reason when the worker has stopped by itself, because every slot holds a handler that runs past its
   * timeout and grace. The process must then exit, because nothing else ends such handlers. Never rejects.
   */
  readonly failed: Promise<Error>
  /**
   * Registers, takes over the jobs of lost workers, and begins to claim. Throws `schema_mismatch` if this code cannot run on
   * the schema, and `database_unavailable` if there is no connection. Once started, the worker survives outages of the
   * database. A failed start can be tried again; after a successful one, another call does nothing. A start during which the
   * worker is stopped resolves once it is given up. Throws if the worker was stopped before.
   */
  start(): Promise<void>
  /**
   * Stops claiming and lets running jobs finish within the shutdown grace. Then it aborts the jobs that still run and releases
   * them uncharged. During the start it gives the start up before its next step: nothing is claimed, and a registration is
   * ended. Safe to call twice, and before the start.
   */
  stop(): Promise<void>
  /**
   * Starts the worker, runs jobs until none can start, and stops it. For cron jobs, serverless functions and CI. It ends before that
   * after `maxMs` or a call of `stop`, with the same grace for running jobs. Rejects as `start` does, with the reason of `failed`, and
   * at a second call.
   * Jobs that are due later, such as retries, are left; so are jobs that wait for others to end elsewhere.
   */
  runUntilEmpty(options?: RunUntilEmptyOptions): Promise<RunUntilEmptyResult>
}

/** Creates a worker on its own pool, or on the caller's. Throws `QueueError` (`invalid_options`) on invalid options. */
export function createWorker(options: WorkerOptions): Worker {
  assertWorkerOptions('createWorker', options)
  const exhausted = Promise.withResolvers<void>()
  const parts = compose(options, exhausted.resolve)
  const stopping = new AbortController()
  let started: Promise<void> | undefined
  let stopped: Promise<void> | undefined
  const startOnce = async (): Promise<void> => {
    try {
      await start(parts, stopping.signal)
    } catch (error) {
      if (stopping.signal.aborted && error === stopping.signal.reason) return
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
  let isExhausted = false
  let isEmptying = false
  const failed = exhausted.promise.then(() => {
    isExhausted = true
    return stopExhausted(parts, stopOnce)
  })
  const worker: Worker = {
    failed,
    get id() {
      return parts.lease.workerId
    },
    get running() {
      return parts.slots.executing().length
    },
    start: async () => {
      if (stopped !== undefined)
        throw new QueueError('invalid_options', 'this worker was stopped: create another one')
      started ??= startOnce()
      await started
    },
    stop: stopOnce,
    runUntilEmpty: async (limit = {}) => {
      assertRunOptions(limit)
      if (isEmptying)
        throw new QueueError('invalid_options', 'this worker runs until it is empty: create another one')
      isEmptying = true
      let hasTimedOut = false
      const onTime = (): void => {
        hasTimedOut = !stopping.signal.aborted
        void stopOnce()
      }
      const timer = limit.maxMs === undefined ? undefined : setTimeout(onTime, limit.maxMs)
      try {
        await worker.start()
        const foundNothing = await untilEmpty(parts, stopping.signal)
        // A stop meanwhile has released jobs, and nothing is left here for that reason.
        const isEmpty = foundNothing && !stopping.signal.aborted
        await stopOnce()
        if (isExhausted) throw await failed
        const ended = isEmpty ? 'empty' : hasTimedOut ? 'time' : 'aborted'
        return { ended, attempts: parts.slots.outcomes() }
      } finally {
        clearTimeout(timer)
        await stopOnce()
      }
    },
  }
  return worker
}

/** Throws the reason of `stopping` if it aborts before the last step. No step begins after that. */
async function start(parts: WorkerParts, stopping: AbortSignal): Promise<void> {
  const { settings, reporting, executor } = parts
  await assertSchema(parts.database)
  stopping.throwIfAborted()
  await syncOwnSchedules(parts)
  stopping.throwIfAborted()
  await registerDefinitions(parts)
  stopping.throwIfAborted()
  await parts.lease.start(stopping)
  stopping.throwIfAborted()
  reporting.observer.concurrency(settings.concurrency)
  reporting.observer.kinds(kindNames(executor.kinds), settings.queues)
  for (const loop of parts.loops) loop.start()
  parts.slots.start()
  parts.listener?.start()
}

/** Stops a worker that can run nothing any more: waiting jobs are returned, and the lease ends. */
async function stopExhausted(
  { reporting: { logger }, settings, groups }: WorkerParts,
  stopOnce: () => Promise<void>,
): Promise<Error> {
  const slots = groups.length === 1 ? `all ${settings.concurrency} slots` : 'all slots of one or more queues'
  const reason = `${slots} hold handlers that run past their timeout and grace`
  logger.error(`${reason}: this worker stops`)
  await stopOnce().catch((error: unknown) => logger.error('the worker did not stop cleanly', { error }))
  return new Error(
    `${reason}: the worker has stopped; exit the process, because nothing else ends these handlers`,
  )
}

/** Syncs the schedules of the program before its worker starts. Throws if they are invalid. */
async function syncOwnSchedules({ ownSchedules, database, writes, logger }: WorkerParts): Promise<void> {
  if (ownSchedules === undefined) return
  const { list, ...options } = ownSchedules
  const { outcome, revision, created, updated, deleted } = await syncSchedules(database, list, options)
  const { source } = options
  if (outcome === 'outdated') {
    logger.warn('a later release has already synced the schedules of this source: they stay unchanged', {
      source,
      revision,
    })
    return
  }
  logger.info('synced the schedules of this source', { source, revision, created, updated, deleted })
  writes.notifier.tell([{ type: 'schedules' }])
}

async function assertSchema(database: ConnectedDatabase): Promise<void> {
  const version = await checkSchemaVersion(database)
  const { status, databaseVersion, codeVersion } = version
  if (status === 'compatible') return
  const message =
    status === 'different'
      ? `${differentReason(version)}: ${differentCure('queue-migrate up')}`
      : `the schema is ${status} (database ${databaseVersion}, code ${codeVersion}): ` +
        (status === 'newer' ? 'run a newer release of the worker' : 'run queue-migrate up first')
  throw new QueueError('schema_mismatch', message)
}

/** The names of the kinds without their versions, each once. */
function kindNames(kinds: readonly string[]): string[] {
  return [...new Set(kinds.map((kind) => parseVersionedKind(kind).kind))]
}
