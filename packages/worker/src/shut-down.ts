import type { ConnectedDatabase } from '@queue/core'
import type { Notifier } from '@queue/core/runtime'
import type { Listener } from '@queue/postgres'
import type { Ticker } from '@queue/loop'
import type { Fetcher } from './fetcher.ts'
import type { Finisher } from './finisher.ts'
import type { LeaseKeeper } from './lease-keeper.ts'
import type { Reporting, WorkerSettings } from './options.ts'
import type { Reconciler } from './reconcile.ts'
import type { RefusedEnds } from './refused-ends.ts'
import type { Runner } from './runner.ts'
import type { TransactionPool } from './transaction-pool.ts'

/** The parts of a worker, as far as their end is concerned. */
export interface ShutDownParts extends Connections {
  readonly fetcher: Fetcher
  readonly runner: Runner
  readonly writes: Writes
  readonly loops: readonly Ticker[]
  readonly listener: Listener | undefined
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
  /** Ends the waiting for a database that does not answer. */
  readonly giveUp: AbortController
  readonly reporting: Pick<Reporting, 'logger'>
  readonly settings: Pick<WorkerSettings, 'shutdownGraceMs'>
}

/** How long handlers have to react to their aborted signal before their jobs are released beside them. */
const abortGraceMs = 1_000
/** When the last writes still wait for the database after so long, the connections they wait on count as dead … */
const silentMs = 4_000
/** … and after so long the database does: what is not written by then, recovery takes over. */
const lastWritesMs = 7_000
/** A connection that has fallen silent answers no farewell either. */
const closeMsMax = 1_000

/**
 * Ends a worker so that nothing is lost and nothing is charged that did not end by itself: no further claim, a grace
 * for what runs, the abort of what still runs, its release, a last check for what it holds unknowingly, the end of the
 * lease, and last of the connections. It never rejects, and a database that does not answer cannot keep it for much
 * longer than the grace. Connections that have gone silent without a word are given up sooner than at any other time,
 * because what they keep from being returned would be charged: the writes that wait on them are sent again on new
 * ones, and a claim that waits there has failed, so that the last check finds what it has left.
 */
export async function shutDown(parts: ShutDownParts): Promise<void> {
  const { runner, giveUp, reporting, settings } = parts
  const { logger } = reporting
  const claimsEnded = parts.fetcher.stop()
  if (!(await runner.whenIdle(settings.shutdownGraceMs))) {
    logger.warn('the shutdown grace has passed: running jobs are told to stop', {
      jobs: runner.executing().length,
    })
    runner.abortAll('shutdown')
    await runner.whenIdle(abortGraceMs)
  }
  const patience = Promise.withResolvers<void>()
  const silence = setTimeout(() => {
    logger.warn('the last writes get no answer: they are sent again over new connections')
    parts.database.renewConnections()
  }, silentMs)
  const deadline = setTimeout(() => {
    logger.warn('the database does not answer: what could not be written, recovery will take over')
    giveUp.abort()
    patience.resolve()
  }, lastWritesMs)
  await Promise.race([writeLast(parts, claimsEnded), patience.promise])
  clearTimeout(silence)
  clearTimeout(deadline)
  giveUp.abort()
  await closeConnections(parts)
}

async function writeLast(parts: ShutDownParts, claimsEnded: Promise<void>): Promise<void> {
  const { writes, loops, listener, reconciler, lease } = parts
  const { logger } = parts.reporting
  try {
    await Promise.all([claimsEnded, releaseStragglers(parts)])
    await writes.finisher.drained()
    await writes.refusedEnds.tryNow()
    await Promise.all([...loops.map((loop) => loop.stop()), listener?.stop(), writes.notifier.drained()])
    // A claim whose reply was lost a moment ago is found only now that nothing else is under way.
    await reconciler
      .reconcileLast()
      .catch((error: unknown) => logger.warn('the last check for lost claims failed', { error }))
    await lease.stop()
  } catch (error) {
    logger.warn('the lease could not be given up; it will expire by itself', { error })
  }
}

async function closeConnections({ transactions, database, reporting }: Connections): Promise<void> {
  const late = Promise.withResolvers<void>()
  const timer = setTimeout(late.resolve, closeMsMax)
  const closed = transactions
    .close()
    .then(() => database.close())
    .catch((error: unknown) => reporting.logger.warn('the connections could not be closed', { error }))
  await Promise.race([closed, late.promise])
  clearTimeout(timer)
}

async function releaseStragglers({ runner, writes, lease, reporting }: ShutDownParts): Promise<void> {
  const { logger } = reporting
  await Promise.all(
    runner.executing().map(async (attempt) => {
      const { job } = attempt
      attempt.release = writes.finisher.release(job.lease)
      await attempt.release
      logger.warn('a handler goes on after the shutdown: its job is released', {
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
