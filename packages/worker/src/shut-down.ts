import type { ConnectedDatabase, JobCounter, Notifier } from '@queue/core/internal'
import { isTransient, type Listener } from '@queue/postgres'
import type { Ticker } from '@queue/loop'
import type { Finisher, RefusedEnds } from './finisher.ts'
import type { LeaseKeeper } from './lease-keeper.ts'
import type { WorkerSettings } from './options.ts'
import type { Reporting } from './reporting.ts'
import type { Reconciler } from './reconcile.ts'
import type { SlotGroups } from './slot-groups.ts'
import type { TransactionPool } from './transaction-pool.ts'

/** The parts of a worker that its shutdown needs. */
export interface ShutDownParts extends Connections {
  readonly slots: SlotGroups
  readonly writes: Writes
  readonly loops: readonly Ticker[]
  readonly listener: Listener | undefined
  readonly counter: Pick<JobCounter, 'flush'>
  readonly reconciler: Reconciler
  readonly lease: LeaseKeeper
}

interface Writes {
  readonly finisher: Finisher
  readonly refusedEnds: RefusedEnds
  readonly notifier: Notifier
}

interface Connections {
  readonly database: ConnectedDatabase
  readonly transactions: TransactionPool
  /** Aborting it ends every wait for a database that does not answer. */
  readonly giveUp: AbortController
  readonly reporting: Pick<Reporting, 'logger'>
  readonly settings: Pick<WorkerSettings, 'shutdownGraceMs'>
}

/** How long handlers have to react to their aborted signal before their jobs are released while they run. */
const abortGraceMs = 1_000
/** When the last writes take longer than this, their connections count as dead … */
const silentMs = 4_000
/** … and after this time the database counts as unavailable: recovery takes over the jobs whose ends are not written by then. */
const lastWritesMs = 7_000
/** A silent connection does not answer its close either. */
const closeMsMax = 1_000

/**
 * Stops a worker so that nothing is lost and only attempts that ended by themselves are charged. It stops claiming, gives
 * running jobs a grace period, aborts and releases those that still run, reconciles a last time, ends the lease, and closes
 * the connections. It never rejects, and a database that does not answer delays it by at most 9 s beyond the grace, of
 * which aborted handlers have the first.
 * `startEnded` resolves when the start has ended or is given up; undefined if there was none.
 *
 * Silent connections are replaced sooner than at any other time, because jobs that cannot be returned would be charged. Writes
 * that wait on them are repeated on new connections. A claim that waits on them fails, and reconciliation finds its jobs.
 */
export async function shutDown(parts: ShutDownParts, startEnded?: Promise<void>): Promise<void> {
  const { slots, giveUp, reporting, settings } = parts
  const { logger } = reporting
  const claimsEnded = slots.stop()
  if (!(await slots.whenIdle(settings.shutdownGraceMs))) {
    logger.warn('the shutdown grace has passed: aborting running jobs', {
      jobs: slots.executing().length,
    })
    slots.abortAll('shutdown')
    await slots.whenIdle(abortGraceMs)
  }
  const gaveUp = Promise.withResolvers<void>()
  const silentTimer = setTimeout(() => {
    logger.warn('the last writes got no answer; sending them again over new connections')
    parts.database.renewConnections()
  }, silentMs)
  const deadline = setTimeout(() => {
    logger.warn('the database does not answer: giving up the last writes; recovery will take over their jobs')
    giveUp.abort()
    gaveUp.resolve()
  }, lastWritesMs)
  await Promise.race([writeLast(parts, Promise.all([startEnded, claimsEnded])), gaveUp.promise])
  clearTimeout(silentTimer)
  clearTimeout(deadline)
  giveUp.abort()
  await closeConnections(parts)
}

async function writeLast(parts: ShutDownParts, begunEnded: Promise<unknown>): Promise<void> {
  const { writes, loops, listener, reconciler, lease } = parts
  const { logger } = parts.reporting
  try {
    await Promise.all([begunEnded, releaseStragglers(parts)])
    await writes.finisher.drained()
    await writes.refusedEnds.tryNow()
    await Promise.all([...loops.map((loop) => loop.stop()), listener?.stop(), writes.notifier.drained()])
    await parts.counter.flush()
    // Only now that no write is in flight can jobs of a claim whose reply was lost be told from the others.
    await sentAgain(() => reconciler.reconcileLast()).catch((error: unknown) =>
      logger.warn('the last reconciliation failed; recovery will take over the jobs it would have returned', {
        error,
      }),
    )
    await sentAgain(() => lease.stop())
  } catch (error) {
    logger.warn('the lease could not be ended; it will expire', { error })
  }
}

/**
 * Sends a write again if its connection has broken: silent ones are replaced while it waits. Once only, because without a database
 * each further one would fail too, and a stop must not wait for that.
 */
async function sentAgain(write: () => Promise<void>): Promise<void> {
  try {
    await write()
  } catch (error) {
    if (!isTransient(error)) throw error
    await write()
  }
}

async function closeConnections({ transactions, database, reporting }: Connections): Promise<void> {
  const timedOut = Promise.withResolvers<void>()
  const timer = setTimeout(timedOut.resolve, closeMsMax)
  const closed = transactions
    .close()
    .then(() => database.close())
    .catch((error: unknown) => reporting.logger.warn('the connections could not be closed', { error }))
  await Promise.race([closed, timedOut.promise])
  clearTimeout(timer)
}

async function releaseStragglers({ slots, writes, lease, reporting }: ShutDownParts): Promise<void> {
  const { logger } = reporting
  await Promise.all(
    slots.executing().map(async (attempt) => {
      const { job } = attempt
      attempt.release = writes.finisher.release(job.lease)
      await attempt.release
      logger.warn('a handler is still running after the shutdown grace: its job was released', {
        job_id: job.id,
        kind: job.kind,
        attempt: job.attempt,
        worker_id: lease.workerId,
      })
    }),
  ).catch((error: unknown) =>
    logger.error('jobs could not be released; recovery will take them over', { error }),
  )
}
