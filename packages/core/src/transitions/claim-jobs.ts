// queued | retrying → running. Called by a worker that holds its lease; no job goes to two workers.
import { type RawBuilder, sql } from 'kysely'
import { epochMs, epochUs, type Given, template, type Template } from '@queue/postgres'
import type { QueueDatabase } from '../database/connect.ts'
import { updatedAt } from '../database/instant.ts'
import { type ClaimedRow, claimedColumns, claimedNulls, decodeClaimedJob } from '../database/job-row.ts'
import { perSchema, type SchemaNames } from '../database/schema-names.ts'
import { firstVersion, parseVersionedKind } from '../domain/kind-version.ts'
import { claimBatchMax } from '../domain/limits.ts'
import { type Claim, type ClaimInput, inClaimOrder, claimTimeShare } from '../claims/claim.ts'
import { claimLanes } from './claim-lanes.ts'
import {
  hasAttempts,
  isActive,
  isDue,
  isInTime,
  isLeased,
  isRunnable,
  isSteady,
  isUnpaused,
  isWaiting,
  type Versions,
} from '../claims/claim-conditions.ts'
import type { ClaimPlan, Eligible } from '../claims/claim-memory.ts'

/**
 * Claims up to `limit` due jobs: jobs without a key by one statement, and jobs in lanes and in queues with limits by
 * another (`claimLanes`), which is sent only while there are any. The two statements take turns to go first.
 */
export async function claimJobs(database: QueueDatabase, input: ClaimInput): Promise<Claim> {
  const { lanes } = input.memory
  const limited = { ...input, limit: Math.min(input.limit, claimBatchMax) }
  // A job in a lane may not wait in memory, because it would hold up the other jobs of its key.
  if (input.eligible === 'ahead') return claimPlainJobs(database, limited)
  if (lanes.areThere && lanes.takeTurn()) {
    return continueClaim(await claimLanes(database, limited), limited, (remaining) =>
      claimPlainJobs(database, remaining),
    )
  }
  const plain = await claimPlainJobs(database, limited)
  return lanes.areThere
    ? continueClaim(plain, limited, (remaining) => claimLanes(database, remaining))
    : plain
}

/**
 * Adds the second part of a claim, for the part of the limit that the first has left. If it fails, the jobs of the
 * first part are kept.
 */
async function continueClaim(
  first: Claim,
  input: ClaimInput,
  claimRemaining: (remaining: ClaimInput) => Promise<Claim>,
): Promise<Claim> {
  const limit = input.limit - first.jobs.length
  if (limit <= 0) return { ...first, more: true }
  if (first.leaseLost || first.tooLate) return first
  try {
    return mergeClaims(first, await claimRemaining({ ...input, limit }))
  } catch (failure) {
    if (first.jobs.length === 0) throw failure
    return { ...first, more: true, failure }
  }
}

/** The two parts of a claim as one. Jobs that the first part took are kept where the second part was too late. */
function mergeClaims(first: Claim, second: Claim): Claim {
  const waits = [first.retryInMs, second.retryInMs].filter((ms) => ms !== null)
  return {
    ...second,
    jobs: [...first.jobs, ...second.jobs],
    payloadLength: first.payloadLength + second.payloadLength,
    tooLate: second.tooLate && first.jobs.length === 0,
    more: first.more || second.more,
    retryInMs: waits.length === 0 ? null : Math.min(...waits),
  }
}

/**
 * Claims up to `limit` due jobs in one statement. Each attempt is charged, and each lease token raised.
 *
 * There is one bounded scan for each priority and queue, in the order of the slots. Its cost does not depend on jobs
 * that are scheduled for later, nor on other queues. There is no sort above the row locks: a sort would lock `limit`
 * rows of every slot before the outer LIMIT applied. The scan passes over rows that cannot be claimed, for instance
 * because their attempts are used up, so that no row can make the claim fail for the others.
 *
 * A worker whose lease has expired claims nothing: recovery would take the jobs and charge them. While it is not marked
 * as lost yet it may renew, and then claim again. The worker's row is not locked, because a claim that hangs on a dead
 * connection would then block recovery of that worker. Jobs of such a claim are recovered by the state of their owner.
 *
 * A claim takes nothing once its caller has given it up, because nobody would run the jobs. The database's clock
 * decides that once the claim holds the locks of its tables and queues, for which it may have waited; it never waits
 * for rows of jobs. The time counts from the statement's arrival or from the instant at which the caller sent it,
 * whichever is earlier, because the statement may also have waited on the network. The worker's lease is compared with
 * the same instant, which becomes `locked_at`.
 *
 * Only payloads up to a maximum size are returned: a thousand of the largest would take longer than any caller waits,
 * and more memory than it has. The others are read when their jobs begin.
 *
 * Because of the share lock on the queue's row, no claim commits after a pause has returned.
 */
async function claimPlainJobs(database: QueueDatabase, input: ClaimInput): Promise<Claim> {
  const { memory, eligible } = input
  const plan = memory.plan(eligible, Math.min(input.limit, claimBatchMax))
  const statements = claimStatements(database.names)[memory.isLarge ? 'ofMany' : 'ofFew']
  const checks = eligible !== 'ahead' && memory.lanes.takeCheck()
  const statement = statements[versionsIn(input.kinds)][checks ? 'checking' : 'plain'][eligible]
  const rows = await database.run(statement({ ...input, plan }), 'frequent')
  const report = decodeReport(rows.at(-1))
  const claimedRows = rows.slice(0, -1) as readonly ClaimedRow[]
  const claimed = claimedRows.map((row) => decodeClaimedJob(row, report.taken_us))
  const takenMs = Math.floor(report.taken_us / 1_000)
  memory.lanes.learn(takenMs, { hasLanes: report.has_lanes ?? false, jobs: claimed.length })
  const scan = { claimed, openQueues: report.open_queues, nowMs: report.now_ms }
  return {
    jobs: inClaimOrder(claimed),
    payloadLength: claimedRows.reduce((sum, { payload }) => sum + (payload?.length ?? 0), 0),
    leaseLost: !report.is_active,
    tooLate: report.is_too_late,
    databaseNowMs: takenMs,
    // A claim that took nothing because it was late has not scanned anything either.
    more: !report.is_too_late && memory.learn(plan, scan),
    retryInMs: null,
  }
}

/** Larger than every payload: the claim carries all of them. */
const unlimitedBytes = 2 ** 31 - 1

/** One row for each claimed job, and a last row with the report of the claim, as JSON in place of a payload. */
type ClaimRow = ClaimedRow | { readonly payload: string }

/** What a claim reports about itself. */
interface ClaimReport {
  /** When the statement arrived. Jobs that were committed later were not scanned. */
  readonly now_ms: number
  readonly taken_us: number
  readonly is_active: boolean
  readonly is_too_late: boolean
  readonly open_queues: readonly string[]
  /** Whether there are lanes or limits in the queues; present where the claim has checked. */
  readonly has_lanes?: boolean
}

function decodeReport(row: ClaimRow | undefined): ClaimReport {
  if (typeof row?.payload !== 'string') throw new Error('a claim returned no report')
  return JSON.parse(row.payload) as ClaimReport
}

/** The conditions of each sort of claim. A job with an expiry never waits in memory, where its time might run out. */
const eligibility: Readonly<Record<Eligible, (names: SchemaNames) => RawBuilder<unknown>>> = {
  any: (names) => sql`${hasAttempts} AND ${isInTime(names, claimTime)}`,
  steady: (names) => sql`${hasAttempts} AND ${isSteady} AND ${isInTime(names, claimTime)}`,
  ahead: () => sql`c.attempts + 1 < c.max_attempts AND ${isSteady} AND c.expires_at IS NULL`,
}

const claimTime = sql`(SELECT at FROM start)`

/**
 * The condition that the queue of a slot is open. Searching a list for each slot takes five million comparisons for a
 * thousand queues. Building a hash table takes longer than a claim of few queues should. `IS TRUE` keeps PostgreSQL
 * from turning the condition into a join, which might lose the order of the slots.
 */
const isOpenQueue = {
  ofFew: sql`slot.queue = ANY((SELECT queues FROM start)::text[])`,
  ofMany: sql`(slot.queue IN (SELECT unnest(queues) FROM start)) IS TRUE`,
} as const

function versionsIn(kinds: readonly string[]): Versions {
  return kinds.every((kind) => parseVersionedKind(kind).version === firstVersion) ? 'first' : 'several'
}

const claimStatements = perSchema((names) => ({
  ofFew: claimTemplates(names, isOpenQueue.ofFew),
  ofMany: claimTemplates(names, isOpenQueue.ofMany),
}))

/** Whether a claim also checks for lanes, whose jobs another statement claims. */
type LaneCheck = 'plain' | 'checking'

type ClaimTemplates = Readonly<
  Record<Versions, Readonly<Record<LaneCheck, Readonly<Record<Eligible, ClaimTemplate>>>>>
>

function claimTemplates(names: SchemaNames, isOpen: RawBuilder<unknown>): ClaimTemplates {
  const templatesFor = (versions: Versions, laneCheck: LaneCheck): Record<Eligible, ClaimTemplate> => {
    const templateFor = (eligible: Eligible): ClaimTemplate => {
      const conditions = {
        eligible: eligibility[eligible](names),
        isOpen,
        isRunnable: isRunnable[versions],
        laneCheck,
      }
      return template((given) => claimStatement(names, conditions, given))
    }
    return { any: templateFor('any'), steady: templateFor('steady'), ahead: templateFor('ahead') }
  }
  const withChecks = (versions: Versions) => ({
    plain: templatesFor(versions, 'plain'),
    checking: templatesFor(versions, 'checking'),
  })
  return { first: withChecks('first'), several: withChecks('several') }
}

interface Conditions {
  readonly eligible: RawBuilder<unknown>
  readonly isOpen: RawBuilder<unknown>
  readonly isRunnable: (kinds: RawBuilder<unknown>) => RawBuilder<unknown>
  readonly laneCheck: LaneCheck
}

type ClaimTemplate = Template<PlannedInput, ClaimRow>

interface PlannedInput extends ClaimInput {
  readonly plan: ClaimPlan
}

function claimStatement(
  names: SchemaNames,
  { eligible, isOpen, isRunnable: runnableOf, laneCheck }: Conditions,
  given: Given<PlannedInput>,
): RawBuilder<ClaimRow> {
  const workerId = given((input) => input.workerId)
  const limit = given(({ plan }) => plan.limit)
  const runnable = runnableOf(sql`${given((input) => input.kinds)}::text[]`)
  const sentAtMs = given((input) => input.clock.nowMs() ?? Number.POSITIVE_INFINITY)
  const priorities = sql`${given(({ plan }) => plan.priorities)}::smallint[]`
  const positions = sql`${given(({ plan }) => plan.positions)}::float8[]`
  const shares = sql`${given(({ plan }) => plan.sharesText)}::int[]`
  const payloadBytesMax = given((input) => input.payloadBytesMax ?? unlimitedBytes)
  return sql<ClaimRow>`
    WITH open_queues AS MATERIALIZED (
      SELECT q.name FROM ${names.queues} AS q
       WHERE q.name = ANY(${given((input) => input.memory.queuesText)}::text[]) AND ${isUnpaused} AND NOT q.limited
       ORDER BY q.name FOR SHARE
    ), start AS MATERIALIZED (
      SELECT l.at, l.at >= l.deadline AS is_too_late, l.lease_expires_at IS NOT NULL AS is_active,
             CASE WHEN l.at < l.deadline AND ${isLeased(sql`l.at`, sql`l.lease_expires_at`)} THEN l.queues ELSE '{}' END AS queues
        FROM (SELECT clock_timestamp() AS at, coalesce(array_agg(name), '{}') AS queues,
                     (SELECT w.lease_expires_at FROM ${names.workers} AS w
                       WHERE w.id = ${workerId} AND ${isActive}) AS lease_expires_at,
                     least(now(), to_timestamp(${sentAtMs}::float8 / 1000))
                     + ${given((input) => input.answerWithinMs * claimTimeShare)}::float8 * interval '1 millisecond' AS deadline
                FROM open_queues) AS l
    ), claimed AS (
      UPDATE ${names.jobs} AS j
         SET status = ${names.status.running}, attempts = j.attempts + 1, lease_token = j.lease_token + 1,
             locked_at = (SELECT at FROM start), locked_by = ${workerId}, updated_at = ${updatedAt(sql`(SELECT at FROM start)`)},
             progress = NULL, progress_message = NULL
       WHERE j.id = ANY(ARRAY(
               SELECT due.id
                 FROM unnest(${given(({ plan }) => plan.queues)}::text[]) WITH ORDINALITY AS slot (queue, n)
                CROSS JOIN LATERAL (
                  SELECT c.id
                    FROM ${names.jobs} AS c
                   WHERE c.queue = slot.queue AND c.priority = ${ofSlot(priorities)}
                     AND ${isWaiting(names)} AND c.key IS NULL
                     AND c.run_at >= to_timestamp(${ofSlot(positions)} / 1000) AND ${isDue}
                     AND ${runnable} AND ${eligible}
                   ORDER BY c.run_at, c.id
                   LIMIT ${ofSlot(shares)}
                     FOR UPDATE SKIP LOCKED
                ) AS due
                WHERE ${isOpen}
                LIMIT ${limit}::int))
      RETURNING ${claimedColumns('j', payloadBytesMax)}
    )
    SELECT claimed.* FROM claimed
    UNION ALL
    SELECT json_build_object('now_ms', ${epochMs(sql`now()`)}, 'taken_us', ${epochUs(sql`start.at`)},
                             'is_active', start.is_active, 'is_too_late', start.is_too_late,
                             'open_queues', start.queues${laneCheck === 'checking' ? hasLanes(names, given) : sql``})::text, ${claimedNulls}
      FROM start`
}

/** Whether some of these queues have limits, lanes, or lane events that are due. Another statement claims the jobs there. */
function hasLanes(names: SchemaNames, given: Given<PlannedInput>): RawBuilder<unknown> {
  const queues = sql`${given(({ memory }) => memory.queuesText)}::text[]`
  const hasRows = (table: RawBuilder<unknown>, andDue: RawBuilder<unknown>) =>
    sql`EXISTS (SELECT FROM ${table} AS l WHERE l.queue = ANY(${queues})${andDue})`
  return sql`,
                             'has_lanes', EXISTS (SELECT FROM ${names.queues} AS q WHERE q.name = ANY(${queues}) AND q.limited)
                                          OR ${hasRows(names.lanes, sql``)} OR ${hasRows(names.laneEvents, sql` AND l.due_at <= statement_timestamp()`)}`
}

/** The element of `array` for the slot. One function that lists the slots costs less than one for each array. */
function ofSlot(array: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(${array})[slot.n]`
}
