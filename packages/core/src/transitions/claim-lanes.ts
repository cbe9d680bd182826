// queued | retrying → running, for jobs of every sort, while jobs in lanes or in queues with limits may start. Called by
// `claimJobs` for a worker that holds its lease.
import { sql } from 'kysely'
import { epochUs, template } from '@queue/postgres'
import type { UnbegunJob } from '../domain/job.ts'
import type { QueueDatabase } from '../database/connect.ts'
import { type ClaimedRow, claimedColumns, decodeClaimedJob } from '../database/job-row.ts'
import { perSchema } from '../database/schema-names.ts'
import { type Claim, type ClaimInput, inClaimOrder, claimTimeShare } from '../claims/claim.ts'
import { type ClaimPlan, mayWait, type SlotsScan } from '../claims/claim-memory.ts'

/** A row of a claimed job; the last row has no job, and `seen` is the report of the claim. */
type LaneRow = ClaimedRow & {
  readonly key: string | null
  readonly counted: number | null
  /** A claim of many lanes reads the clock several times. */
  readonly claimed_at_us: number
  readonly seen: string | null
}

/** What a claim in lanes reports about itself. */
interface LaneClaimReport {
  readonly open_queues: readonly string[]
  /** The places in the plan, from 1, where jobs are left, or where another claim decides over that: see `SlotsScan`. */
  readonly left_lanes: readonly number[]
  readonly left_lines: readonly number[]
  readonly unread_lines: readonly number[]
  /** How many of the claimed jobs were in lanes or under limits of their queue. */
  readonly lane_jobs: number
  /** Whether another claim held rows that this one needed. */
  readonly is_busy: boolean
  readonly taken_ms: number
  readonly is_active: boolean
  readonly is_too_late: boolean
  readonly more: boolean
  /**
   * Milliseconds until the next event is due, a rate allows the next start, or a lane that another claim held is free
   * again.
   */
  readonly next_in_ms: number | null
  /** Where the next claim can begin to scan. */
  readonly marks: unknown
}

/** Larger than every payload: the claim carries all of them. */
const unlimitedBytes = 2 ** 31 - 1

/**
 * Claims up to `limit` jobs through the function `claim_lanes`, in one statement, in the order of the slots and with
 * their shares. No limit of a claimed job is exceeded, and the limit's counters change with the claim. Lanes of one
 * queue, kind and priority take turns. What `claimPlainJobs` says about leases, lateness and pauses holds here too.
 */
export async function claimLanes(database: QueueDatabase, input: ClaimInput): Promise<Claim> {
  const { memory } = input
  const { lanes } = memory
  const plan = memory.plan(input.eligible, input.limit)
  const keepMarks = lanes.beginClaim()
  const rows = await database.run(statementIn(database.names)({ ...input, plan }), 'frequent')
  const report = JSON.parse(rows.at(-1)?.seen ?? '{}') as LaneClaimReport
  const claimedRows = rows.slice(0, -1)
  const jobs = claimedRows.map(decodeLaneJob)
  const canStart = report.lane_jobs > 0 || report.left_lanes.length > 0 || report.is_busy
  lanes.learnFromLanes(report.taken_ms, { canStart, nextInMs: report.next_in_ms, jobs: jobs.length })
  keepMarks(JSON.stringify(report.marks ?? {}))
  // What other claims hold is free again soon, but not at once.
  const mustWait = report.is_busy && jobs.length === 0
  const isMoreLeft = !report.is_too_late && memory.learnOfSlots(plan, scanOf(report, jobs))
  return {
    jobs: inClaimOrder(jobs),
    payloadLength: claimedRows.reduce((sum, { payload }) => sum + (payload?.length ?? 0), 0),
    leaseLost: !report.is_active,
    tooLate: report.is_too_late,
    databaseNowMs: report.taken_ms,
    more: report.more || (isMoreLeft && !mustWait),
    retryInMs: lanes.retryIn(report.next_in_ms, jobs.length),
    nextForSlots: canStart || !jobs.every(mayWait) ? 'soon' : 'later',
  }
}

function scanOf(report: LaneClaimReport, claimed: readonly UnbegunJob[]): SlotsScan {
  const { open_queues: openQueues, left_lanes: leftLanes, left_lines: leftLines } = report
  return { claimed, openQueues, leftLanes, leftLines, unreadLines: report.unread_lines }
}

function decodeLaneJob(row: LaneRow): UnbegunJob {
  const job = decodeClaimedJob(row, row.claimed_at_us)
  const { key, counted } = row
  if (key === null && counted === null) return job
  return { ...job, lease: { ...job.lease, inLane: true }, key, isCounted: counted !== null }
}

interface PlannedInput extends ClaimInput {
  readonly plan: ClaimPlan
}

const statementIn = perSchema((names) =>
  template<PlannedInput, LaneRow>(
    (given) => sql`
    SELECT ${claimedColumns(
      'c',
      given((input) => input.payloadBytesMax ?? unlimitedBytes),
    )}, c.key, c.counted, ${epochUs(sql`c.claimed_at`)} AS claimed_at_us, c.seen::text AS seen
      FROM ${names.claimLanes}(${given((input) => input.workerId)}::text, ${given((input) => input.memory.queuesText)}::text[],
             ${given(({ plan }) => plan.priorities)}::smallint[], ${given(({ plan }) => plan.queues)}::text[],
             ${given(({ plan }) => plan.sharesText)}::integer[], ${given((input) => input.kinds)}::text[],
             ${given(({ plan }) => plan.limit)}::integer,
             ${given((input) => input.eligible === 'steady')}::boolean,
             ${given((input) => input.clock.nowMs() ?? Number.POSITIVE_INFINITY)}::float8,
             ${given((input) => input.answerWithinMs * claimTimeShare)}::float8,
             ${given((input) => input.memory.lanes.marks)}::jsonb) AS c`,
  ),
)
