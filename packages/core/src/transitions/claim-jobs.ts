// queued | retrying → running. Called by a worker that holds its lease; two workers never get the same job.
import { type RawBuilder, sql } from 'kysely'
import { epochMs, type Given, template, type Template } from '@queue/postgres'
import type { QueueDatabase } from '../database/connect.ts'
import { type ClaimedRow, claimedColumns, claimedNulls, decodeClaimedJob } from '../database/job-row.ts'
import { perSchema, type SchemaNames } from '../database/schema-names.ts'
import { firstVersion, parseVersionedKind } from '../domain/kind-version.ts'
import { claimBatchMax } from '../domain/limits.ts'
import { type Claim, type ClaimInput, inClaimOrder, takingShare } from '../claims/claim.ts'
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
 * Claims up to `limit` due jobs: those without a key by one statement, those in lanes and in queues with limits by
 * another (`claimLanes`), which is sent only while there are any. The two take turns to come first.
 */
export async function claimJobs(database: QueueDatabase, input: ClaimInput): Promise<Claim> {
  const { lanes } = input.memory
  const limited = { ...input, limit: Math.min(input.limit, claimBatchMax) }
  // A job in a lane may not wait in memory: it would hold up the others of its key.
  if (input.eligible === 'ahead') return claimPlainJobs(database, limited)
  if (lanes.areThere && lanes.takeTurn()) {
    return andThen(await claimLanes(database, limited), limited, (rest) => claimPlainJobs(database, rest))
  }
  const plain = await claimPlainJobs(database, limited)
  return lanes.areThere ? andThen(plain, limited, (rest) => claimLanes(database, rest)) : plain
}

/**
 * The other part of a claim behind the first, for what that has left of the limit. Its failure does not lose what the first has
 * brought.
 */
async function andThen(
  first: Claim,
  input: ClaimInput,
  claimRest: (rest: ClaimInput) => Promise<Claim>,
): Promise<Claim> {
  const limit = input.limit - first.jobs.length
  if (limit <= 0) return { ...first, more: true }
  if (first.leaseLost || first.tooLate) return first
  try {
    return both(first, await claimRest({ ...input, limit }))
  } catch (failure) {
    if (first.jobs.length === 0) throw failure
    return { ...first, more: true, failure }
  }
}

/** What two parts have brought together. What was taken before the second was too late is held. */
function both(first: Claim, second: Claim): Claim {
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
 * Only payloads up to a size come along: a thousand of the largest would take longer than any caller waits, and more memory
 * than it has. The others are read when their jobs begin.
 *
 * The share lock on the queue's row is what lets a pause promise that no claim commits after it has answered.
 */
async function claimPlainJobs(database: QueueDatabase, input: ClaimInput): Promise<Claim> {
  const { memory, eligible } = input
  const plan = memory.plan(eligible, Math.min(input.limit, claimBatchMax))
  const statements = claimStatements(database.names)[memory.isLarge ? 'ofMany' : 'ofFew']
  const checks = eligible !== 'ahead' && memory.lanes.takeCheck()
  const statement = statements[versionsIn(input.kinds)][checks ? 'checking' : 'plain'][eligible]
  const rows = await database.run(statement({ ...input, plan }), 'frequent')
  const seen = decodeSeen(rows.at(-1))
  const claimedRows = rows.slice(0, -1) as readonly ClaimedRow[]
  const claimed = claimedRows.map((row) => decodeClaimedJob(row, seen.taken_ms))
  memory.lanes.learn(seen.taken_ms, { hasLanes: seen.has_lanes ?? false, jobs: claimed.length })
  const scan = { claimed, openQueues: seen.open_queues, nowMs: seen.now_ms }
  return {
    jobs: inClaimOrder(claimed),
    payloadLength: claimedRows.reduce((sum, { payload }) => sum + (payload?.length ?? 0), 0),
    leaseLost: !seen.is_active,
    tooLate: seen.is_too_late,
    databaseNowMs: seen.taken_ms,
    // One that took nothing because it was late has not looked either.
    more: !seen.is_too_late && memory.learn(plan, scan),
    retryInMs: null,
  }
}

/** More than any value has. */
const bytesMax = 2 ** 31 - 1

/** One row for each claimed job, and a last one with what the claim has seen, as JSON in place of a payload. */
type ClaimRow = ClaimedRow | { readonly payload: string }

interface Seen {
  /** When the statement arrived: what has come since is not among what was scanned. */
  readonly now_ms: number
  readonly taken_ms: number
  readonly is_active: boolean
  readonly is_too_late: boolean
  readonly open_queues: readonly string[]
  /** Whether there are lanes, or limits, in its queues: present where it has checked. */
  readonly has_lanes?: boolean
}

function decodeSeen(row: ClaimRow | undefined): Seen {
  if (typeof row?.payload !== 'string') throw new Error('a claim gave no answer')
  return JSON.parse(row.payload) as Seen
}

/** A job that has an expiry never waits in memory, where its time might run out. */
const eligibility: Readonly<Record<Eligible, (names: SchemaNames) => RawBuilder<unknown>>> = {
  any: (names) => sql`${hasAttempts} AND ${isInTime(names, startedAt)}`,
  steady: (names) => sql`${hasAttempts} AND ${isSteady} AND ${isInTime(names, startedAt)}`,
  ahead: () => sql`c.attempts + 1 < c.max_attempts AND ${isSteady} AND c.expires_at IS NULL`,
}

const startedAt = sql`(SELECT at FROM start)`

/**
 * Whether the queue of a slot is open. To look through a list for each slot takes five million comparisons for a thousand
 * queues, and to make a hash table takes longer than a claim of few queues should. `IS TRUE` keeps PostgreSQL from making a
 * join of it, which might not keep the order of the slots.
 */
const openness = {
  ofFew: sql`slot.queue = ANY((SELECT queues FROM start)::text[])`,
  ofMany: sql`(slot.queue IN (SELECT unnest(queues) FROM start)) IS TRUE`,
} as const

function versionsIn(kinds: readonly string[]): Versions {
  return kinds.every((kind) => parseVersionedKind(kind).version === firstVersion) ? 'first' : 'several'
}

const claimStatements = perSchema((names) => ({
  ofFew: claimTemplates(names, openness.ofFew),
  ofMany: claimTemplates(names, openness.ofMany),
}))

/** Whether a claim also checks for lanes: those are claimed by another statement. */
type LaneCheck = 'plain' | 'checking'

type ClaimTemplates = Readonly<
  Record<Versions, Readonly<Record<LaneCheck, Readonly<Record<Eligible, ClaimTemplate>>>>>
>

function claimTemplates(names: SchemaNames, isOpen: RawBuilder<unknown>): ClaimTemplates {
  const of = (versions: Versions, laneCheck: LaneCheck): Record<Eligible, ClaimTemplate> => {
    const one = (eligible: Eligible): ClaimTemplate => {
      const conditions = {
        eligible: eligibility[eligible](names),
        isOpen,
        isRunnable: isRunnable[versions],
        laneCheck,
      }
      return template((given) => claimStatement(names, conditions, given))
    }
    return { any: one('any'), steady: one('steady'), ahead: one('ahead') }
  }
  const withChecks = (versions: Versions) => ({
    plain: of(versions, 'plain'),
    checking: of(versions, 'checking'),
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
  const payloadBytesMax = given((input) => input.payloadBytesMax ?? bytesMax)
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
                     + ${given((input) => input.answerWithinMs * takingShare)}::float8 * interval '1 millisecond' AS deadline
                FROM open_queues) AS l
    ), claimed AS (
      UPDATE ${names.jobs} AS j
         SET status = ${names.status.running}, attempts = j.attempts + 1, lease_token = j.lease_token + 1,
             locked_at = (SELECT at FROM start), locked_by = ${workerId}, updated_at = (SELECT at FROM start),
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
    SELECT json_build_object('now_ms', ${epochMs(sql`now()`)}, 'taken_ms', ${epochMs(sql`start.at`)},
                             'is_active', start.is_active, 'is_too_late', start.is_too_late,
                             'open_queues', start.queues${laneCheck === 'checking' ? hasLanes(names, given) : sql``})::text, ${claimedNulls}
      FROM start`
}

/** Whether some of these queues have limits, lanes, or events of them that are due: jobs there are claimed by another statement. */
function hasLanes(names: SchemaNames, given: Given<PlannedInput>): RawBuilder<unknown> {
  const queues = sql`${given(({ memory }) => memory.queuesText)}::text[]`
  const one = (table: RawBuilder<unknown>, andDue: RawBuilder<unknown>) =>
    sql`EXISTS (SELECT FROM ${table} AS l WHERE l.queue = ANY(${queues})${andDue})`
  return sql`,
                             'has_lanes', EXISTS (SELECT FROM ${names.queues} AS q WHERE q.name = ANY(${queues}) AND q.limited)
                                          OR ${one(names.lanes, sql``)} OR ${one(names.laneEvents, sql` AND l.due_at <= statement_timestamp()`)}`
}

/** The element of `array` for the slot: one function that lists the slots costs less than one for each array. */
function ofSlot(array: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(${array})[slot.n]`
}
