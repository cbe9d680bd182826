import { isLiveWorker } from '../database/live-worker.ts'
import { epochMs } from '@queue/postgres'
import { sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'
import { andWithin } from '../database/scope.ts'
import { bucketOf } from '../domain/histogram.ts'
import { isJobId } from '../domain/job-id.ts'
import { placeMax } from '../domain/limits.ts'
import { jobsBefore } from '../reads/place-in-queue.ts'
import { allOf } from './add-counts.ts'

/** Why the start of a job cannot be estimated. */
export const startUnknownReasons = [
  'not_waiting',
  'out_of_bounds',
  'queue_paused',
  'no_worker',
  'too_many_before',
  'no_rate',
] as const

/**
 * `not_waiting`: the job is running, or has ended. `out_of_bounds`: jobs beyond the caller's scope may come before it.
 * `no_worker`: no worker serves its queue. `too_many_before`: more than `placeMax` jobs come before it. `no_rate`: no
 * job had to wait in the last minutes, so the rate at which jobs can start is unknown.
 */
export type StartUnknown = (typeof startUnknownReasons)[number]

/** The expected start of a waiting job, estimated from the last minutes. */
export interface ExpectedStart {
  /** How many waiting jobs of its queue come before it; null where that is unknown. */
  readonly place: number | null
  /** How many attempts of its queue started per minute in which jobs had to wait; null where there was no such minute. */
  readonly startsPerMinute: number | null
  /** Null where the start cannot be estimated. */
  readonly expectedAt: Date | null
  readonly unknown: StartUnknown | null
}

interface Row {
  readonly waiting: boolean
  readonly paused: boolean
  readonly workers: boolean
  readonly before: number
  readonly starts_per_minute: number | null
  readonly run_at: number
  readonly now: number
}

/** The number of last whole minutes from which the rate is computed. */
const minutes = 5
/** A minute counts if half of its starts came later than this: the jobs then waited for slots, and not only for a poll. */
const waitedMs = 2_500

/**
 * The expected start of a job, from its place in its queue and the starts of the last minutes; undefined where there is
 * no such job. Only minutes in which jobs had to wait count: the starts of other minutes say how many jobs came, and
 * not how many could have started. The place also counts jobs of kinds that no worker runs.
 */
export async function expectedStart(database: QueueDatabase, id: string): Promise<ExpectedStart | undefined> {
  if (!isJobId(id)) return undefined
  const { scope = {} } = database
  if (scope.tenantId !== undefined || scope.kinds !== undefined) return startWithinBounds(database, id)
  const { names } = database
  const rows = await database.run(sql<Row>`
    WITH job AS MATERIALIZED (
      SELECT j.id, j.queue, j.priority, j.run_at, j.status FROM ${names.jobs} AS j
       WHERE j.id = ${id}::uuid${andWithin(database, 'j')}
    ), minutes AS (
      SELECT sum(s.started) AS started, sum(waited.late) AS late
        FROM job AS j JOIN ${names.stats} AS s ON s.period = 'minute' AND s.tenant_id = '' AND s.queue = j.queue AND s.kind = ${sql.lit(allOf)}
         AND s.at >= date_trunc('minute', now() - interval '10 seconds', 'UTC') - ${sql.lit(minutes)}::float8 * interval '1 minute'
         AND s.at < date_trunc('minute', now() - interval '10 seconds', 'UTC')
       CROSS JOIN LATERAL (
         SELECT coalesce(sum(b.value::bigint) FILTER (WHERE b.key::integer >= ${sql.lit(bucketOf(waitedMs))}), 0) AS late
           FROM jsonb_each(s.wait_buckets) AS b) AS waited
       GROUP BY s.at
    )
    SELECT j.status IN (${names.status.queued}, ${names.status.retrying}) AS waiting,
           EXISTS (SELECT FROM ${names.queues} AS q WHERE q.name = j.queue AND q.paused_at IS NOT NULL) AS paused,
           EXISTS (SELECT FROM ${names.workers} AS w WHERE ${isLiveWorker} AND j.queue = ANY(w.queues)) AS workers,
           CASE WHEN j.status IN (${names.status.queued}, ${names.status.retrying})
                THEN ${jobsBefore(names, 'j')} ELSE 0 END AS before,
           (SELECT avg(m.started) FROM minutes AS m WHERE 2::numeric * m.late >= m.started AND m.started > 0::numeric)
             AS starts_per_minute,
           ${epochMs(sql`j.run_at`)} AS run_at, ${epochMs(sql`now()`)} AS now
      FROM job AS j`)
  return rows.map(startOf)[0]
}

function startOf(row: Row): ExpectedStart {
  const unknown = unknownOf(row)
  const place = row.waiting && row.before <= placeMax ? row.before : null
  const startsPerMinute = row.starts_per_minute
  if (unknown !== null || startsPerMinute === null) {
    return { place, startsPerMinute, expectedAt: null, unknown }
  }
  const afterMs = (row.before / startsPerMinute) * 60_000
  return { place, startsPerMinute, expectedAt: new Date(Math.max(row.run_at, row.now + afterMs)), unknown }
}

function unknownOf(row: Row): StartUnknown | null {
  if (!row.waiting) return 'not_waiting'
  if (row.paused) return 'queue_paused'
  if (!row.workers) return 'no_worker'
  if (row.before > placeMax) return 'too_many_before'
  return row.starts_per_minute === null ? 'no_rate' : null
}

/** For a caller who must not learn about other jobs: only whether the job waits. */
async function startWithinBounds(database: QueueDatabase, id: string): Promise<ExpectedStart | undefined> {
  const { names } = database
  const rows = await database.run(sql<Pick<Row, 'waiting'>>`
    SELECT j.status IN (${names.status.queued}, ${names.status.retrying}) AS waiting
      FROM ${names.jobs} AS j WHERE j.id = ${id}::uuid${andWithin(database, 'j')}`)
  return rows.map(({ waiting }) => ({
    place: null,
    startsPerMinute: null,
    expectedAt: null,
    unknown: waiting ? ('out_of_bounds' as const) : ('not_waiting' as const),
  }))[0]
}
