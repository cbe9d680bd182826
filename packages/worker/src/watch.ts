import { createTicker, type Logger, type Ticker } from '@queue/loop'
import { checkLeases, type QueueDatabase } from '@queue/core/internal'
import type { Attempt } from './attempt.ts'
import type { WorkerSettings } from './options.ts'
import type { ProgressReports } from './progress.ts'

export interface WatchOptions {
  readonly database: QueueDatabase
  readonly logger: Logger
  readonly settings: Pick<WorkerSettings, 'watchIntervalMs'>
  /** The attempts whose handlers run now. */
  readonly executing: () => readonly Attempt[]
  readonly reports: ProgressReports
}

/**
 * Checks all running attempts with one query per interval, and with none while nothing runs. It aborts the attempts whose job
 * was cancelled or whose lease is lost, and writes the progress and log lines of the handlers.
 */
export function createWatch(options: WatchOptions): Ticker {
  const { database } = options
  return createTicker({
    intervalMs: options.settings.watchIntervalMs,
    tick: async () => {
      const attempts = options.executing()
      await abortCancelledAndLost(database, attempts)
      for (const attempt of attempts) storeLines(attempt)
      await Promise.all(attempts.map((attempt) => options.reports.write(attempt)))
    },
    onError: (error) =>
      options.logger.warn('running jobs could not be checked for cancels and lost leases; trying again', {
        error,
      }),
  })
}

async function abortCancelledAndLost(database: QueueDatabase, attempts: readonly Attempt[]): Promise<void> {
  const leases = attempts.map(({ job, ctid }) => ({ lease: job.lease, ctid }))
  const checked = await checkLeases(database, leases)
  for (const [index, attempt] of attempts.entries()) {
    const { state, ctid } = checked[index] ?? { state: 'lost', ctid: attempt.ctid }
    attempt.ctid = ctid
    if (hasEnded(attempt)) continue
    if (state === 'cancel_requested') attempt.abort('cancelled')
    if (state === 'lost') attempt.abort('lease_lost')
  }
}

/** Does not wait, because the row of a job may be locked. Once the attempt's transaction may hold it, its end stores the rest. */
function storeLines({ log, transaction }: Attempt): void {
  if (log !== undefined && transaction?.mayHaveEndedJob !== true) void log.flush()
}

/** A handler that settled during the query, or whose transaction ends its job, has no lease left to lose. */
function hasEnded({ executing, transaction }: Attempt): boolean {
  return !executing || transaction?.mayHaveEndedJob === true
}
