// Which queues take no more jobs, as one process knows it.
import { asText, createDatabaseClock, type DatabaseClock, epochMs, type Numeric } from '@queue/postgres'
import { sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'
import { QueueFull } from '../domain/errors.ts'
import type { JobRequest } from '../domain/job-definition.ts'
import { isCountOf } from '../migrations/0001-waiting-counts.ts'
import { countWaiting } from './count-waiting.ts'

/** Whose a job is. */
type Addressed = Pick<JobRequest, 'queue' | 'tenantId'>

/**
 * The queues, and the tenants in them, that take no more jobs. Read with the clock that the ids of jobs are made by, and again
 * beside an enqueue where that is `readAgainMs` ago: so no enqueue waits for it that would not have waited for the clock.
 */
export interface FullQueues {
  /** The clock that each reading brings up to date. */
  readonly clock: DatabaseClock
  /**
   * Reads again where that is due. It waits for the answer only where there is no reading, or one of ten seconds ago: through
   * `through`, a caller's transaction, where that is given.
   */
  look(through?: QueueDatabase): Promise<void>
  /** Whether an enqueue of such a job is refused, by the last reading. */
  has(job: Addressed): boolean
  /** Throws `QueueFull` where one of these jobs is to be refused. Those that are not new take no room; by default all are. */
  assertRoom<Job extends Addressed>(jobs: readonly Job[], isNew?: (job: Job, index: number) => boolean): void
}

/** The longest time for which a process that enqueues goes by one reading. */
const readAgainMs = 500
/** Workers count far more often: where they do not, whoever enqueues does. */
const staleMs = 2_000

export interface FullQueuesOptions {
  readonly clock?: DatabaseClock
  /** Told of each enqueue that is refused, with the queue. */
  readonly onRefused?: ((queue: string) => void) | undefined
}

export function createFullQueues(
  database: QueueDatabase,
  { clock = createDatabaseClock(), onRefused }: FullQueuesOptions = {},
): FullQueues {
  let full: ReadonlySet<string> = new Set()
  let readAtMs = Number.NEGATIVE_INFINITY
  let reading: Promise<void> | undefined
  /** Whether the counts were too old. */
  const read = async (through: QueueDatabase): Promise<boolean> => {
    const { nowMs, names, isStale } = await readFull(through)
    clock.observe(nowMs)
    readAtMs = nowMs
    full = names
    return isStale
  }
  const readAndCount = async (): Promise<void> => {
    if (!(await read(database))) return
    // What was counted before is what it goes by where nobody can count.
    await countWaiting(database, staleMs).catch(ignore)
    await read(database)
  }
  const readBeside = (): Promise<void> => {
    reading ??= readAndCount().finally(() => {
      reading = undefined
    })
    return reading
  }
  const has = ({ queue, tenantId }: Addressed): boolean =>
    full.size > 0 && (full.has(nameOf(queue, '')) || full.has(nameOf(queue, tenantId ?? '')))
  return {
    clock,
    has,
    look: async (through) => {
      if (clock.isStale() || readAtMs === Number.NEGATIVE_INFINITY) {
        // A transaction of the caller's may be of an isolation level in which nobody else's count may be brought up to date.
        if (through === undefined) await readBeside()
        else if (await read(through)) readBeside().catch(ignore)
      } else if ((clock.nowMs() ?? 0) - readAtMs >= readAgainMs) {
        // What cannot be read now is read by the next enqueue; a database that is down says so to this one.
        readBeside().catch(ignore)
      }
    },
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

/** Names of queues have no spaces in them. */
function nameOf(queue: string, tenantId: string): string {
  return `${queue} ${tenantId}`
}

interface FullReading {
  readonly nowMs: number
  readonly names: ReadonlySet<string>
  /** Whether a count is too old to go by: no worker counts. */
  readonly isStale: boolean
}

async function readFull({ names, run }: QueueDatabase): Promise<FullReading> {
  const [row] = await run(sql<{ now_ms: Numeric; full_names: string | null; is_stale: boolean }>`
    SELECT ${asText(epochMs(sql`clock_timestamp()`))} AS now_ms,
           (SELECT jsonb_agg(w.queue || ' ' || w.tenant_id)::text
              FROM ${names.waitingCounts} AS w JOIN ${names.limits} AS l ON ${sql.raw(isCountOf)}
             WHERE w.waiting >= l.max_waiting) AS full_names,
           EXISTS (SELECT FROM ${names.waitingCounts} AS w
                    WHERE w.counted_at < clock_timestamp() - ${sql.lit(staleMs)} * interval '1 millisecond') AS is_stale`)
  if (row === undefined) throw new Error('the database gave no time')
  const { now_ms: nowMs, full_names: found, is_stale: isStale } = row
  return {
    nowMs: Number(nowMs),
    isStale,
    names: new Set(found === null ? [] : (JSON.parse(found) as string[])),
  }
}
