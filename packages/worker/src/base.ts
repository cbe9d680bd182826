// What all parts of a worker share, and its writers.
import { connect, createJobCounter, createNotifier } from '@queue/core/internal'
import { monotonicMs as nowMs } from '@queue/loop'
import { besidePool } from '@queue/postgres'
import { containExecutor } from './execution.ts'
import { createFinisher, createRefusedEnds } from './finisher.ts'
import { createJobLogs } from './job-logs.ts'
import { executorOf, parseSettings, slotGroupsOf, type WorkerOptions } from './options.ts'
import { createProgressReports } from './progress.ts'
import { reportingOf } from './reporting.ts'
import { SlowClaims } from './slow-claims.ts'
import { createTransactionPool } from './transaction-pool.ts'
import { createUnwrittenBytes } from './unwritten-bytes.ts'

export type Base = ReturnType<typeof createBase>

/** The settings and services that all parts share. Each part takes those that its options name. */
export function createBase(options: WorkerOptions, workerId: () => string | undefined) {
  const parsed = parseSettings(options)
  const groups = slotGroupsOf(options, parsed)
  const concurrency = groups.reduce((sum, group) => sum + group.concurrency, 0)
  const settings = { ...parsed, concurrency }
  const { queryTimeoutMs } = settings
  const database = connect({ applicationName: 'queue-worker', ...options, queryTimeoutMs })
  const reporting = reportingOf(options)
  const executor = containExecutor(executorOf(options), reporting.logger)
  return {
    /** Here the concurrency is the number of slots of all groups. */
    settings,
    groups,
    database,
    /** Connections for the handlers alone. */
    transactions: createTransactionPool({ connection: besidePool(database.pool), max: concurrency }),
    reporting,
    logger: reporting.logger,
    /** Counts what happens to jobs, for `Queue.stats`. */
    counter: createJobCounter({
      database,
      onDropped: (counts) => reporting.observer.countsDropped(counts),
      onFailed: (error) =>
        reporting.logger.warn('counts could not be added to the job statistics', { error }),
    }),
    slowClaims: new SlowClaims({ database, workerId }),
    executor,
    kinds: executor.kinds,
    definitions: new Map((options.handlers ?? []).map(({ definition }) => [definition.kind, definition])),
    /** See `CompletionDeps`. Filled when the worker registers its definitions. */
    refusedVersions: new Set<string>(),
    ownSchedules: options.schedules,
    random: options.random ?? Math.random,
    nowMs,
    /** The id under which this process may claim now; undefined while it has no lease. */
    workerId,
    /** Aborted when nothing may wait for the database any longer. */
    giveUp: new AbortController(),
  }
}

export type Writes = ReturnType<typeof createWrites>

/** The writers of ends, progress, log lines and notifications. Each writes in groups. */
export function createWrites({ database, giveUp: { signal }, reporting: { logger, observer } }: Base) {
  const onOutage = (error: unknown): void =>
    logger.warn('the ends of attempts could not be recorded; trying again', { error })
  const unwritten = createUnwrittenBytes()
  const ends = { database, giveUp: signal, onOutage, unwritten }
  return {
    unwritten,
    finisher: createFinisher(ends),
    refusedEnds: createRefusedEnds({ ...ends, onCount: (count) => observer.refusedEnds(count) }),
    reports: createProgressReports(database, unwritten),
    logs: createJobLogs({
      database,
      logger,
      giveUp: signal,
      wallMs: Date.now,
      unwritten,
      onDropped: (lines) => observer.logLinesDropped(lines),
    }),
    notifier: createNotifier(database),
  }
}
