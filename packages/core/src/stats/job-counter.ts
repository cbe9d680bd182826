// What one process has seen happen to jobs, counted in its memory and added to the database from time to time.
import { sqlStateOf } from '@queue/postgres'
import type { QueueDatabase } from '../database/connect.ts'
import { bucketOf } from '../domain/histogram.ts'
import type { UnbegunJob } from '../domain/job.ts'
import { statsTalliesMax } from '../domain/limits.ts'
import {
  addCounts,
  allOf,
  type Counter,
  counters,
  type CountsRow,
  knownSeries,
  noCounts,
  seriesOf,
} from './add-counts.ts'

/** Whose numbers they are. */
export interface CountedJob {
  readonly queue: string
  readonly kind: string
  readonly tenantId: string | null
}

/** How a job, or an attempt of it, has ended. What goes back uncharged is no end. */
export type CountedEnd = 'succeeded' | 'failed' | 'retried' | 'cancelled'

/** Each method but the last three counts and does nothing else: it runs for every job. */
export interface JobCounter {
  /** A worker has got it. The first time it counts as enqueued, in the minute of its creation. */
  claimed(job: Pick<UnbegunJob, 'queue' | 'kind' | 'tenantId' | 'lease' | 'createdAt'>): void
  /** An attempt begins. */
  started(job: Pick<UnbegunJob, 'queue' | 'kind' | 'tenantId' | 'runAt' | 'claimedAt'>): void
  /** An attempt has ended, at this instant of the database's clock; it has run for `runMs`, if that is known. */
  ended(
    job: CountedJob,
    end: { readonly how: CountedEnd; readonly atMs: number; readonly runMs?: number },
  ): void
  /** It was cancelled before anybody got it. */
  cancelledUnclaimed(job: CountedJob & { readonly createdAt: Date }, atMs: number): void
  /**
   * Adds what was counted to the database, in one statement; without any where nothing was. It never rejects: what certainly was
   * not written is kept for the next time.
   */
  flush(): Promise<void>
  /** The same without waiting: one at a time, and what is counted meanwhile with the next. */
  flushSoon(): void
  /** Resolves when no flush is under way. */
  drained(): Promise<void>
}

export interface JobCounterOptions {
  readonly database: QueueDatabase
  /** So many counts were lost: their write got no answer, or there were too many to keep. */
  readonly onDropped?: (counts: number) => void
  /** They could not be added. Whether they are kept says `onDropped`. */
  readonly onFailed?: (error: unknown) => void
}

const minuteMs = 60_000
const hourMs = 3_600_000
/** The database is asked again which series it keeps apart after so many flushes: ten minutes of work. */
const flushesPerAsking = 60
/** With so many tallies a flush comes early. */
const talliesBeforeFlush = statsTalliesMax / 2

export function createJobCounter({ database, onDropped, onFailed }: JobCounterOptions): JobCounter {
  const tallies = new Tallies((counts) => onDropped?.(counts))
  const series = createSeries(database)
  let flushing: Promise<void> | undefined

  const write = async (): Promise<void> => {
    const taken = tallies.take()
    if (taken.length === 0) return
    try {
      const known = await series.of(taken)
      await addCounts(database, rowsOf(taken, known))
    } catch (error) {
      onFailed?.(error)
      // Whether a statement without an answer took effect is unknown: counts are rather lost than counted twice.
      if (hasHadNoEffect(error)) tallies.putBack(taken)
      else onDropped?.(taken.reduce((sum, tally) => sum + tally.events, 0))
    }
  }
  const flush = async (): Promise<void> => {
    while (flushing !== undefined) await flushing
    flushing = write().finally(() => (flushing = undefined))
    await flushing
  }
  let isWanted = false
  const flushSoon = (): void => {
    if (isWanted) return
    isWanted = true
    // What is counted until this flush takes the tallies goes along.
    const wanted = async (): Promise<void> => {
      await flushing
      isWanted = false
      await flush()
    }
    void wanted()
  }
  const count = (job: CountedJob, { counter, atMs }: CountedEvent): Tally | undefined => {
    const tally = tallies.of(job, atMs)
    if (tally === undefined) return undefined
    tally.events += 1
    tally[counter] += 1
    if (tallies.size >= talliesBeforeFlush && flushing === undefined) flushSoon()
    return tally
  }
  return {
    claimed: (job) => {
      if (job.lease.token === 1) count(job, { counter: 'enqueued', atMs: job.createdAt.getTime() })
    },
    started: (job) => {
      const atMs = job.claimedAt.getTime()
      count(job, { counter: 'started', atMs })?.addWait(atMs - job.runAt.getTime())
    },
    ended: (job, { how, atMs, runMs }) => {
      const tally = count(job, { counter: how, atMs })
      if (runMs !== undefined) tally?.addRun(runMs)
    },
    cancelledUnclaimed: (job, atMs) => {
      count(job, { counter: 'enqueued', atMs: job.createdAt.getTime() })
      count(job, { counter: 'cancelled', atMs })
    },
    flush,
    flushSoon,
    drained: async () => {
      while (isWanted || flushing !== undefined) await (flushing ?? Promise.resolve())
    },
  }
}

interface CountedEvent {
  readonly counter: Counter
  readonly atMs: number
}

/** What happened within a minute to the jobs of one queue, kind and tenant. */
class Tally {
  enqueued = 0
  started = 0
  succeeded = 0
  failed = 0
  retried = 0
  cancelled = 0
  /** The sum of all of them. */
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

/** Those that are not written yet. */
class Tallies {
  readonly #onDropped: (counts: number) => void
  #byKey = new Map<string, Tally>()
  /** The one that was used last: most often the next event is of the same. */
  #last: Tally | undefined

  constructor(onDropped: (counts: number) => void) {
    this.#onDropped = onDropped
  }

  get size(): number {
    return this.#byKey.size
  }

  /** Undefined where there are too many: the event is dropped. */
  of(job: CountedJob, atMs: number): Tally | undefined {
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
    const known = this.#byKey.get(key)
    if (known === undefined && this.#byKey.size >= statsTalliesMax) {
      this.#onDropped(1)
      return undefined
    }
    const tally = known ?? new Tally(job, atMinuteMs)
    if (known === undefined) this.#byKey.set(key, tally)
    this.#last = tally
    return tally
  }

  take(): Tally[] {
    const taken = [...this.#byKey.values()]
    this.#byKey = new Map()
    this.#last = undefined
    return taken
  }

  /** They were not written: they go with the next. */
  putBack(taken: readonly Tally[]): void {
    for (const tally of taken) {
      const { minuteMs: atMs, queue, kind, tenantId } = tally
      const into = this.of({ queue, kind, tenantId: tenantId === '' ? null : tenantId }, atMs)
      if (into === undefined) {
        this.#onDropped(tally.events - 1)
        continue
      }
      for (const counter of counters) into[counter] += tally[counter]
      into.events += tally.events
      for (const [bucket, count] of tally.wait ?? []) addMany((into.wait ??= new Map()), bucket, count)
      for (const [bucket, count] of tally.run ?? []) addMany((into.run ??= new Map()), bucket, count)
    }
  }
}

function addMany(buckets: Map<number, number>, bucket: number, count: number): void {
  buckets.set(bucket, (buckets.get(bucket) ?? 0) + count)
}

/** Which of the series the database keeps apart, asked where one comes that was not asked for. */
function createSeries(database: QueueDatabase) {
  let kept: ReadonlySet<string> = new Set()
  let asked: ReadonlySet<string> = new Set()
  let flushes = 0
  return {
    of: async (tallies: readonly Tally[]): Promise<ReadonlySet<string>> => {
      const wanted = new Set(tallies.map(seriesOf))
      if (flushes >= flushesPerAsking || [...wanted].some((one) => !asked.has(one))) {
        const all = new Set([...(flushes >= flushesPerAsking ? [] : asked), ...wanted])
        kept = await knownSeries(database, [...all])
        asked = all
        flushes = 0
      }
      flushes += 1
      return kept
    },
  }
}

/** The rows that these tallies are added to: of the minute and the hour; of the series, its queue and everything; of the tenant and of all. */
function rowsOf(tallies: readonly Tally[], known: ReadonlySet<string>): CountsRow[] {
  const rows = new Map<string, MutableRow>()
  for (const tally of tallies) {
    const tenants = tally.tenantId === '' ? [''] : ['', tally.tenantId]
    for (const { queue, kind } of sumsOf(tally, known)) {
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

/** Its series, and the sums that it is a part of. What is beyond those that are kept apart is in the sum of everything alone. */
function sumsOf(tally: Tally, known: ReadonlySet<string>): Pick<RowKey, 'queue' | 'kind'>[] {
  const everything = { queue: allOf, kind: allOf }
  if (!known.has(seriesOf(tally))) return [{ queue: '', kind: '' }, everything]
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

function addBuckets(into: Record<string, number>, buckets: Tally['wait']): void {
  for (const [bucket, count] of buckets ?? []) into[bucket] = (into[bucket] ?? 0) + count
}

/** Whether the server has answered with an error, or never was asked. */
function hasHadNoEffect(error: unknown): boolean {
  const cause = error instanceof Error ? (error.cause ?? error) : error
  if (sqlStateOf(cause) !== undefined) return true
  return cause instanceof Error && 'code' in cause && cause.code === 'ECONNREFUSED'
}
