// queued | retrying → running. Called by a worker that holds its lease; no job goes to two workers.
import { type RawBuilder, sql } from 'kysely'
import { epochMs, epochUs, type Given, template, type Template } from '@queue/postgres'
import { staysInJobs } from '../database/archive.ts'
import type { QueueDatabase } from '../database/connect.ts'
import { updatedAt } from '../database/instant.ts'
import { type ClaimedRow, claimedColumns, claimedNulls, decodeClaimedJob } from '../database/job-row.ts'
import { perSchema, type SchemaNames } from '../database/schema-names.ts'
import { firstVersion, parseVersionedKind } from '../domain/kind-version.ts'
import { claimBatchMax, priorityMax, priorityMin } from '../domain/limits.ts'
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
import { type ClaimPlan, type Eligible, mayWait } from '../claims/claim-memory.ts'

/**
 * Claims up to `limit` due jobs in one statement. While jobs in lanes or under limits of their queue may start, that is
 * `claimLanes`, which takes jobs of every sort in one order. A claim that finds the first of them takes nothing itself.
 */
export async function claimJobs(database: QueueDatabase, input: ClaimInput): Promise<Claim> {
  const { lanes } = input.memory
  const limited = { ...input, limit: Math.min(input.limit, claimBatchMax) }
  // A job in a lane may not wait in memory, because it would hold up the other jobs of its key.
  if (input.eligible === 'ahead') return claimPlainJobs(database, limited)
  if (lanes.areThere) return claimLanes(database, limited)
  const claim = await claimPlainJobs(database, limited)
  return claim.nextForSlots === 'now' ? claimLanes(database, limited) : claim
}

/**
 * Claims up to `limit` due jobs in one statement. Each attempt is charged, and each lease token raised.
 *
 * There is one bounded scan for each priority and queue, in the order of the slots. Its cost does not depend on jobs
 * that are scheduled for later, nor on other queues. There is no sort above the row locks: a sort would lock `limit`
 * rows of every slot before the outer LIMIT applied. The scan passes over rows that cannot be claimed, for instance
 * because their attempts are used up, so that no row can make the claim fail for the others.
 *
 * With several queues, a slot that has filled its share may have more jobs than that. Jobs of a worse priority must not
 * start before those, so the claim leaves them, and ends below its limit.
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
  const statements = claimStatements(database.names)[memory.sharing]
  const checks = memory.lanes.takeCheck()
  const statement = statements[versionsIn(input.kinds)][checks ? 'checking' : 'plain'][eligible]
  const rows = await database.run(statement({ ...input, plan }), 'frequent')
  const report = decodeReport(rows.at(-1))
  const claimedRows = rows.slice(0, -1) as readonly ClaimedRow[]
  const claimed = claimedRows.map((row) => decodeClaimedJob(row, report.taken_us))
  const takenMs = Math.floor(report.taken_us / 1_000)
  const hasLanes = report.is_active && !report.is_too_late && (report.has_lanes ?? false)
  memory.lanes.learn(takenMs, { hasLanes, jobs: claimed.length })
  const scan = { claimed, openQueues: report.open_queues, nowMs: report.now_ms }
  return {
    jobs: inClaimOrder(claimed),
    payloadLength: claimedRows.reduce((sum, { payload }) => sum + (payload?.length ?? 0), 0),
    leaseLost: !report.is_active,
    tooLate: report.is_too_late,
    databaseNowMs: takenMs,
    // A claim that took nothing, because it was late or has found lanes, has not scanned anything either.
    more: hasLanes || (!report.is_too_late && memory.learn(plan, scan)),
    retryInMs: null,
    nextForSlots: hasLanes ? 'now' : claimed.every(mayWait) ? 'later' : 'soon',
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
  /**
   * Whether the claim took nothing because jobs in lanes, or under limits of their queue, may start; present where it has
   * checked.
   */
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
  ofOne: sql`slot.queue = ANY((SELECT queues FROM start)::text[])`,
  ofFew: sql`slot.queue = ANY((SELECT queues FROM start)::text[])`,
  ofMany: sql`(slot.queue IN (SELECT unnest(queues) FROM start)) IS TRUE`,
} as const

function versionsIn(kinds: readonly string[]): Versions {
  return kinds.every((kind) => parseVersionedKind(kind).version === firstVersion) ? 'first' : 'several'
}

/** How many queues share a claim. */
type Sharing = 'ofOne' | 'ofFew' | 'ofMany'

const claimStatements = perSchema((names) => ({
  ofOne: claimTemplates(names, 'ofOne'),
  ofFew: claimTemplates(names, 'ofFew'),
  ofMany: claimTemplates(names, 'ofMany'),
}))

/** Whether a claim first checks for lanes. If it finds any, it takes nothing, and another statement claims instead. */
type LaneCheck = 'plain' | 'checking'

type ClaimTemplates = Readonly<
  Record<Versions, Readonly<Record<LaneCheck, Readonly<Record<Eligible, ClaimTemplate>>>>>
>

function claimTemplates(names: SchemaNames, sharing: Sharing): ClaimTemplates {
  const templatesFor = (versions: Versions, laneCheck: LaneCheck): Record<Eligible, ClaimTemplate> => {
    const templateFor = (eligible: Eligible): ClaimTemplate => {
      const conditions = {
        eligible: eligibility[eligible](names),
        isOpen: isOpenQueue[sharing],
        sharing,
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
  readonly sharing: Sharing
  readonly isRunnable: (kinds: RawBuilder<unknown>) => RawBuilder<unknown>
  readonly laneCheck: LaneCheck
}

type ClaimTemplate = Template<PlannedInput, ClaimRow>

interface PlannedInput extends ClaimInput {
  readonly plan: ClaimPlan
}

function claimStatement(
  names: SchemaNames,
  { eligible, isOpen, sharing, isRunnable: runnableOf, laneCheck }: Conditions,
  given: Given<PlannedInput>,
): RawBuilder<ClaimRow> {
  const workerId = given((input) => input.workerId)
  const limit = given(({ plan }) => plan.limit)
  const runnable = runnableOf(sql`${given((input) => input.kinds)}::text[]`)
  const sentAtMs = given((input) => input.clock.nowMs() ?? Number.POSITIVE_INFINITY)
  const priorities = sql`${given(({ plan }) => plan.priorities)}::smallint[]`
  const positions = sql`${given(({ plan }) => plan.positions)}::float8[]`
  const payloadBytesMax = given((input) => input.payloadBytesMax ?? unlimitedBytes)
  const inPriority = withoutWorsePriorities[sharing]
  const check = {
    plain: { lanes: sql``, andNone: sql``, inStart: sql``, report: sql`` },
    checking: {
      lanes: sql`, ${lanesMayStart(names, given)} AS has_lanes`,
      andNone: sql` AND NOT l.has_lanes`,
      inStart: sql`, l.has_lanes`,
      report: sql`, 'has_lanes', start.has_lanes`,
    },
  }[laneCheck]
  return sql<ClaimRow>`
    WITH open_queues AS MATERIALIZED (
      SELECT q.name FROM ${names.queues} AS q
       WHERE q.name = ANY(${given((input) => input.memory.queuesText)}::text[]) AND ${isUnpaused} AND NOT q.limited
       ORDER BY q.name FOR SHARE
    ), start AS MATERIALIZED (
      SELECT l.at, l.at >= l.deadline AS is_too_late, l.lease_expires_at IS NOT NULL AS is_active,
             CASE WHEN l.at < l.deadline AND ${isLeased(sql`l.at`, sql`l.lease_expires_at`)}${check.andNone} THEN l.queues ELSE '{}' END AS queues${check.inStart}
        FROM (SELECT clock_timestamp() AS at, coalesce(array_agg(name), '{}') AS queues,
                     (SELECT w.lease_expires_at FROM ${names.workers} AS w
                       WHERE w.id = ${workerId} AND ${isActive}) AS lease_expires_at,
                     least(now(), to_timestamp(${sentAtMs}::float8 / 1000::float8))
                     + ${given((input) => input.answerWithinMs * claimTimeShare)}::float8 * interval '1 millisecond' AS deadline${check.lanes}
                FROM open_queues) AS l
    ), claimed AS (
      UPDATE ${names.jobs} AS j
         SET status = ${names.status.running}, attempts = j.attempts + 1, lease_token = j.lease_token + 1,
             locked_at = (SELECT at FROM start), locked_by = ${workerId}, updated_at = ${updatedAt(sql`(SELECT at FROM start)`)},
             progress = NULL, progress_message = NULL
       WHERE j.id = ANY(ARRAY(${inPriority(sql`
               SELECT due.id, due.priority, slot.n, slot.share
                 FROM (
                   SELECT slot.queue, slot.n, ${ofSlot(sql`${given(({ plan }) => plan.sharesText)}::int[]`)} AS share
                     FROM unnest(${given(({ plan }) => plan.queues)}::text[]) WITH ORDINALITY AS slot (queue, n)
                 ) AS slot
                CROSS JOIN LATERAL (
                  SELECT c.id, c.priority
                    FROM ${names.jobs} AS c
                   WHERE c.queue = slot.queue AND c.priority = ${ofSlot(priorities)}
                     AND ${isWaiting(names)} AND c.key IS NULL
                     AND c.run_at >= to_timestamp(${ofSlot(positions)} / 1000::float8) AND ${isDue}
                     AND ${runnable} AND ${eligible}
                   ORDER BY c.run_at, c.id
                   LIMIT slot.share
                     FOR UPDATE SKIP LOCKED
                ) AS due
                WHERE ${isOpen}
                LIMIT ${limit}::int`)}))
      RETURNING ${claimedColumns('j', payloadBytesMax)}, ${staysInJobs('j')} AS stays
    )
    SELECT claimed.* FROM claimed
    UNION ALL
    SELECT json_build_object('now_ms', ${epochMs(sql`now()`)}, 'taken_us', ${epochUs(sql`start.at`)},
                             'is_active', start.is_active, 'is_too_late', start.is_too_late,
                             'open_queues', start.queues${check.report})::text, ${claimedNulls}
      FROM start`
}

const allPriorities = sql.raw(
  `'{${Array.from({ length: priorityMax - priorityMin + 1 }, (_, n) => priorityMin + n).join()}}'::smallint[]`,
)

/**
 * Whether jobs of these queues may start in lanes, by events that are due, or under limits of their queue. Another
 * statement claims them. Most queues have no events, and one look finds that instead of one for each priority. The claim
 * itself has found how many of the queues are open and without limits.
 */
function lanesMayStart(names: SchemaNames, given: Given<PlannedInput>): RawBuilder<unknown> {
  const queues = sql`${given(({ memory }) => memory.queuesText)}::text[]`
  return sql`(
                     EXISTS (SELECT FROM ${names.lanes} AS l WHERE l.queue = ANY(${queues}) AND NOT l.is_full)
                     OR CASE WHEN EXISTS (SELECT FROM ${names.laneEvents} AS l WHERE l.queue = ANY(${queues}))
                             THEN EXISTS (SELECT FROM ${names.laneEvents} AS l
                                           WHERE l.queue = ANY(${queues}) AND l.counted IS NOT NULL AND l.due_at <= statement_timestamp())
                                  OR EXISTS (SELECT FROM ${names.laneEvents} AS l
                                              WHERE l.queue = ANY(${queues}) AND l.priority = ANY(${allPriorities}) AND l.due_at <= statement_timestamp())
                             ELSE false END
                     OR CASE WHEN count(name) < cardinality(${queues})
                             THEN EXISTS (SELECT FROM ${names.queues} AS q CROSS JOIN unnest(${allPriorities}) AS p (priority)
                                           CROSS JOIN LATERAL (
                                             SELECT FROM ${names.jobs} AS c
                                              WHERE c.queue = q.name AND c.priority = p.priority AND ${isWaiting(names)} AND c.key IS NULL AND ${isDue}
                                              ORDER BY c.run_at, c.id LIMIT 1) AS c
                                           WHERE q.name = ANY(${queues}) AND q.limited AND ${isUnpaused})
                             ELSE false END)`
}

/**
 * The ids of the found jobs without those of a worse priority than a slot that has filled its share. That slot may have
 * more jobs, which come first. It was not asked for more because other queues might have filled theirs.
 */
function keepBestPriorities(found: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
             SELECT best.id FROM (
               SELECT slot.id, slot.priority, min(slot.priority) FILTER (WHERE slot.is_full) OVER () AS full_priority FROM (
                 SELECT f.id, f.priority, count(*) OVER (PARTITION BY f.n) = f.share AS is_full FROM (${found}) AS f
               ) AS slot
             ) AS best WHERE (best.priority > best.full_priority) IS NOT TRUE`
}

/** A slot of one queue fills its share only together with the claim. */
const withoutWorsePriorities: Readonly<Record<Sharing, (found: RawBuilder<unknown>) => RawBuilder<unknown>>> =
  {
    ofOne: (found) => sql`SELECT f.id FROM (${found}) AS f`,
    ofFew: keepBestPriorities,
    ofMany: keepBestPriorities,
  }

/** The element of `array` for the slot. One function that lists the slots costs less than one for each array. */
function ofSlot(array: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(${array})[slot.n]`
}
