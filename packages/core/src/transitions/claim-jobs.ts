// queued | retrying → running. Called by a worker that holds its lease; two workers never get the same job.
import { type RawBuilder, sql } from 'kysely'
import type { DatabaseClock } from '../database/clock.ts'
import type { QueueDatabase } from '../database/connect.ts'
import {
  type ClaimedRow,
  claimedColumns,
  claimedNulls,
  decodeClaimedJob,
  epochMs,
} from '../database/job-row.ts'
import { type Given, perSchema, template } from '../database/template.ts'
import type { SchemaNames } from '../database/schema-names.ts'
import type { ClaimedJob } from '../domain/job.ts'
import { claimBatchMax } from '../domain/limits.ts'
import { type ClaimMarks, marksAfter, marksText, type Slots, slotsOf } from './claim-marks.ts'

export interface ClaimInput {
  readonly workerId: string
  /**
   * Queues in the order in which they are served within one priority. Only those in the table `queues` are. What a claim
   * makes of them is kept with the array.
   */
  readonly queues: readonly string[]
  /** Kinds that this worker can run. */
  readonly kinds: readonly string[]
  /** How many at most, 1..`claimBatchMax`. */
  readonly limit: number
  /** From where to scan: what the last claim gave, or `noMarks` to look at everything. */
  readonly marks: ClaimMarks
  /**
   * `any`: for slots that wait. `steady`: neither a job that has crashed a worker before, for a process that runs
   * one. `ahead`: only jobs that may wait in memory, for which a crash of this process is no calamity: neither those
   * that have crashed a worker before nor those on their last attempt.
   */
  readonly eligible: 'any' | 'steady' | 'ahead'
  /** How long the caller waits for the answer, in milliseconds, from when the statement is handed to its connection. */
  readonly answerWithinMs: number
  /**
   * The database's clock as the caller knows it, read when the statement is handed over. It must not be ahead of the
   * database's own. While it knows nothing, the time counts from the statement's arrival.
   */
  readonly clock: Pick<DatabaseClock, 'nowMs'>
}

export interface Claim {
  /** In the order in which they are to start. */
  readonly jobs: readonly ClaimedJob[]
  /** Whether the worker is no longer active in the registry: it gets nothing, and must let go of what it runs. */
  readonly leaseLost: boolean
  /** Whether it was held up for so long that its caller may have given it up: it took nothing. */
  readonly tooLate: boolean
  /** From where the next claim may scan. */
  readonly marks: ClaimMarks
  /** The database's clock when the jobs were taken, in milliseconds since 1970. */
  readonly databaseNowMs: number
}

/** Jobs are taken within this share of the caller's patience; the rest is for writing them, and for the answer's way. */
const takingShare = 0.9

/**
 * Claims up to `limit` due jobs, each attempt charged and each lease token raised, in one statement.
 *
 * One bounded scan for each priority and queue, in the order of the slots, keeps the cost independent of what is
 * scheduled for later and of other queues. There is no sort above the row locks: a sort would lock `limit` rows of
 * every slot before the outer LIMIT applied. A row that could not be claimed for any reason (its attempts are used
 * up) is passed over and not tried, so that no row can make the claim fail for the others.
 *
 * A worker whose lease has run out claims nothing: recovery would take the jobs and charge them. One that nobody has
 * marked yet may renew, and then claims again. The row of the worker is not locked, because a claim that hangs on a
 * dead connection would keep recovery from it; what such a claim brings is found by the state of its owner.
 *
 * A claim takes nothing once its caller has given it up: nobody would run its jobs. That is decided by the database's clock
 * when the locks of its tables and queues are there, for which it may have waited; rows of jobs are never waited for. The
 * time counts from the earlier of the statement's arrival and the instant at which its caller sent it, because it may also
 * have waited on the network. The lease of the worker is compared with the same instant, which becomes `locked_at`.
 *
 * The share lock on the queue's row is what lets a pause promise that no claim commits after it has answered.
 */
export async function claimJobs(database: QueueDatabase, input: ClaimInput): Promise<Claim> {
  const limit = Math.min(input.limit, claimBatchMax)
  const slots = slotsOf(input.queues)
  const statement = claimStatements(database.names)[input.eligible]({ ...input, limit, slots })
  const rows = await database.run(statement, 'frequent')
  const seen = decodeSeen(rows.at(-1))
  const claimed = rows.slice(0, -1) as readonly ClaimedRow[]
  const jobs = claimed.map((row) => decodeClaimedJob(row, seen.taken_ms)).toSorted(byClaimOrder)
  return {
    jobs,
    leaseLost: !seen.is_active,
    tooLate: seen.is_too_late,
    databaseNowMs: seen.taken_ms,
    marks: marksAfter(input.marks, {
      slots,
      limit,
      claimed: jobs,
      openQueues: seen.open_queues,
      nowMs: seen.now_ms,
    }),
  }
}

/** One row for each claimed job, and a last one with what the claim has seen, as JSON in place of a payload. */
type ClaimRow = ClaimedRow | { readonly payload: string }

interface Seen {
  /** When the statement arrived: what has come since is not among what was scanned. */
  readonly now_ms: number
  readonly taken_ms: number
  readonly is_active: boolean
  readonly is_too_late: boolean
  readonly open_queues: readonly string[]
}

function decodeSeen(row: ClaimRow | undefined): Seen {
  if (row === undefined) throw new Error('a claim gave no answer')
  return JSON.parse(row.payload) as Seen
}

const eligibility = {
  any: sql`c.attempts < c.max_attempts`,
  steady: sql`c.attempts < c.max_attempts AND c.crashes = 0`,
  ahead: sql`c.attempts + 1 < c.max_attempts AND c.crashes = 0`,
} as const

const claimStatements = perSchema((names) => ({
  any: template<SlottedInput, ClaimRow>((given) => claimStatement(names, eligibility.any, given)),
  steady: template<SlottedInput, ClaimRow>((given) => claimStatement(names, eligibility.steady, given)),
  ahead: template<SlottedInput, ClaimRow>((given) => claimStatement(names, eligibility.ahead, given)),
}))

interface SlottedInput extends ClaimInput {
  readonly slots: Slots
}

function claimStatement(
  names: SchemaNames,
  eligible: RawBuilder<unknown>,
  given: Given<SlottedInput>,
): RawBuilder<ClaimRow> {
  const workerId = given((input) => input.workerId)
  const limit = given((input) => input.limit)
  const sentAtMs = given((input) => input.clock.nowMs() ?? Number.POSITIVE_INFINITY)
  const takingMs = given((input) => input.answerWithinMs * takingShare)
  return sql<ClaimRow>`
    WITH owner AS MATERIALIZED (
      SELECT w.lease_expires_at, w.lease_expires_at > now() AS holds_lease FROM ${names.workers} AS w
       WHERE w.id = ${workerId} AND w.state = 'active'
    ), open_queues AS MATERIALIZED (
      SELECT q.name FROM ${names.queues} AS q
       WHERE q.name = ANY(${given((input) => input.queues)}::text[]) AND q.paused_at IS NULL AND (SELECT holds_lease FROM owner)
       ORDER BY q.name FOR SHARE
    ), start AS MATERIALIZED (
      SELECT l.at, l.at >= l.deadline AS is_too_late,
             CASE WHEN l.at < l.deadline AND l.at < (SELECT lease_expires_at FROM owner) THEN l.queues ELSE '{}' END AS queues
        FROM (SELECT clock_timestamp() AS at, coalesce(array_agg(name), '{}') AS queues,
                     least(now(), to_timestamp(${sentAtMs}::float8 / 1000))
                     + ${takingMs}::float8 * interval '1 millisecond' AS deadline
                FROM open_queues) AS l
    ), claimed AS (
      UPDATE ${names.jobs} AS j
         SET status = ${names.status.running}, attempts = j.attempts + 1, lease_token = j.lease_token + 1,
             locked_at = (SELECT at FROM start), locked_by = ${workerId}, updated_at = (SELECT at FROM start),
             progress = NULL, progress_message = NULL
       WHERE j.id = ANY(ARRAY(
               SELECT due.id
                 FROM unnest(${given(({ slots }) => slots.priorities)}::smallint[],
                             ${given(({ slots }) => slots.queues)}::text[],
                             ${given(({ slots, marks }) => marksText(marks, slots))}::float8[])
                      AS slot (priority, queue, mark_ms)
                CROSS JOIN LATERAL (
                  SELECT c.id
                    FROM ${names.jobs} AS c
                   WHERE c.queue = slot.queue AND c.priority = slot.priority
                     AND c.status IN (${names.status.queued}, ${names.status.retrying})
                     AND c.run_at >= to_timestamp(slot.mark_ms / 1000) AND c.run_at <= now()
                     AND c.kind = ANY(${given((input) => input.kinds)}::text[]) AND ${eligible}
                   ORDER BY c.run_at, c.id
                   LIMIT ${limit}::int
                     FOR UPDATE SKIP LOCKED
                ) AS due
                WHERE slot.queue = ANY((SELECT queues FROM start)::text[])
                LIMIT ${limit}::int))
      RETURNING ${claimedColumns('j')}
    )
    SELECT claimed.* FROM claimed
    UNION ALL
    SELECT json_build_object('now_ms', ${epochMs(sql`now()`)}, 'taken_ms', ${epochMs(sql`start.at`)},
                             'is_active', EXISTS (SELECT FROM owner), 'is_too_late', start.is_too_late,
                             'open_queues', start.queues)::text, ${claimedNulls}
      FROM start`
}

/** The order in which the claimed jobs start: UPDATE … RETURNING promises none. */
function byClaimOrder(a: ClaimedJob, b: ClaimedJob): number {
  return a.priority - b.priority || a.runAt.getTime() - b.runAt.getTime() || (a.id < b.id ? -1 : 1)
}
