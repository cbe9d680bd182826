// Counts in memory what one process sees happen to jobs, and adds the counts to the database from time to time.
import { sqlStateOf } from '@queue/postgres'
import type { QueueDatabase } from '../database/connect.ts'
import { bucketOf } from '../domain/histogram.ts'
import type { CountedJob, UnbegunJob } from '../domain/job.ts'
import { statsTalliesMax } from '../domain/limits.ts'
import {
  addCounts,
  allOf,
  type Counter,
  counters,
  type CountsRow,
  separateSeries,
  noCounts,
  seriesOf,
} from './add-counts.ts'

/** How a job, or an attempt of it, ended. An attempt that goes back uncharged has no end. */
export type CountedEnd = 'succeeded' | 'failed' | 'retried' | 'cancelled'

/** Counts events of jobs. Each method but the last three only counts in memory, because it runs for every job. */
export interface JobCounter {
  /** A worker has claimed the job. The first claim counts the enqueue, in the minute of the job's creation. */
  claimed(job: Pick<UnbegunJob, 'queue' | 'kind' | 'tenantId' | 'lease' | 'createdAt'>): void
  /** An attempt starts. */
  started(job: Pick<UnbegunJob, 'queue' | 'kind' | 'tenantId' | 'waitUs' | 'claimedAt'>): void
  /** An attempt ended at this instant of the database's clock. `runMs` is its duration, if that is known. */
  ended(
    job: CountedJob,
    end: { readonly how: CountedEnd; readonly atMs: number; readonly runMs?: number },
  ): void
  /** The job was cancelled before any worker claimed it. */
  cancelledUnclaimed(job: CountedJob & { readonly createdAt: Date }, atMs: number): void
  /**
   * Adds the counts to the database in one statement, or in none where nothing was counted. Never rejects: counts that
   * certainly were not written are kept for the next flush.
   */
  flush(): Promise<void>
  /** Starts a flush without waiting for it. One runs at a time; events in between go with the next. */
  flushSoon(): void
  /** Resolves when no flush is under way. */
  drained(): Promise<void>
}

export interface JobCounterOptions {
  readonly database: QueueDatabase
  /** Called with the number of lost events: their write got no answer, or there were too many counters to keep. */
  readonly onDropped?: (counts: number) => void
  /** Called where counts could not be added. `onDropped` tells whether they were lost. */
  readonly onFailed?: (error: unknown) => void
}

const minuteMs = 60_000
const hourMs = 3_600_000
/** After this many flushes the separate series are read again: ten minutes of work. */
const flushesPerSeriesRead = 60
/** With this many tallies, a flush starts early. */
const talliesBeforeFlush = statsTalliesMax / 2

export function createJobCounter({ database, onDropped, onFailed }: JobCounterOptions): JobCounter {
  const tallies = new Tallies((counts) => onDropped?.(counts))
  const series = createSeries(database)
  let flushing: Promise<void> | undefined

  const write = async (): Promise<void> => {
    const pending = tallies.take()
    if (pending.length === 0) return
    try {
      const separate = await series.separateAmong(pending)
      await addCounts(database, rowsOf(pending, separate))
    } catch (error) {
      onFailed?.(error)
      // Without an answer it is unknown whether the statement took effect. Losing counts is better than counting twice.
      if (hadNoEffect(error)) tallies.putBack(pending)
      else onDropped?.(pending.reduce((sum, tally) => sum + tally.events, 0))
    }
  }
  const flush = async (): Promise<void> => {
    while (flushing !== undefined) await flushing
    flushing = write().finally(() => (flushing = undefined))
    await flushing
  }
  let isScheduled = false
  const flushSoon = (): void => {
    if (isScheduled) return
    isScheduled = true
    // Events until this flush takes the tallies are written with it.
    const flushNext = async (): Promise<void> => {
      await flushing
      isScheduled = false
      await flush()
    }
    void flushNext()
  }
  const count = (job: CountedJob, counter: Counter, atMs: number): Tally | undefined => {
    const tally = tallies.tallyOf(job, atMs)
    if (tally === undefined) return undefined
    tally.events += 1
    tally[counter] += 1
    if (tallies.size >= talliesBeforeFlush && flushing === undefined) flushSoon()
    return tally
  }
  return {
    claimed: (job) => {
      if (job.lease.token === 1) count(job, 'enqueued', job.createdAt.getTime())
    },
    started: (job) => {
      const atMs = job.claimedAt.getTime()
      count(job, 'started', atMs)?.addWait(job.waitUs / 1_000)
    },
    ended: (job, { how, atMs, runMs }) => {
      const tally = count(job, how, atMs)
      if (runMs !== undefined) tally?.addRun(runMs)
    },
    cancelledUnclaimed: (job, atMs) => {
      count(job, 'enqueued', job.createdAt.getTime())
      count(job, 'cancelled', atMs)
    },
    flush,
    flushSoon,
    drained: async () => {
      while (isScheduled || flushing !== undefined) await (flushing ?? Promise.resolve())
    },
  }
}

/** The events of one minute of the jobs of one queue, kind and tenant. */
class Tally {
  enqueued = 0
  started = 0
  succeeded = 0
  failed = 0
  retried = 0
  cancelled = 0
  /** The sum of all counters. */
  events = 0
  readonly minuteMs: number
  readonly queue: string
  readonly kind: string
  readonly tenantId: string
  wait: Map<number, number> | undefined
  run: Map<number, number> | undefined

  constructor(job: CountedJob, atMinuteMs: number) {
    this.minuteMs = atMinuteMs
    this.queue = job.queue
    this.kind = job.kind
    this.tenantId = job.tenantId ?? ''
  }

  addWait(ms: number): void {
    addOne((this.wait ??= new Map()), bucketOf(ms))
  }

  addRun(ms: number): void {
    addOne((this.run ??= new Map()), bucketOf(ms))
  }
}

function addOne(buckets: Map<number, number>, bucket: number): void {
  buckets.set(bucket, (buckets.get(bucket) ?? 0) + 1)
}

/** The tallies that are not written yet. */
class Tallies {
  readonly #onDropped: (counts: number) => void
  #byKey = new Map<string, Tally>()
  /** The tally that was used last: the next event mostly has the same minute, series and tenant. */
  #last: Tally | undefined

  constructor(onDropped: (counts: number) => void) {
    this.#onDropped = onDropped
  }

  get size(): number {
    return this.#byKey.size
  }

  /** The tally of an event. Undefined where there are too many tallies: the event is dropped. */
  tallyOf(job: CountedJob, atMs: number): Tally | undefined {
    const atMinuteMs = atMs - (atMs % minuteMs)
    const last = this.#last
    if (
      last !== undefined &&
      last.minuteMs === atMinuteMs &&
      last.kind === job.kind &&
      last.queue === job.queue &&
      last.tenantId === (job.tenantId ?? '')
    ) {
      return last
    }
    const key = `${atMinuteMs} ${seriesOf(job)} ${job.tenantId ?? ''}`
    const existing = this.#byKey.get(key)
    if (existing === undefined && this.#byKey.size >= statsTalliesMax) {
      this.#onDropped(1)
      return undefined
    }
    const tally = existing ?? new Tally(job, atMinuteMs)
    if (existing === undefined) this.#byKey.set(key, tally)
    this.#last = tally
    return tally
  }

  /** Removes and returns all tallies. */
  take(): Tally[] {
    const pending = [...this.#byKey.values()]
    this.#byKey = new Map()
    this.#last = undefined
    return pending
  }

  /** Keeps tallies that were not written for the next flush. */
  putBack(pending: readonly Tally[]): void {
    for (const tally of pending) {
      const { minuteMs: atMs, queue, kind, tenantId } = tally
      const target = this.tallyOf({ queue, kind, tenantId: tenantId === '' ? null : tenantId }, atMs)
      if (target === undefined) {
        this.#onDropped(tally.events - 1)
        continue
      }
      for (const counter of counters) target[counter] += tally[counter]
      target.events += tally.events
      for (const [bucket, count] of tally.wait ?? []) addMany((target.wait ??= new Map()), bucket, count)
      for (const [bucket, count] of tally.run ?? []) addMany((target.run ??= new Map()), bucket, count)
    }
  }
}

function addMany(buckets: Map<number, number>, bucket: number, count: number): void {
  buckets.set(bucket, (buckets.get(bucket) ?? 0) + count)
}

/** Knows which series the database counts separately. It reads them again where a series comes that it has not requested. */
function createSeries(database: QueueDatabase) {
  let separate: ReadonlySet<string> = new Set()
  let requested: ReadonlySet<string> = new Set()
  let flushes = 0
  return {
    separateAmong: async (tallies: readonly Tally[]): Promise<ReadonlySet<string>> => {
      const names = new Set(tallies.map(seriesOf))
      if (flushes >= flushesPerSeriesRead || [...names].some((name) => !requested.has(name))) {
        const all = new Set([...(flushes >= flushesPerSeriesRead ? [] : requested), ...names])
        separate = await separateSeries(database, [...all])
        requested = all
        flushes = 0
      }
      flushes += 1
      return separate
    },
  }
}

/**
 * The rows to which these tallies are added: of the minute and the hour; of the series, its queue and everything; of
 * the tenant and of all tenants.
 */
function rowsOf(tallies: readonly Tally[], separate: ReadonlySet<string>): CountsRow[] {
  const rows = new Map<string, MutableRow>()
  for (const tally of tallies) {
    const tenants = tally.tenantId === '' ? [''] : ['', tally.tenantId]
    for (const { queue, kind } of sumsOf(tally, separate)) {
      for (const tenantId of tenants) {
        for (const period of ['minute', 'hour'] as const) {
          const at = tally.minuteMs - (period === 'minute' ? 0 : tally.minuteMs % hourMs)
          addTally(rows, { period, at, queue, kind, tenant_id: tenantId }, tally)
        }
      }
    }
  }
  return [...rows.values()]
}

/**
 * The series of a tally, and the sums that it is part of. A series that is not counted separately is part of the sum of
 * everything only.
 */
function sumsOf(tally: Tally, separate: ReadonlySet<string>): Pick<RowKey, 'queue' | 'kind'>[] {
  const everything = { queue: allOf, kind: allOf }
  if (!separate.has(seriesOf(tally))) return [{ queue: '', kind: '' }, everything]
  const { queue, kind } = tally
  return [{ queue, kind }, { queue, kind: allOf }, everything]
}

function addTally(rows: Map<string, MutableRow>, rowKey: RowKey, tally: Tally): void {
  const key = JSON.stringify(Object.values(rowKey))
  const row = rows.get(key) ?? emptyRow(rowKey)
  rows.set(key, row)
  for (const counter of counters) row[counter] += tally[counter]
  addBuckets(row.wait_buckets, tally.wait)
  addBuckets(row.run_buckets, tally.run)
}

type RowKey = Pick<CountsRow, 'period' | 'at' | 'queue' | 'kind' | 'tenant_id'>

type MutableRow = RowKey &
  Record<Counter, number> & {
    readonly wait_buckets: Record<string, number>
    readonly run_buckets: Record<string, number>
  }

function emptyRow(key: RowKey): MutableRow {
  return {
    ...key,
    ...noCounts,
    wait_buckets: {},
    run_buckets: {},
  }
}

function addBuckets(target: Record<string, number>, buckets: Tally['wait']): void {
  for (const [bucket, count] of buckets ?? []) target[bucket] = (target[bucket] ?? 0) + count
}

/** Whether the statement certainly had no effect: the server answered with an error, or was never reached. */
function hadNoEffect(error: unknown): boolean {
  const cause = error instanceof Error ? (error.cause ?? error) : error
  if (sqlStateOf(cause) !== undefined) return true
  return cause instanceof Error && 'code' in cause && cause.code === 'ECONNREFUSED'
}
