import { type ConnectedDatabase, QueueError } from '@queue/core'
import { syncSchedules } from '@queue/core/workers'
import { parseVersionedKind } from '@queue/core/fields'
import { checkSchemaVersion } from '@queue/core/schema'
import { compose, type WorkerParts } from './compose.ts'
import type { WorkerOptions } from './options.ts'
import { registerDefinitions } from './register-definitions.ts'
import { shutDown } from './shut-down.ts'

/** The runtime that claims jobs and runs them. */
export interface Worker {
  /** The id in `jobs.locked_by` and in the registry; undefined before the start and while the lease is lost. */
  readonly id: string | undefined
  /** How many handlers run now. */
  readonly running: number
  /**
   * Resolves with the reason when the worker has stopped by itself, because every slot holds a handler that goes on past
   * its timeout and grace. The process must exit then: nothing else ends such handlers. Never rejects.
   */
  readonly failed: Promise<Error>
  /**
   * Registers, takes over the jobs of lost workers, and begins to claim. Throws `schema_mismatch` when this code cannot
   * run on the schema, `database_unavailable` when there is no connection. Once started, a database that goes away does
   * not end the worker. A failed start can be tried again; after a successful one, another call does nothing. A stopped
   * worker cannot be started again: it throws.
   */
  start(): Promise<void>
  /**
   * Stops claiming and lets running jobs finish within the shutdown grace; then aborts those that still run and releases
   * them uncharged. Safe to call twice, before the start, and during it.
   */
  stop(): Promise<void>
}

/** A worker on its own pool, or on the caller's. Throws `QueueError` (`invalid_options`) on bad options. */
export function createWorker(options: WorkerOptions): Worker {
  const exhausted = Promise.withResolvers<void>()
  const parts = compose(options, exhausted.resolve)
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
    // Stops what the start has begun by then. Its caller gets the error of a start that fails.
    await started?.catch(() => undefined)
    await shutDown(parts)
  }
  const stopOnce = (): Promise<void> => (stopped ??= stopAfterStart())
  return {
    failed: exhausted.promise.then(() => stopExhausted(parts, stopOnce)),
    get id() {
      return parts.lease.workerId
    },
    get running() {
      return parts.slots.executing().length
    },
    start: async () => {
      if (stopped !== undefined) throw new Error('this worker was stopped: create another one')
      started ??= startOnce()
      await started
    },
    stop: stopOnce,
  }
}

async function start(parts: WorkerParts): Promise<void> {
  const { settings, reporting, executor } = parts
  await assertSchema(parts.database)
  await syncOwnSchedules(parts)
  await registerDefinitions(parts)
  await parts.lease.start()
  reporting.observer.concurrency(settings.concurrency)
  reporting.observer.kinds(kindNames(executor.kinds), settings.queues)
  for (const loop of parts.loops) loop.start()
  parts.slots.start()
  parts.listener?.start()
}

/** Nothing can run here any more: waiting jobs are returned, and the lease ends. */
async function stopExhausted(
  { reporting: { logger }, settings, groups }: WorkerParts,
  stopOnce: () => Promise<void>,
): Promise<Error> {
  const slots = groups.length === 1 ? `all ${settings.concurrency} slots` : 'all slots of one or more queues'
  const why = `${slots} hold handlers that go on past their timeout and grace`
  logger.error(`${why}: this worker stops`)
  await stopOnce().catch((error: unknown) => logger.error('the worker did not stop cleanly', { error }))
  return new Error(
    `${why}: the worker has stopped; exit the process, because nothing else ends these handlers`,
  )
}

/** The schedules of the program are there before its worker is. Throws what is wrong with them. */
async function syncOwnSchedules({ ownSchedules, database, writes, logger }: WorkerParts): Promise<void> {
  if (ownSchedules === undefined) return
  const { list, ...options } = ownSchedules
  const { outcome, revision, created, updated, deleted } = await syncSchedules(database, list, options)
  const { source } = options
  if (outcome === 'outdated') {
    logger.warn('a later release has synced the schedules of this source: they stay as they are', {
      source,
      revision,
    })
    return
  }
  logger.info('synced the schedules of this source', { source, revision, created, updated, deleted })
  writes.notifier.tell([{ type: 'schedules' }])
}

async function assertSchema(database: ConnectedDatabase): Promise<void> {
  const { status, databaseVersion, codeVersion } = await checkSchemaVersion(database)
  if (status === 'compatible') return
  throw new QueueError(
    'schema_mismatch',
    `the schema is ${status} (database ${databaseVersion}, code ${codeVersion}): ` +
      (status === 'newer' ? 'run a newer release of the worker' : 'run migrate up first'),
  )
}

/** The kinds, each once, whatever versions of them run here. */
function kindNames(kinds: readonly string[]): string[] {
  return [...new Set(kinds.map((kind) => parseVersionedKind(kind).kind))]
}
