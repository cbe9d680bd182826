import { limits } from '@queue/core'
import {
  type ConnectedDatabase,
  limitsBeginning,
  pruneAuditLog,
  pruneErrors,
  pruneJobs,
  pruneLaneEvents,
  pruneLimitCounters,
  pruneOperations,
  pruneRequeuedJobs,
  pruneStats,
  reconcileCounters,
  reconcileLanes,
  reconcileTurns,
  type Retention,
  turnEndedDays,
} from '@queue/core/internal'
import { createTicker, type Logger, runBatches, type Ticker } from '@queue/loop'
import type { WorkerSettings } from './options.ts'
import type { Reporting } from './reporting.ts'

export interface RetentionOptions {
  readonly database: ConnectedDatabase
  readonly reporting: Pick<Reporting, 'observer'>
  readonly logger: Logger
  readonly settings: WorkerSettings
}

/** A turn walks on over what is kept for this many batches. The next turn, or another worker, continues there. */
const idleBatchesMax = 20
/** The most batches of lanes that one turn compares with the jobs. */
const reconcileBatchesMax = 20
/** Limits are compared with the jobs once every this many turns. No known fault makes them differ. */
const reconcileEveryTurns = 10

/**
 * Makes the days of ended jobs ahead. Removes ended jobs past their retention, oldest first, in bounded batches that skip locked rows, so that no claim and no
 * finish waits for it. A turn goes on while there is something to remove; the next one continues where it stopped. Each turn then removes error groups past the retention of
 * failed jobs, old job statistics, what requeues kept for their undo, audit log entries and operations past their own retention, and limit counters of keys that
 * count nothing any more, and lane events of starts that no job waits for. Every tenth turn compares the counters and lanes of limits with the jobs.
 */
export function createRetention({ database, reporting, logger, settings }: RetentionOptions): Ticker {
  const retention = retentionOf(settings)
  let cursor: string | null = null
  const pruneAll = async (stopping: AbortSignal): Promise<void> => {
    const total = { jobs: 0, receipts: 0 }
    await runBatches({ idleBatchesMax, stopping }, async () => {
      const result = await pruneJobs(database, retention, cursor)
      cursor = result.cursor
      total.jobs += result.pruned
      total.receipts += result.stripped
      return { changed: result.pruned + result.stripped, isLast: cursor === null }
    })
    if (total.jobs > 0) logger.info('removed ended jobs past their retention', { jobs: total.jobs })
    if (total.receipts > 0)
      logger.info('reduced ended jobs past their retention to receipts', { jobs: total.receipts })
  }
  /** Removes rows, at most `batchMax` at a time, until a batch is not full. Returns their number. */
  const removeAll = async (
    stopping: AbortSignal,
    removeBatch: () => Promise<number>,
    batchMax: number = limits.pruneBatchMax,
  ): Promise<number> => {
    let total = 0
    await runBatches({ idleBatchesMax, stopping }, async () => {
      const changed = await removeBatch()
      total += changed
      return { changed, isLast: changed < batchMax }
    })
    return total
  }
  const pruneEntries = async (stopping: AbortSignal): Promise<void> => {
    const entries = await removeAll(stopping, () => pruneAuditLog(database, settings.retentionAuditMs))
    if (entries > 0) logger.info('removed audit log entries past their retention', { entries })
  }
  let eventPage = 0
  let turn = 0
  let position = limitsBeginning
  const reconcile = async (): Promise<void> => {
    const counters = await reconcileCounters(database)
    let lanes = 0
    for (let batch = 0; batch < reconcileBatchesMax; batch += 1) {
      const { repaired, next } = await reconcileLanes(database, position)
      lanes += repaired
      position = next
      if (next.waiting === null && next.full === null) break
    }
    const turns = await reconcileTurns(database)
    const repairs = { counters, lanes, turns }
    if (counters + lanes + turns === 0) return
    reporting.observer.limitsRepaired(repairs)
    logger.error('the state of limits did not match the jobs, and was repaired', repairs)
  }
  return createTicker({
    intervalMs: settings.retentionIntervalMs,
    tick: async (stopping) => {
      await turnEndedDays(database)
      await pruneAll(stopping)
      await pruneErrors(database, retention.failedMs)
      await removeAll(stopping, () => pruneStats(database), limits.statsPruneBatchMax)
      if (settings.retentionAuditMs > 0) await pruneEntries(stopping)
      if (settings.retentionOperationsMs > 0)
        await removeAll(stopping, () => pruneOperations(database, settings.retentionOperationsMs))
      await removeAll(stopping, () => pruneRequeuedJobs(database))
      await removeAll(stopping, () => pruneLimitCounters(database))
      eventPage = (await pruneLaneEvents(database, eventPage)).nextPage
      turn = (turn + 1) % reconcileEveryTurns
      if (turn === 0) await reconcile()
    },
    onError: (error) =>
      logger.warn('rows past their retention could not be removed; trying again', { error }),
  })
}

/**
 * The retention in core's form, where null means forever; for keys it means as long as their jobs. The settings use 0 for both.
 */
function retentionOf(settings: WorkerSettings): Retention {
  const orForever = (ms: number): number | null => (ms === 0 ? null : ms)
  return {
    succeededMs: orForever(settings.retentionSucceededMs),
    cancelledMs: orForever(settings.retentionCancelledMs),
    failedMs: orForever(settings.retentionFailedMs),
    keyMs: settings.idempotencyTtlMs === 0 ? null : settings.idempotencyTtlMs,
  }
}
