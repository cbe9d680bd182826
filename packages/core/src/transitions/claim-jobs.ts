// queued | retrying → running. Called by a registered worker; two workers never get the same job.
import { sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'
import { type ClaimedRow, claimedColumns, decodeClaimedJob } from '../database/job-row.ts'
import type { ClaimedJob } from '../domain/job.ts'
import { claimBatchMax, priorityMax, priorityMin } from '../domain/limits.ts'

export interface ClaimInput {
  readonly workerId: string
  /** Queues in the order in which they are served within one priority. Only those in the table `queues` are. */
  readonly queues: readonly string[]
  /** Kinds that this worker can run. */
  readonly kinds: readonly string[]
  /** How many at most, 1..`claimBatchMax`. */
  readonly limit: number
}

/**
 * Claims up to `limit` due jobs, each attempt charged and each lease token raised, in one statement.
 *
 * One bounded scan for each priority and queue, in the order of `slots`, keeps the cost independent of what is
 * scheduled for later and of other queues. There is no sort above the row locks: a sort would lock `limit` rows of
 * every slot before the outer LIMIT applied. A row that could not be claimed for any reason (its attempts are used
 * up) is passed over and not tried, so that no row can make the claim fail for the others.
 *
 * The share lock on the queue's row is what lets a pause promise that no claim commits after it has answered.
 */
export async function claimJobs(database: QueueDatabase, input: ClaimInput): Promise<ClaimedJob[]> {
  const { names } = database
  const limit = Math.min(input.limit, claimBatchMax)
  const slots = slotsOf(input.queues)
  const rows = await database.run(sql<ClaimedRow>`
    WITH open_queues AS MATERIALIZED (
      SELECT q.name FROM ${names.queues} AS q
       WHERE q.name = ANY(${input.queues}::text[]) AND q.paused_at IS NULL
       ORDER BY q.name FOR SHARE
    )
    UPDATE ${names.jobs} AS j
       SET status = ${names.status.running}, attempts = j.attempts + 1, lease_token = j.lease_token + 1,
           locked_at = now(), locked_by = ${input.workerId}, updated_at = now(),
           progress = NULL, progress_message = NULL
     WHERE j.id = ANY(ARRAY(
             SELECT due.id
               FROM unnest(${slots.priorities}::smallint[], ${slots.queues}::text[]) AS slot (priority, queue)
              CROSS JOIN LATERAL (
                SELECT c.id
                  FROM ${names.jobs} AS c
                 WHERE c.queue = slot.queue AND c.priority = slot.priority
                   AND c.status IN (${names.status.queued}, ${names.status.retrying})
                   AND c.run_at <= now() AND c.kind = ANY(${input.kinds}::text[])
                   AND c.attempts < c.max_attempts
                 ORDER BY c.run_at, c.id
                 LIMIT ${sql.lit(limit)}
                   FOR UPDATE SKIP LOCKED
              ) AS due
              WHERE slot.queue = ANY(ARRAY(SELECT name FROM open_queues))
              LIMIT ${sql.lit(limit)}))
    RETURNING ${claimedColumns('j')}`)
  return rows.map(decodeClaimedJob).toSorted(byClaimOrder)
}

/** Every pair of priority and queue, the lowest priority number first, the queues of one priority in their order. */
function slotsOf(queues: readonly string[]): { priorities: number[]; queues: string[] } {
  const priorities = Array.from({ length: priorityMax - priorityMin + 1 }, (_, index) => priorityMin + index)
  const pairs = priorities.flatMap((priority) => queues.map((queue) => ({ priority, queue })))
  return { priorities: pairs.map((pair) => pair.priority), queues: pairs.map((pair) => pair.queue) }
}

/** The order in which the claimed jobs start: UPDATE … RETURNING promises none. */
function byClaimOrder(a: ClaimedJob, b: ClaimedJob): number {
  return a.priority - b.priority || a.runAt.getTime() - b.runAt.getTime() || (a.id < b.id ? -1 : 1)
}
