import type { Notifier } from '@queue/core/runtime'
import type { Listener, Ticker } from '@queue/loop'
import type { Fetcher } from './fetcher.ts'
import type { Finisher } from './finisher.ts'
import type { LeaseKeeper } from './lease-keeper.ts'
import type { Logger } from './logger.ts'
import type { Reconciler } from './reconcile.ts'
import type { Runner } from './runner.ts'

export interface ShutDownParts {
  readonly fetcher: Fetcher
  readonly runner: Runner
  readonly finisher: Finisher
  readonly lease: LeaseKeeper
  readonly recovery: Ticker
  readonly reconciler: Reconciler
  readonly retention: Ticker
  readonly watch: Ticker
  readonly listener: Listener | undefined
  readonly notifier: Notifier
  readonly logger: Logger
  /** Ends the waiting for a database that does not answer. */
  readonly giveUp: AbortController
  readonly shutdownGraceMs: number
  /** Closes the connections. */
  readonly close: () => Promise<void>
}

/** How long handlers have to react to their aborted signal before their jobs are released beside them. */
const abortGraceMs = 1_000
/** How long the last writes may wait for the database: what is not written by then, recovery takes over. */
const lastWritesMs = 5_000

/**
 * Ends a worker so that nothing is lost and nothing is charged that did not end by itself: no further claim, a grace
 * for what runs, the abort of what still runs, its release, a last look for what it holds unknowingly, the end of the
 * lease, and last of the connections. It never rejects, and a database that does not answer cannot keep it for much
 * longer than the grace.
 */
export async function shutDown(parts: ShutDownParts): Promise<void> {
  const { runner, logger, giveUp } = parts
  const claimsEnded = parts.fetcher.stop()
  if (!(await runner.whenIdle(parts.shutdownGraceMs))) {
    logger.warn('the shutdown grace has passed: running jobs are told to stop', {
      jobs: runner.executing().length,
    })
    runner.abortAll('shutdown')
    await runner.whenIdle(abortGraceMs)
  }
  const patience = Promise.withResolvers<void>()
  const deadline = setTimeout(() => {
    logger.warn('the database does not answer: what could not be written, recovery will take over')
    giveUp.abort()
    patience.resolve()
  }, lastWritesMs)
  await Promise.race([writeLast(parts, claimsEnded), patience.promise])
  clearTimeout(deadline)
  giveUp.abort()
}

async function writeLast(parts: ShutDownParts, claimsEnded: Promise<void>): Promise<void> {
  try {
    await Promise.all([claimsEnded, releaseStragglers(parts)])
    await parts.finisher.drained()
    await Promise.all([
      parts.retention.stop(),
      parts.watch.stop(),
      parts.recovery.stop(),
      parts.listener?.stop(),
      parts.notifier.drained(),
    ])
    // A claim whose reply was lost a moment ago is found only now that nothing else is under way.
    await parts.reconciler
      .reconcileLast()
      .catch((error: unknown) => parts.logger.warn('the last look for lost claims failed', { error }))
    await parts.lease.stop()
  } catch (error) {
    parts.logger.warn('the lease could not be given up; it will expire by itself', { error })
  }
  await parts
    .close()
    .catch((error: unknown) => parts.logger.warn('the connections could not be closed', { error }))
}

async function releaseStragglers({ runner, finisher, lease, logger }: ShutDownParts): Promise<void> {
  await Promise.all(
    runner.executing().map(async (attempt) => {
      const { job } = attempt
      attempt.release = finisher.release(job.lease)
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
