// Which queues are full, as one process knows it.
import { asText, createDatabaseClock, type DatabaseClock, epochMs, type Numeric } from '@queue/postgres'
import { sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'
import { QueueFull } from '../domain/errors.ts'
import type { JobRequest } from '../domain/job-definition.ts'
import { isCountOf } from '../database/waiting-counts.ts'
import { countWaiting } from './count-waiting.ts'

/** The queue and the tenant of a job. */
type QueueAndTenant = Pick<JobRequest, 'queue' | 'tenantId'>

/**
 * The full queues, and the tenants with no room in a queue. They are read together with the database's clock, by which
 * ids are minted, and read again beside an enqueue once the reading is `refreshMs` old. So an enqueue waits for the
 * reading only where it would have waited for the clock.
 */
export interface FullQueues extends Room {
  /** The clock, which each reading brings up to date. */
  readonly clock: DatabaseClock
  /**
   * Starts a new reading where one is due. It waits for the answer only where there is no reading yet, or the clock is
   * stale. The answer comes through `through`, a caller's transaction, where that is given.
   */
  refresh(through?: QueueDatabase): Promise<void>
  /** The last reading, which stays as it is. An enqueue that decides more than once decides by one reading. */
  room(): Room
}

/** Which queues accept jobs, by one reading or by the last one. */
export interface Room {
  /** Whether an enqueue of this job is refused, because its queue is full. */
  has(job: QueueAndTenant): boolean
  /** Throws `QueueFull` where one of these jobs is refused. Only new jobs are; by default all of them are new. */
  assertRoom<Job extends QueueAndTenant>(
    jobs: readonly Job[],
    isNew?: (job: Job, index: number) => boolean,
  ): void
}

/** The longest time for which a process that enqueues relies on one reading. */
const refreshMs = 500
/** Workers count far more often. Where none does, a process that enqueues counts. */
const staleMs = 2_000

export interface FullQueuesOptions {
  readonly clock?: DatabaseClock
  /** Called with the queue of each refused enqueue. */
  readonly onRefused?: ((queue: string) => void) | undefined
}

export function createFullQueues(
  database: QueueDatabase,
  { clock = createDatabaseClock(), onRefused }: FullQueuesOptions = {},
): FullQueues {
  let room = roomBeside(new Set(), onRefused)
  let readAtMs = Number.NEGATIVE_INFINITY
  let reading: Promise<void> | undefined
  /** Reads the full queues. Returns whether the counts are too old. */
  const read = async (through: QueueDatabase): Promise<boolean> => {
    const { nowMs, names, isStale } = await readFull(through)
    clock.observe(nowMs)
    readAtMs = nowMs
    room = roomBeside(names, onRefused)
    return isStale
  }
  const readAndCount = async (): Promise<void> => {
    if (!(await read(database))) return
    // If nothing can be counted now, the older counts apply.
    await countWaiting(database, staleMs).catch(ignore)
    await read(database)
  }
  const readBeside = (): Promise<void> => {
    reading ??= readAndCount().finally(() => {
      reading = undefined
    })
    return reading
  }
  return {
    clock,
    room: () => room,
    has: (job) => room.has(job),
    refresh: async (through) => {
      if (clock.isStale() || readAtMs === Number.NEGATIVE_INFINITY) {
        // The caller's transaction may have an isolation level in which counts of other transactions cannot be updated.
        if (through === undefined) await readBeside()
        else if (await read(through)) readBeside().catch(ignore)
      } else if ((clock.nowMs() ?? 0) - readAtMs >= refreshMs) {
        // A failed reading is repeated by the next enqueue. If the database is down, this enqueue fails anyway.
        readBeside().catch(ignore)
      }
    },
    assertRoom: (jobs, isNew) => room.assertRoom(jobs, isNew),
  }
}

/** The room beside these full queues. */
function roomBeside(full: ReadonlySet<string>, onRefused: ((queue: string) => void) | undefined): Room {
  const has = ({ queue, tenantId }: QueueAndTenant): boolean =>
    full.size > 0 && (full.has(fullName(queue, '')) || full.has(fullName(queue, tenantId ?? '')))
  return {
    has,
    assertRoom: (jobs, isNew = always) => {
      const refused = full.size === 0 ? undefined : jobs.find((job, index) => isNew(job, index) && has(job))
      if (refused === undefined) return
      onRefused?.(refused.queue)
      throw new QueueFull(refused.queue)
    },
  }
}

const ignore = (): void => undefined
const always = (): boolean => true

/** One text for a queue and a tenant. Names of queues contain no spaces. */
function fullName(queue: string, tenantId: string): string {
  return `${queue} ${tenantId}`
}

interface FullReading {
  readonly nowMs: number
  readonly names: ReadonlySet<string>
  /** Whether a count is too old to rely on, because no worker counts. */
  readonly isStale: boolean
}

async function readFull({ names, run }: QueueDatabase): Promise<FullReading> {
  const [row] = await run(sql<{ now_ms: Numeric; full_names: string | null; is_stale: boolean }>`
    SELECT ${asText(epochMs(sql`clock_timestamp()`))} AS now_ms,
           (SELECT jsonb_agg(w.queue || ' ' || w.tenant_id)::text
              FROM ${names.waitingCounts} AS w JOIN ${names.limits} AS l ON ${sql.raw(isCountOf)}
             WHERE w.waiting >= l.max_waiting) AS full_names,
           EXISTS (SELECT FROM ${names.waitingCounts} AS w
                    WHERE w.counted_at < clock_timestamp() - ${sql.lit(staleMs)}::float8 * interval '1 millisecond') AS is_stale`)
  if (row === undefined) throw new Error('the database returned no time')
  const { now_ms: nowMs, full_names: fullNames, is_stale: isStale } = row
  return {
    nowMs: Number(nowMs),
    isStale,
    names: new Set(fullNames === null ? [] : (JSON.parse(fullNames) as string[])),
  }
}
